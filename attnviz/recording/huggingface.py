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
from torch import Tensor, nn

from attnviz.attention import Causal, Mask, Window
from attnviz.base.language import _m
from attnviz.recording import flex
from attnviz.recording.call import Meaning, NotRecorded, QueryKeyCall
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.roles import Part
from attnviz.recording.routing import Shared, recordings
from attnviz.recording.sample import Sample, column_of, sampled_rows
from attnviz.recording.scaled_dot_product import DROPOUT
from attnviz.recording.tensors import autocast_of, kept

MASK = _m("“{name}” was not recorded: its mask is a {found}, which is not known here.")
SHAPE = _m("“{name}” was not recorded: its queries have {found} dimensions; 4 were expected.")
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


@dataclass(slots=True, eq=False, kw_only=True)
class InterfaceCall(QueryKeyCall):
    """One call of an attention function; options are those of its further arguments that change the weights."""

    implementation: str
    options: dict[str, Any]

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys, values, mask, bias and sinks."""
        caught = tuple(flex.caught(self.mask.mask_mod)) if self._has_function() else (self.mask,)
        return (self.query, self.key, self.value, *caught, self.options.get("position_bias"), self._sinks())

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:
        """The call, as the implementation understands its arguments."""
        if self.query.ndim != 4:
            raise NotRecorded(SHAPE, found=self.query.ndim)
        queries, keys = self.query.shape[2], self.key.shape[2]
        states_causal = self._states_causal()
        rule, bias = masks.read_both(self._tensor_mask(), self.options.get("position_bias"), keys)
        if self._has_function():
            sizes = (*self.query.shape[:3], keys)
            rule = flex.rule_of(self.mask.mask_mod, sizes, self.mask.kv_num_blocks.device, masks)
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
            sample=self._sample(),
        )

    def _sample(self) -> Sample | None:
        return None if self.column is None else Sample(sampled_rows(self.query.shape[2]), *self.column)

    def _states_causal(self) -> bool | None:
        stated = self.options.get("is_causal")
        return getattr(self.module, "is_causal", None) if stated is None else stated

    def _tensor_mask(self) -> Tensor | None:
        """The mask, as "items_or_1 heads_or_1 n_or_1 m"; flash attention gets padding as "items m"."""
        if self.mask is None or self._has_function():
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

    def _has_function(self) -> bool:
        """Whether the mask is a BlockMask of flex attention: a function of the positions."""
        return type(self.mask).__name__ == "BlockMask" and callable(getattr(self.mask, "mask_mod", None))

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
    wanted = {name: _kept(option) for name, option in options.items() if option is not None and name in OPTIONS}
    column = None if options.get("dropout") else _columns(query, value, output)
    for recording in found:
        recording.keep(
            InterfaceCall(
                module=module,
                run=recording.run,
                query=kept(query),
                key=kept(key),
                value=kept(value) if recording.options.values else None,
                mask=_kept(mask),
                autocast=autocast_of(query),
                column=column,
                implementation=implementation or "eager",
                options=wanted,
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


def _columns(query: Tensor, value: Tensor, output: Any) -> tuple[Tensor, Tensor] | None:
    """One column of the values and of the output, "items heads rows 1", where it is what these functions return."""
    result = output[0] if isinstance(output, tuple) else output
    items, heads, queries = query.shape[:3]
    width = value.shape[-1]
    if not isinstance(result, Tensor) or result.shape != (items, queries, heads, width) or 0 in result.shape:
        return None
    rows = sampled_rows(queries)
    return column_of(value, width), column_of(result[:, rows.start :: rows.step], width).transpose(1, 2)


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
        if torch.compiler.is_compiling():
            return function
        return partial(_record, function, attn_implementation) if recordings() else function

    AttentionInterface.get_interface = get_interface

    def undo() -> None:
        # Whoever wrapped ours meanwhile keeps it; it hands everything through.
        if AttentionInterface.get_interface is get_interface:
            AttentionInterface.get_interface = original

    return undo


interface = Shared(_wrap)
