"""What is kept of a softmax among operators: its followed scores, or the weights as they came."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnviz.attention import Stored
from attnviz.base.language import _m
from attnviz.recording.call import Call, Meaning, QueryKeyCall, Weights
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.roles import Part
from attnviz.recording.sample import Sample, sampled_rows

WEIGHTS = _m("Its weights were recorded as the model made them; how they come from queries and keys was not seen.")


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
