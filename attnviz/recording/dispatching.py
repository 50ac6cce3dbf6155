"""Models that run no Python of their own: TorchScript, and graphs of torch.export.

None of their calls is one of a public function, so the operators below are watched, while such a module runs.
The fused operators say what they compute. Where a model computes its scores itself, they are followed from
q kᵀ through scaling, masks and biases to the softmax; where that breaks off, the weights are kept as they came.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
from torch.utils.weak import WeakTensorKeyDictionary

from attnviz.attention import Stored
from attnviz.base.language import _m
from attnviz.recording import scaled_dot_product
from attnviz.recording.call import Call, Meaning, QueryKeyCall, Weights
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.names_in_graphs import names_of
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.routing import recordings
from attnviz.recording.sample import Sample, column_of, sampled_rows
from attnviz.recording.tensors import kept

CLOSED = _m("“{name}” was not recorded: PyTorch computes it whole, and its queries and keys are not seen.")
NO_VALUES = _m("A softmax whose product with values was not seen, as in a router or a classifier.")
OTHER_DIMENSION = _m("A softmax over another dimension than the last; whether it is attention was not seen.")
WEIGHTS = _m("Its weights were recorded as the model made them; how they come from queries and keys was not seen.")

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
_VIEWS = frozenset(("view", "_unsafe_view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "expand", "flatten"))
_SAME = frozenset(("clone", "_to_copy", "to", "detach", "alias", "contiguous"))
# A score as low as this stands for "not allowed", as in additive masks.
_FORBIDDEN = -0.99e9


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


@dataclass(slots=True, frozen=True, eq=False)
class _Scores:
    """scale · q kᵀ + added, where not forbidden, as a tensor of this shape.

    query, key: with the dimensions that the product had. softcap follows the scale.
    """

    query: Tensor
    key: Tensor
    shape: torch.Size
    scale: float = 1.0
    added: tuple[Tensor, ...] = ()
    forbidden: tuple[Tensor, ...] = ()


@dataclass(slots=True, eq=False, kw_only=True)
class GraphCall(QueryKeyCall):
    """A softmax whose scores were followed. shape: of the scores; items and heads are its leading dimensions."""

    shape: torch.Size
    scale: float
    added: tuple[Tensor, ...]
    forbidden: tuple[Tensor, ...]

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys, values, masks."""
        return (self.query, self.key, self.value, *self.added, *self.forbidden)

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:  # noqa: ARG002  the operators do not tell
        """The call with items and heads written out."""
        query, key = _apart(self.query, self.shape), _apart(self.key, self.shape)
        rule, bias = None, None
        for tensor in (*self.added, *(~one for one in self.forbidden)):
            here, more = masks.read(_four(tensor, self.shape), key.shape[2])
            if here is not None:
                rule = here if rule is None else rule & here
            if more is not None:
                bias = more if bias is None else bias + more
        return Meaning(
            query=query,
            key=key,
            value=None if self.value is None else _apart(self.value, self.shape),
            scale=self.scale,
            mask=rule,
            bias=bias,
            causal=looks_back_only(rule, (query.shape[2], key.shape[2])),
            sample=_sample(self.column, self.shape),
        )


@dataclass(slots=True, eq=False, kw_only=True)
class WeightsCall(Call):
    """A softmax whose scores were not followed, once it has multiplied values."""

    stored: Tensor
    value: Tensor | None
    column: tuple[Tensor, Tensor] | None

    def tensors(self) -> tuple[Any, ...]:
        """Weights and values."""
        return (self.stored, self.value)

    def large(self) -> tuple[str, ...]:
        """Both."""
        return ("stored", "value")

    def meaning(self, masks: Masks, part: Part | None) -> Weights:  # noqa: ARG002  weights say nothing else
        """The weights as they came."""
        return Weights(
            scores=Stored(_apart(self.stored, self.stored.shape)),
            value=None if self.value is None else _apart(self.value, self.stored.shape),
            note=WEIGHTS,
            sample=_sample(self.column, self.stored.shape),
        )


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
        known: _Scores | None = self._scores.get(scores)
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
        known = _Scores(left.expand(*lead, -1, -1), right.mT.expand(*lead, -1, -1), output.shape)
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
            elif operator in _VIEWS | _SAME | {"dropout"} and result.numel() == source.numel():
                self._weights[result] = softmax
        places = [place for place, one in enumerate(args) if isinstance(one, Tensor) and one in self._scores]
        if not places:
            return
        known: _Scores = self._scores[args[places[0]]]
        followed = _followed(operator, known, places[0], _named(func, args, kwargs), args, result)
        if followed is not None:
            self._scores[result] = followed
        elif func._schema.is_mutable:
            del self._scores[args[places[0]]]


def _followed(
    operator: str, known: _Scores, place: int, given: dict[str, Any], args: tuple[Any, ...], result: Tensor
) -> _Scores | None:
    """What the scores are after an operator; None where that is not known."""
    if operator in _VIEWS:
        same = result.shape[-2:] == known.shape[-2:] and result.numel() == known.shape.numel()
        return _viewed(known, result.shape) if same else None
    if operator in _SAME:
        return known
    if result.shape != known.shape or given.get("alpha", 1) != 1 or given.get("rounding_mode") is not None:
        return None
    step = _STEPS.get(operator)
    return None if step is None else step(known, place, args)


def _viewed(known: _Scores, shape: torch.Size) -> _Scores:
    """The same scores under other leading dimensions, which masks and biases follow."""

    def follow(tensor: Tensor) -> Tensor:
        if tensor.ndim == 2 or tensor.shape[:-2].numel() == 1:
            return tensor.reshape(tensor.shape[-2:]) if tensor.ndim > 2 else tensor
        return tensor.expand(*known.shape[:-2], *tensor.shape[-2:]).reshape(*shape[:-2], *tensor.shape[-2:])

    if len(shape) == len(known.shape):
        return replace(known, shape=shape)
    added, forbidden = (tuple(map(follow, tensors)) for tensors in (known.added, known.forbidden))
    return replace(known, shape=shape, added=added, forbidden=forbidden)


_Step = Callable[[_Scores, int, tuple[Any, ...]], _Scores | None]


def _multiply(known: _Scores, place: int, args: tuple[Any, ...]) -> _Scores | None:
    factor = _number(args[1 - place])
    return None if factor is None or known.added or known.forbidden else replace(known, scale=known.scale * factor)


def _divide(known: _Scores, place: int, args: tuple[Any, ...]) -> _Scores | None:
    divisor = _number(args[1]) if place == 0 else None
    return _multiply(known, 0, (None, 1 / divisor)) if divisor else None


def _add(known: _Scores, place: int, args: tuple[Any, ...]) -> _Scores | None:
    other = args[1 - place]
    if known.forbidden:
        return None
    if not isinstance(other, Tensor):
        # The same number for all scores changes no weight.
        return known
    return replace(known, added=(*known.added, kept(other)))


def _fill(known: _Scores, place: int, args: tuple[Any, ...]) -> _Scores | None:
    value = _number(args[2])
    if place != 0 or value is None or value > _lowest(known):
        return None
    return replace(known, forbidden=(*known.forbidden, args[1].bool()))


def _where(known: _Scores, place: int, args: tuple[Any, ...]) -> _Scores | None:
    condition, other = args[0], args[3 - place]
    value = float(other.max()) if isinstance(other, Tensor) and other.numel() == 1 else _number(other)
    if value is None or value > _lowest(known):
        return None
    return replace(known, forbidden=(*known.forbidden, ~condition if place == 1 else condition))


_STEPS: dict[str, _Step] = {
    "mul": _multiply,
    "div": _divide,
    "add": _add,
    "masked_fill": _fill,
    "where": _where,
}


def _lowest(known: _Scores) -> float:
    """At or below this a score stands for "not allowed"."""
    return max(torch.finfo(known.query.dtype).min / 2, _FORBIDDEN)


def _number(value: Any) -> float | None:
    if isinstance(value, Tensor):
        return float(value) if value.ndim == 0 and not value.is_meta else None
    return float(value) if isinstance(value, int | float) else None


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


def _sample(column: tuple[Tensor, Tensor] | None, shape: torch.Size) -> Sample | None:
    if column is None:
        return None
    value, output = (_apart(one, shape) for one in column)
    return Sample(sampled_rows(shape[-2]), value, output)


def _apart(tensor: Tensor, shape: torch.Size) -> Tensor:
    """Items, heads, positions, width; `shape` is that of the scores, whose last but two dimensions are these."""
    heads = shape[-3] if len(shape) > 3 else 1
    return tensor.reshape(-1, heads, *tensor.shape[-2:])


def _four(mask: Tensor, shape: torch.Size) -> Tensor:
    """A mask that broadcasts to scores of this shape, with items and heads written out."""
    mask = mask.reshape((1,) * (len(shape) - mask.ndim) + tuple(mask.shape))
    if len(shape) <= 4:
        return mask[:, None] if len(shape) == 3 else mask if len(shape) == 4 else mask.reshape(1, 1, *mask.shape[-2:])
    return mask.expand(*shape[:-3], *mask.shape[-3:]).reshape(-1, *mask.shape[-3:])
