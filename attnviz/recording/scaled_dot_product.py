"""PyTorch's own attention function, `torch.nn.functional.scaled_dot_product_attention`.

Source: its page in the PyTorch documentation, which states what it computes as code.
"""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Shaped
from torch import Tensor, nn

from attnviz.attention import Causal
from attnviz.base.language import _m
from attnviz.recording import nested
from attnviz.recording.call import Meaning, NotRecorded, QueryKeyCall
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.routing import recordings
from attnviz.recording.sample import Sample, column_of, sampled_rows
from attnviz.recording.tensors import autocast_of, kept

NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
NESTED = _m("“{name}” was not recorded: it takes a nested tensor in a way that is not known here.")
DROPOUT = _m("Weights were dropped at random, as in training; shown are the weights before that.")


@dataclass(slots=True, eq=False, kw_only=True)
class ScaledDotProduct(QueryKeyCall):
    """One call of the function. elsewhere: whether the keys come from another sequence, None if not known."""

    scale: float | None
    is_causal: bool
    elsewhere: bool | None = None

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:  # noqa: ARG002  it sees where keys come from
        """The call with items and heads written out."""
        if self.query.is_nested or self.key.is_nested:
            return self._nested()
        lead = torch.broadcast_shapes(self.query.shape[:-3], self.key.shape[:-3])  # type: ignore[no-untyped-call]  # PyTorch left it so
        query, key = (_four(_cast(tensor, self.autocast), lead) for tensor in (self.query, self.key))
        value = None if self.value is None else _four(_cast(self.value, self.autocast), lead)
        rule, bias = None, None
        if self.mask is not None:
            rule, bias = masks.read(_four_mask(self.mask, self.query.ndim, lead), key.shape[2])
        if self.is_causal:
            # The upper left corners meet, also where there are more keys than queries.
            rule = Causal(0) if rule is None else Causal(0) & rule
        return Meaning(
            query=query,
            key=key,
            value=value,
            scale=query.shape[-1] ** -0.5 if self.scale is None else self.scale,
            mask=rule,
            bias=bias,
            causal=self.is_causal or looks_back_only(rule, (query.shape[2], key.shape[2])),
            elsewhere=self.elsewhere,
            sample=self._sample(lead),
        )

    def _nested(self) -> Meaning:
        """The call with its items padded to the longest."""
        if not (self.query.is_nested and self.key.is_nested) or self.query.ndim != 4 or self.mask is not None:
            raise NotRecorded(NESTED)
        query, key = nested.padded(self.query), nested.padded(self.key)
        return Meaning(
            query=query,
            key=key,
            value=None if self.value is None else nested.padded(self.value),
            scale=query.shape[-1] ** -0.5 if self.scale is None else self.scale,
            mask=nested.ranges(self.query, self.key, causal=self.is_causal),
            causal=self.is_causal,
            elsewhere=self.elsewhere,
            sample=None if self.column is None else Sample(range(1), *self.column),
        )

    def _sample(self, lead: torch.Size) -> Sample | None:
        if self.column is None:
            return None
        value, output = (_four(column, lead) for column in self.column)
        return Sample(sampled_rows(self.query.shape[-2]), value, output)


def keep(
    recording: Recording,
    module: nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    output: Tensor,
    elsewhere: bool | None = None,
    name: str | None = None,
) -> None:
    """Keeps a call that was made with these arguments and gave this output."""
    given = dict(zip(NAMES, args, strict=False)) | kwargs
    query: Tensor = given["query"]
    mask = given.get("attn_mask")
    recording.keep(
        ScaledDotProduct(
            module=module,
            run=recording.run,
            name=name,
            query=kept(query),
            key=kept(given["key"]),
            value=kept(given["value"]) if recording.options.values else None,
            mask=None if mask is None else kept(mask),
            autocast=autocast_of(query),
            scale=given.get("scale"),
            is_causal=bool(given.get("is_causal", False)),
            elsewhere=elsewhere,
            column=None if given.get("dropout_p") else _checkable(given["value"], output),
        )
    )
    if given.get("dropout_p"):
        recording.note(DROPOUT)


def _handle(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    output = func(*args, **kwargs)
    for recording in recordings():
        module = recording.running()
        if module is not None:
            keep(recording, module, args, kwargs, output)
    return output


HANDLERS = {F.scaled_dot_product_attention: _handle}


def _checkable(value: Tensor, output: Tensor) -> tuple[Tensor, Tensor] | None:
    if output.is_nested:
        return nested.columns(value, output) if value.is_nested and value.ndim == 4 else None
    return None if 0 in output.shape or output.is_meta else columns(value, output)


def columns(value: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    """A column of the values and of a few rows of the output, as `Sample` needs them."""
    rows = sampled_rows(output.shape[-2])
    width = value.shape[-1]
    return column_of(value, width), column_of(output[..., rows.start :: rows.step, :], width)


def _cast(tensor: Tensor, dtype: torch.dtype | None) -> Tensor:
    return tensor if dtype is None or tensor.dtype == torch.float64 else tensor.to(dtype)


def _four(tensor: Shaped[Tensor, "*lead n d"], lead: torch.Size) -> Shaped[Tensor, "items heads n d"]:
    """Items, heads, positions, width: without a head dimension there is one head, further dimensions are items."""
    if tensor.ndim < 4:
        # "n d" or "items n d", which is how PyTorch documents three dimensions.
        return tensor.reshape(tensor.shape[:-2].numel(), 1, *tensor.shape[-2:])
    return tensor.expand(*lead, *tensor.shape[-3:]).reshape(lead.numel(), *tensor.shape[-3:])


def _four_mask(mask: Tensor, dimensions: int, lead: torch.Size) -> Shaped[Tensor, "items_or_1 heads_or_1 n_or_1 m"]:
    """The mask with the dimensions that its queries were given; it broadcasts from the right."""
    if dimensions == 3 and mask.ndim == 3:
        return mask[:, None]
    mask = mask.reshape((1,) * (4 - mask.ndim) + tuple(mask.shape))
    return mask if dimensions < 5 else mask.expand(*lead, *mask.shape[-3:]).reshape(lead.numel(), *mask.shape[-3:])
