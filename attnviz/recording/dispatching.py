"""Models that run no Python of their own: TorchScript, and graphs of torch.export.

None of their calls is one of a public function, so the operators below are watched, while such a module runs.
The fused operators say what they compute. Where a model computes its scores itself, they are followed from
q kᵀ through scaling, masks and biases to the softmax; where that breaks off, the weights are kept as they came.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
from torch.utils.weak import WeakTensorKeyDictionary

from attnviz.base.language import _m
from attnviz.recording import scaled_dot_product
from attnviz.recording.followed_scores import SAME, VIEWS, Scores, followed
from attnviz.recording.graph_calls import GraphCall, WeightsCall
from attnviz.recording.names_in_graphs import names_of
from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings
from attnviz.recording.sample import column_of, sampled_rows
from attnviz.recording.tensors import kept

CLOSED = _m("“{name}” was not recorded: PyTorch computes it whole, and its queries and keys are not seen.")
NO_VALUES = _m("A softmax whose product with values was not seen, as in a router or a classifier.")
OTHER_DIMENSION = _m("A softmax over another dimension than the last; whether it is attention was not seen.")

_FUSED = frozenset(
    (
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention",
        "_scaled_dot_product_fused_attention_overrideable",
        # In inference mode PyTorch does not take operators apart before they are seen here.
        "scaled_dot_product_attention",
    )
)
_CLOSED = frozenset(("_native_multi_head_attention", "_transformer_encoder_layer_fwd"))
_SOFTMAX = frozenset(("_softmax", "_safe_softmax", "softmax"))
_PRODUCTS = frozenset(("bmm", "baddbmm", "matmul"))


def is_closed(module: nn.Module) -> bool:
    """Whether a module is TorchScript or a graph of operators."""
    if isinstance(module, torch.jit.ScriptModule):
        return True
    if not isinstance(module, GraphModule):
        return False
    return any(isinstance(node.target, torch._ops.OpOverload) for node in module.graph.nodes)


def is_watched() -> bool:
    """Whether some closed module runs already, within which another one may."""
    return any(isinstance(mode, Operators) for mode in _get_current_dispatch_mode_stack())


@dataclass(eq=False)
class _Softmax:
    """What is known of the weights that came out of a softmax, until they meet values.

    calls: what will be recorded of them, where their scores were followed; else the weights. changed: they are no longer the softmax.
    """

    shape: torch.Size
    name: str | None
    last: bool
    weights: Tensor | None = None
    calls: list[tuple[Recording, GraphCall]] = field(default_factory=list)
    changed: bool = False
    met_values: bool = False


class Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]  # PyTorch left it so
    """Watches the operators of one closed module while it runs."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._module = module
        self._names: Iterator[str] = iter(names_of(module))
        self._scores: Any = WeakTensorKeyDictionary()
        self._weights: Any = WeakTensorKeyDictionary()
        self._softmaxes: list[_Softmax] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        with torch._C.DisableTorchFunction():
            output = func(*args, **(kwargs or {}))
            if recordings() and func.namespace == "aten":
                self._see(func, args, kwargs or {}, output)
        return output

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        super().__exit__(kind, error, trace)  # type: ignore[no-untyped-call]
        for softmax in self._softmaxes:
            if softmax.met_values:
                continue
            for recording, call in softmax.calls:
                recording.keep(call)
            if not softmax.calls:
                reason = NO_VALUES if softmax.last else OTHER_DIMENSION
                for recording, module in self._found():
                    recording.lookalike(module, tuple(softmax.shape), reason)

    def _found(self) -> list[tuple[Recording, nn.Module]]:
        """Who records, and the module that stands for all that happens inside."""
        found = []
        for recording in recordings():
            if not recording.inside and self._module in recording.modules:
                found.append((recording, self._module))
        return found

    def _see(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        operator = func._schema.name.removeprefix("aten::")
        if operator in _FUSED:
            self._see_fused(_named(func, args, kwargs), output[0] if isinstance(output, tuple) else output)
        elif operator in _SOFTMAX:
            self._see_softmax(args[0], args[1], output)
        elif operator in _CLOSED:
            for recording, module in self._found():
                recording.note(CLOSED, name=recording.modules.shown_name(module))
        elif operator in _PRODUCTS:
            self._see_product(_named(func, args, kwargs), output)
        elif args and isinstance(args[0], Tensor):
            self._follow(operator.removesuffix("_"), func, args, kwargs, output)

    def _see_fused(self, given: dict[str, Any], output: Tensor) -> None:
        name = next(self._names, None)
        mask = given.get("attn_mask")
        arguments = {
            "query": given["query"],
            "key": given["key"],
            "value": given["value"],
            "attn_mask": given.get("attn_bias") if mask is None else mask,
            "dropout_p": given.get("dropout_p", 0.0),
            "is_causal": given.get("is_causal", False),
            "scale": given.get("scale"),
        }
        for recording, module in self._found():
            full = _within(recording, module, name)
            scaled_dot_product.keep(recording, module, (), arguments, output, name=full)

    def _see_softmax(self, scores: Tensor, dim: int, output: Tensor) -> None:
        last = dim in (-1, scores.ndim - 1)
        softmax = _Softmax(output.shape, next(self._names, None), last)
        known: Scores | None = self._scores.get(scores)
        if known is not None and last and known.shape == scores.shape:
            for recording, module in self._found():
                call = GraphCall(
                    module=module,
                    run=recording.run,
                    name=_within(recording, module, softmax.name),
                    query=kept(known.query),
                    key=kept(known.key),
                    value=None,
                    mask=None,
                    shape=known.shape,
                    scale=known.scale,
                    added=known.added,
                    forbidden=known.forbidden,
                )
                softmax.calls.append((recording, call))
        self._softmaxes.append(softmax)
        if last:
            softmax.weights = None if softmax.calls else output
            self._weights[output] = softmax

    def _see_product(self, given: dict[str, Any], output: Tensor) -> None:
        left: Tensor = given.get("batch1", given["self"])
        right: Tensor = given["batch2"] if "batch2" in given else given["mat2"] if "mat2" in given else given["other"]
        if left.ndim < 3 or right.ndim < 3:
            # With a matrix, as in a linear layer.
            return
        softmax: _Softmax | None = self._weights.get(left)
        if softmax is not None:
            self._meet_values(softmax, right, output)
            return
        lead = output.shape[:-2]
        known = Scores(left.expand(*lead, -1, -1), right.mT.expand(*lead, -1, -1), output.shape)
        if "batch1" in given:
            added = given["self"] if given["beta"] == 1 else given["self"] * given["beta"]
            known = replace(known, scale=float(given["alpha"]), added=(kept(added),) if given["beta"] else ())
        self._scores[output] = known

    def _meet_values(self, softmax: _Softmax, value: Tensor, output: Tensor) -> None:
        softmax.met_values = True
        column = None if softmax.changed else _columns(value, output)
        for recording, call in softmax.calls:
            call.column = column
            call.value = kept(value) if recording.options.values else None
            recording.keep(call)
        if softmax.weights is None:
            return
        for recording, module in self._found():
            recording.keep(
                WeightsCall(
                    module=module,
                    run=recording.run,
                    name=_within(recording, module, softmax.name),
                    stored=kept(softmax.weights),
                    value=kept(value) if recording.options.values else None,
                    column=column,
                )
            )
        softmax.weights = None

    def _follow(self, operator: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        result = output[0] if isinstance(output, tuple | list) and output else output
        if not isinstance(result, Tensor):
            return
        source = args[0]
        softmax: _Softmax | None = self._weights.get(source)
        if softmax is not None:
            dropped = operator == "native_dropout" or (operator == "dropout" and args[2])
            if dropped:
                for recording, _ in self._found():
                    recording.note(scaled_dot_product.DROPOUT)
            if (dropped or operator == "mul") and result.shape == source.shape:
                # A product with a random mask is how TorchScript writes dropout.
                softmax.changed = True
                self._weights[result] = softmax
            elif operator in VIEWS | SAME | {"dropout"} and result.numel() == source.numel():
                self._weights[result] = softmax
        places = [place for place, one in enumerate(args) if isinstance(one, Tensor) and one in self._scores]
        if not places:
            return
        known: Scores = self._scores[args[places[0]]]
        after = followed(operator, known, places[0], _named(func, args, kwargs), args, result)
        if after is not None:
            self._scores[result] = after
        elif func._schema.is_mutable:
            del self._scores[args[places[0]]]


def _named(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names that the operator's schema gives them, defaults included."""
    given = {one.name: one.default_value for one in func._schema.arguments if one.has_default_value()}
    given.update(zip((one.name for one in func._schema.arguments), args, strict=False))
    return given | kwargs


def _within(recording: Recording, module: nn.Module, name: str | None) -> str | None:
    """The name of a part of a closed module, in the model around it."""
    if not name:
        return None
    outer = recording.modules.name(module)
    return f"{outer}.{name}" if outer else name


def _columns(value: Tensor, output: Tensor) -> tuple[Tensor, Tensor] | None:
    if 0 in output.shape:
        return None
    rows, width = sampled_rows(output.shape[-2]), value.shape[-1]
    value = value.expand(*output.shape[:-2], -1, -1)
    return column_of(value, width), column_of(output[..., rows.start :: rows.step, :], width)
