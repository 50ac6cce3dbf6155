"""Models of Hugging Face transformers: every layer asks `AttentionInterface.get_interface` for its function.

The function that the model would have used is used; only the question is wrapped. (To register a function of
our own would change the masks that the model makes.) Source: the page "Attention Interface" of the
transformers documentation and transformers/integrations/{sdpa,flash,flex}_attention.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature, unwrap
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnviz.attention import Attention, Causal, Mask, Window
from attnviz.base.language import _m
from attnviz.recording.call import Call, Meaning, NotRecorded, autocast_of, kept
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.roles import Part
from attnviz.recording.routing import Shared, recordings
from attnviz.recording.scaled_dot_product import DROPOUT

MASK = _m("“{name}” was not recorded: its mask is a {found}, which is not known here.")
SHAPE = _m("“{name}” was not recorded: its queries have {found} dimensions; 4 were expected.")
DIFFERENT = _m("“{name}” is not shown: it does more than softmax(q·k); its own weights differ by {difference}.")

PACKED = _m("“{name}” was not recorded: several sequences are packed into one, and where each ends is not known here.")

NAMES = ("query", "key", "value", "attention_mask")
# The arguments that change the weights; dropout, which changes them at random, is only said.
OPTIONS = frozenset(
    (
        "scaling",
        "softcap",
        "s_aux",
        "sinks",
        "position_bias",
        "is_causal",
        "sliding_window",
        "cu_seq_lens_q",
        "position_ids",
    )
)
OTHER_SEQUENCE = {"key_value_states", "encoder_hidden_states"}

# What the model's own weights may differ by from those that q and k give: rounding, no more.
TOLERANCE = {torch.float64: 1e-3, torch.float32: 1e-3}
TOLERANCE_OF_HALF = 2e-2


@dataclass(slots=True, eq=False)
class InterfaceCall(Call):
    """One call of an attention function.

    options: those of its further arguments that change the weights.
    row: the last query's weights ("items heads m") or output ("items heads dv") as the function returned them,
    where the function is not one of transformers' own, of which it is known what they compute.
    """

    implementation: str
    options: dict[str, Any]
    row: Tensor | None
    row_is_weights: bool

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys, values, mask, bias and sinks."""
        return (self.query, self.key, self.value, self.mask, self.options.get("position_bias"), self._sinks())

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:
        """The call, as the implementation understands its arguments."""
        if self.query.ndim != 4:
            raise NotRecorded(SHAPE, found=self.query.ndim)
        queries, keys = self.query.shape[2], self.key.shape[2]
        states_causal = self._states_causal()
        rule, bias = masks.read_both(self._tensor_mask(), self.options.get("position_bias"), keys)
        stated = self._stated_mask(states_causal)
        if stated is not None:
            rule = stated if rule is None else stated & rule
        query, scale = self._scaled()
        sinks = self._sinks()
        causal = bool(states_causal) or looks_back_only(rule, (queries, keys))
        return Meaning(
            query=query,
            key=self._cast(self.key),
            value=None if self.value is None else self._cast(self.value),
            scale=scale,
            mask=rule,
            bias=bias,
            softcap=self.options.get("softcap"),
            sinks=None if sinks is None else sinks.flatten(),
            causal=causal,
            elsewhere=self._elsewhere(causal, part, queries != keys),
        )

    def check(self, attention: Attention) -> None:
        """Compares the last row with what the function returned."""
        if self.row is None:
            return
        last = attention.shape[0] - 1
        difference = 0.0
        for item in range(attention.items):
            weights = attention.weights(None, item, [last])[:, 0]
            found = weights if self.row_is_weights or self.value is None else _times(weights, self.value[item])
            here = (found - self.row[item].to(found.dtype)).abs().nan_to_num(0)
            difference = max(difference, float(here.max()))
        if difference > TOLERANCE.get(self.query.dtype, TOLERANCE_OF_HALF):
            raise NotRecorded(DIFFERENT, difference=f"{difference:.0e}")

    def _states_causal(self) -> bool | None:
        stated = self.options.get("is_causal")
        return getattr(self.module, "is_causal", None) if stated is None else stated

    def _tensor_mask(self) -> Tensor | None:
        """The mask, as "items_or_1 heads_or_1 n_or_1 m"; flash attention gets padding as "items m"."""
        if self.mask is None:
            return None
        dimensions = 2 if self._is_flash() else 4
        if not isinstance(self.mask, Tensor) or self.mask.ndim != dimensions:
            raise NotRecorded(MASK, found=_kind(self.mask))
        return self.mask.bool()[:, None, None, -self.key.shape[2] :] if self._is_flash() else self.mask

    def _stated_mask(self, causal: bool | None) -> Mask | None:
        """What the implementation masks beyond the tensor."""
        queries, keys = self.query.shape[2], self.key.shape[2]
        if not self._is_flash():
            # "sdpa" takes a layer that says nothing for a causal one; these two apply what they are given and no more.
            given_all = self.mask is not None or self.implementation in ("eager", "flex_attention")
            return None if given_all or causal is False or queries == 1 else Causal(0)
        if self._is_packed():
            raise NotRecorded(PACKED)
        # Flash attention aligns causality and windows to the lower right corner.
        window = self.options.get("sliding_window")
        if window is None or keys <= window:
            return Causal(keys - queries) if causal else None
        return Window(window - 1, 0 if causal else window - 1, keys - queries)

    def _is_flash(self) -> bool:
        return "flash" in self.implementation

    def _is_packed(self) -> bool:
        """Flash attention takes several sequences in one row, told apart by their lengths or their positions."""
        positions = self.options.get("position_ids")
        restarts = positions is not None and len(self.query) == 1 and bool((positions.flatten().diff() != 1).any())
        return restarts or self.options.get("cu_seq_lens_q") is not None

    def _scaled(self) -> tuple[Tensor, float]:
        query, scale = self._cast(self.query), self.options.get("scaling")
        if scale is None:
            return query, query.shape[-1] ** -0.5
        if isinstance(scale, Tensor) and scale.numel() > 1:
            # A learnt scale for each head.
            return query * scale, 1.0
        return query, float(scale)

    def _sinks(self) -> Tensor | None:
        sinks = self.options.get("s_aux", self.options.get("sinks"))
        return sinks if isinstance(sinks, Tensor) else None

    def _cast(self, tensor: Tensor) -> Tensor:
        return tensor if self.autocast is None or tensor.dtype == torch.float64 else tensor.to(self.autocast)

    def _elsewhere(self, causal: bool, part: Part | None, lengths_differ: bool) -> bool:
        """Whether the keys come from another sequence, which the layer must be able to take.

        In a decoder such a layer attends to the encoder, unless it is causal; elsewhere the lengths tell.
        """
        if getattr(self.module, "is_cross_attention", False):
            return True
        kind: Any = type(self.module)
        if causal or not _takes_other_sequence(kind):
            return False
        in_decoder = part == "decoder" or getattr(self.module, "is_decoder", False)
        return in_decoder or getattr(getattr(self.module, "config", None), "is_decoder", False) or lengths_differ


def _record(function: Callable[..., Any], implementation: str, module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    found = [recording for recording in recordings() if not recording.inside]
    if not found:
        return function(module, *args, **kwargs)
    for recording in found:
        recording.inside += 1
    try:
        output = function(module, *args, **kwargs)
    finally:
        for recording in found:
            recording.inside -= 1
    query, key, value, mask, options = _arguments(function, module, args, kwargs)
    row, is_weights = _row_to_check(function, query, key, options, output)
    wanted = {name: _kept(option) for name, option in options.items() if option is not None and name in OPTIONS}
    for recording in found:
        recording.keep(
            InterfaceCall(
                module,
                recording.run,
                kept(query),
                kept(key),
                kept(value) if recording.values or (row is not None and not is_weights) else None,
                _kept(mask),
                autocast_of(query),
                implementation or "eager",
                wanted,
                row,
                is_weights,
            )
        )
        if options.get("dropout"):
            recording.note(DROPOUT)
    return output


def _arguments(
    function: Any, module: nn.Module, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Tensor, Tensor, Tensor, Any, dict[str, Any]]:
    """Query, key, value, mask and the rest by name, however they were handed over."""
    if len(args) == len(NAMES):
        query, key, value, mask = args
        return query, key, value, mask, options
    if len(args) > len(NAMES):
        bound = signature(function).bind(module, *args, **options).arguments
        given = {**bound, **bound.get("kwargs", {})}
    else:
        given = options | dict(zip(NAMES, args, strict=False))
    return given["query"], given["key"], given["value"], given.get("attention_mask"), given


def _row_to_check(
    function: Any, query: Tensor, key: Tensor, options: dict[str, Any], output: Any
) -> tuple[Tensor | None, bool]:
    """The last query's row of what the function returned, where it may compute something of its own."""
    if function.__module__.startswith("transformers.integrations.") or options.get("dropout"):
        return None, False
    result, weights = output if isinstance(output, tuple) and len(output) == 2 else (output, None)
    if isinstance(weights, Tensor) and weights.shape == (*query.shape[:3], key.shape[2]):
        return kept(weights)[:, :, -1].clone(), True
    if isinstance(result, Tensor) and result.shape[:3] == (query.shape[0], query.shape[2], query.shape[1]):
        return kept(result)[:, -1].clone(), False
    return None, False


def _times(weights: Float[Tensor, "heads m"], value: Float[Tensor, "value_heads m dv"]) -> Float[Tensor, "heads dv"]:
    shared = value.to(weights.dtype).repeat_interleave(len(weights) // len(value), 0)
    return torch.einsum("hm,hmd->hd", weights, shared)


@cache
def _takes_other_sequence(kind: Any) -> bool:
    return not OTHER_SEQUENCE.isdisjoint(signature(unwrap(kind.forward)).parameters)


def _kept(option: Any) -> Any:
    return kept(option) if isinstance(option, Tensor) else option


def _kind(mask: Any) -> str:
    return f"{mask.ndim}-D Tensor" if isinstance(mask, Tensor) else type(mask).__name__


def _wrap() -> Callable[[], None]:
    from transformers.modeling_utils import AttentionInterface

    original = AttentionInterface.get_interface

    def get_interface(self: Any, attn_implementation: str, default: Callable[..., Any]) -> Callable[..., Any]:
        function: Callable[..., Any] = original(self, attn_implementation, default)
        return partial(_record, function, attn_implementation) if recordings() else function

    AttentionInterface.get_interface = get_interface

    def undo() -> None:
        # Whoever wrapped ours meanwhile keeps it; it hands everything through.
        if AttentionInterface.get_interface is get_interface:
            AttentionInterface.get_interface = original

    return undo


interface = Shared(_wrap)
