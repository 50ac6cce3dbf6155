"""What is kept of attention that was written by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from attnviz.attention import Causal, Form, Linear, Mask, Pointwise, Stored
from attnviz.attention.scores import grouped_product
from attnviz.base.language import _m
from attnviz.recording.call import Call, Meaning, Weights
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.roles import Part
from attnviz.recording.sample import Sample, sampled_rows

AS_MADE = _m("These weights are kept as the model made them: they cannot be computed again from queries and keys.")
UNSEEN = _m(
    "These weights were not seen to multiply values as they were made; what the model did with them is not known."
)
IMPLICIT = _m(
    "Linear attention never makes these weights; they are what its output amounts to: φ(q)·φ(k), over their sum "
    "where the model divides by it."
)

# Items, heads, queries, keys, each of which may be 1 for all of them; every one of several for itself.
Pairs = Shaped[Tensor, "_ _ _ _"]


@dataclass(frozen=True, eq=False, slots=True)
class Formula:
    """Scores from queries and keys: cap · tanh(scale · q kᵀ) + shift + terms, and pairs that are forbidden.

    terms: factor × tensor, added. forbidden: where the tensor is `when`, the score is `low`. scale, cap and the
    rest as in `provenance.Scores`; everything has items, heads, queries and keys written out.
    """

    query: Float[Tensor, "items heads n d"]
    key: Float[Tensor, "items kv_heads m d"]
    scale: float
    cap: float | None
    shift: float
    terms: tuple[tuple[float, Pairs], ...]
    forbidden: tuple[tuple[Pairs, bool, float], ...]
    sinks: Float[Tensor, " heads"] | None
    autocast: torch.dtype | None

    def cast(self, tensor: Tensor) -> Tensor:
        """The tensor in the type that autocast computed in."""
        return tensor if self.autocast is None or tensor.dtype == torch.float64 else tensor.to(self.autocast)

    def scores(self, rows: range) -> Float[Tensor, "items heads r m"]:
        """The scores of a few queries, with what is forbidden set as the model sets it."""
        items, heads, _, width = self.query.shape
        query = self.cast(_rows(self.query, rows))
        key = self.cast(self.key)
        dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
        # One product for all: items and key heads become one dimension.
        folded = query.to(dtype).reshape(items * heads, len(rows), width)
        scores = grouped_product(folded, key.to(dtype).reshape(-1, *key.shape[2:]).mT)
        scores = scores.view(items, heads, len(rows), -1) * self.scale
        if self.cap is not None:
            scores = scores.tanh() * self.cap
        scores = scores + self.shift if self.shift else scores
        for factor, tensor in self.terms:
            scores = scores + factor * _rows(tensor, rows)
        for tensor, when, low in self.forbidden:
            mask = _rows(tensor, rows).bool()
            scores = scores.masked_fill(mask if when else ~mask, low)
        return scores

    def rule_and_bias(self, masks: Masks) -> tuple[Mask | None, Tensor | None]:
        """What forbids and what is added, read once for all layers that share it."""
        keys = self.key.shape[2]
        rule: Mask | None = None
        bias: Tensor | None = None
        for tensor, when, _ in self.forbidden:
            found, _none = masks.read(tensor.bool(), keys, forbids=when)
            rule = _both(rule, found)
        for factor, tensor in self.terms:
            # Where it is subtracted, what forbids is a large positive number.
            found, added = masks.read(tensor if factor > 0 else -tensor, keys)
            rule = _both(rule, found)
            if added is not None:
                added = added if abs(factor) == 1 else added * abs(factor)
                bias = added if bias is None else bias + added
        return rule, bias

    def tensors(self) -> tuple[Any, ...]:
        """Everything it is made of."""
        return (
            self.query,
            self.key,
            *(tensor for _, tensor in self.terms),
            *(tensor for tensor, _, _ in self.forbidden),
            self.sinks,
        )


@dataclass(slots=True, eq=False, kw_only=True)
class ByHand(Call):
    """Attention with queries and keys that were seen. gates: 0 for a softmax, else what a sigmoid is multiplied by.

    column: one column of the values and of some rows of the output, with items and heads written out.
    """

    formula: Formula
    query: Tensor
    key: Tensor
    value: Tensor | None = None
    column: tuple[Tensor, Tensor] | None = None
    gates: float = 0.0
    elsewhere: bool | None = None
    note: str = ""

    def meaning(self, masks: Masks, part: Part | None) -> Meaning | Weights:  # noqa: ARG002  q and k tell nothing of it
        """The scores in the terms of an attention."""
        formula = self.formula
        query, key = formula.cast(self.query), formula.cast(self.key)
        rule, bias = replace(formula, query=query, key=key).rule_and_bias(masks)
        shape = (query.shape[2], key.shape[2])
        sample = None if self.column is None else Sample(sampled_rows(shape[0]), *self.column)
        causal = looks_back_only(rule, shape)
        if self.gates:
            return Weights(
                scores=Pointwise(query, key, formula.scale, formula.shift, bias, rule, self.gates),
                value=self.value,
                mask=rule,
                form="dot-product",
                normalised=False,
                note=self.note,
                causal=causal,
                elsewhere=self.elsewhere,
                sample=sample,
            )
        scale = formula.scale if formula.cap is None else formula.scale * formula.cap
        return Meaning(
            query=query,
            key=key,
            value=self.value,
            scale=scale,
            mask=rule,
            bias=bias,
            softcap=formula.cap,
            sinks=formula.sinks,
            note=self.note,
            causal=causal,
            elsewhere=self.elsewhere,
            sample=sample,
        )

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys, values, masks."""
        return (self.query, self.key, self.value, *self.formula.tensors()[2:])

    def large(self) -> tuple[str, ...]:
        """Queries, keys, values."""
        return ("query", "key", "value")

    def keys(self) -> Tensor:
        """The keys."""
        return self.key

    def apart(self, items: int, heads_first: bool) -> None:
        """Makes items and heads of the items that there are."""
        self.query, self.key = _apart(self.query, items, heads_first), _apart(self.key, items, heads_first)
        self.value = None if self.value is None else _apart(self.value, items, heads_first)
        if self.column is not None:
            self.column = (_apart(self.column[0], items, heads_first), _apart(self.column[1], items, heads_first))
        terms = tuple((factor, _apart(tensor, items, heads_first)) for factor, tensor in self.formula.terms)
        forbidden = tuple(
            (_apart(tensor, items, heads_first), when, low) for tensor, when, low in self.formula.forbidden
        )
        self.formula = replace(self.formula, query=self.query, key=self.key, terms=terms, forbidden=forbidden)


@dataclass(slots=True, eq=False, kw_only=True)
class AsMade(Call):
    """Weights that are kept as the model made them, with items and heads written out."""

    stored: Tensor
    value: Tensor | None = None
    column: tuple[Tensor, Tensor] | None = None
    form: Form = "stored"
    normalised: bool = True
    elsewhere: bool | None = None
    note: str = ""

    def meaning(self, masks: Masks, part: Part | None) -> Weights:  # noqa: ARG002  the weights are all there is
        """The weights."""
        sample = None if self.column is None else Sample(sampled_rows(self.stored.shape[2]), *self.column)
        return Weights(
            scores=Stored(self.stored),
            value=self.value,
            form=self.form,
            normalised=self.normalised,
            note=self.note,
            elsewhere=self.elsewhere,
            sample=sample,
        )

    def tensors(self) -> tuple[Any, ...]:
        """The weights and the values."""
        return (self.stored, self.value)

    def large(self) -> tuple[str, ...]:
        """The weights and the values."""
        return ("stored", "value")

    def apart(self, items: int, heads_first: bool) -> None:
        """Makes items and heads of the items that there are."""
        self.stored = _apart(self.stored, items, heads_first)
        self.value = None if self.value is None else _apart(self.value, items, heads_first)
        if self.column is not None:
            self.column = (_apart(self.column[0], items, heads_first), _apart(self.column[1], items, heads_first))


@dataclass(slots=True, eq=False, kw_only=True)
class Features(Call):
    """Linear attention: φ(q) and φ(k), whose products are weights that the model never makes."""

    query: Tensor
    key: Tensor
    value: Tensor | None = None
    column: tuple[Tensor, Tensor] | None = None
    normalised: bool = False
    causal: bool = False
    factor: float = 1.0

    def meaning(self, masks: Masks, part: Part | None) -> Weights:  # noqa: ARG002  q and k are all there is
        """The implicit weights."""
        sample = None if self.column is None else Sample(sampled_rows(self.query.shape[2]), *self.column)
        return Weights(
            scores=Linear(self.query, self.key, self.normalised, self.causal, self.factor),
            value=self.value,
            mask=Causal(0) if self.causal else None,
            form="linear",
            normalised=self.normalised,
            note=IMPLICIT,
            causal=self.causal,
            sample=sample,
        )

    def tensors(self) -> tuple[Any, ...]:
        """Both features and the values."""
        return (self.query, self.key, self.value)

    def large(self) -> tuple[str, ...]:
        """Both features and the values."""
        return ("query", "key", "value")

    def keys(self) -> Tensor:
        """The keys' features."""
        return self.key

    def apart(self, items: int, heads_first: bool) -> None:
        """Makes items and heads of the items that there are."""
        self.query, self.key = _apart(self.query, items, heads_first), _apart(self.key, items, heads_first)
        self.value = None if self.value is None else _apart(self.value, items, heads_first)
        if self.column is not None:
            self.column = (_apart(self.column[0], items, heads_first), _apart(self.column[1], items, heads_first))


def joined(tensors: Sequence[Tensor]) -> Tensor:
    """The rows of several steps, one behind the other."""
    return torch.cat(list(tensors), 2)


def _rows(tensor: Pairs, rows: range) -> Pairs:
    return tensor if tensor.shape[2] == 1 else tensor[:, :, rows.start : rows.stop : rows.step]


def _both(rule: Mask | None, other: Mask | None) -> Mask | None:
    return other if rule is None else rule if other is None else rule & other


def _apart(tensor: Tensor, items: int, heads_first: bool) -> Tensor:
    """A dimension of size 1 stands for all items and all heads."""
    if tensor.shape[0] == 1:
        return tensor
    if heads_first:
        return tensor.reshape(-1, items, *tensor.shape[2:]).transpose(0, 1)
    return tensor.reshape(items, -1, *tensor.shape[2:])
