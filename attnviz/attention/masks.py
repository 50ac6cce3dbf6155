"""Which keys each query may see, kept as a rule: a tile of it is worked out when it is asked for.

Rules are joined with `&`: a pair is allowed where every rule allows it. Queries i and keys j are counted from 0.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.attention.tiles import tile_of
from attnviz.base.errors import InputError
from attnviz.base.language import _m


class Mask(ABC):
    """A rule that says which (query, key) pairs are allowed."""

    @abstractmethod
    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """The allowed pairs of some queries and keys; h is 1 where the rule is the same for all heads."""

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:  # noqa: ARG002  a rule may ignore them
        """A half-open range of keys outside of which queries first … last see nothing."""
        return 0, keys

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:  # noqa: B027  most rules fit any size
        """Raises `InputError` where the rule was made for other sizes than these."""

    def on(self, device: torch.device) -> "Mask":  # noqa: ARG002  rules without tensors are the same everywhere
        """The same rule with its tensors on this device."""
        return self

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The rule as plain values, without its tensors."""

    def on_file(self) -> "Mask":
        """The same rule as it can be written. Raises `InputError` where that would be too large."""
        return self

    def tensors(self) -> dict[str, Tensor]:
        """The tensors that the rule keeps, under the names that `mask_from_json` finds them by."""
        return {}

    def __and__(self, other: "Mask") -> "Mask":
        return All((*_rules(self), *_rules(other)))


@dataclass(frozen=True)
class Causal(Mask):
    """Key j is allowed for query i where j ≤ i + offset.

    Offset 0 aligns the upper left corners, as `is_causal=True` of PyTorch does. For n new queries
    after a cache, m keys in all, the right offset is m − n: the lower right corners meet.
    """

    offset: int = 0

    def allowed(
        self,
        item: int,  # noqa: ARG002  the same for all items
        rows: Int[Tensor, " n"],
        cols: Int[Tensor, " m"],
        head: int | None = None,  # noqa: ARG002  and all heads
    ) -> Bool[Tensor, "h n m"]:
        """j ≤ i + offset."""
        return (cols <= (rows + self.offset)[:, None])[None]

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:  # noqa: ARG002  any rows
        """Keys up to the last query's own."""
        return 0, min(keys, last + self.offset + 1)

    def to_json(self) -> dict[str, Any]:
        """The rule as plain values."""
        return {"rule": "causal", "offset": self.offset}


@dataclass(frozen=True)
class Window(Mask):
    """Key j is allowed for query i where i + offset − left ≤ j ≤ i + offset + right; None is without end.

    Mistral's window of W keys, the query's own among them, is `Window(W - 1, 0)`.
    """

    left: int | None
    right: int | None
    offset: int = 0

    def allowed(
        self,
        item: int,  # noqa: ARG002  the same for all items
        rows: Int[Tensor, " n"],
        cols: Int[Tensor, " m"],
        head: int | None = None,  # noqa: ARG002  and all heads
    ) -> Bool[Tensor, "h n m"]:
        """i + offset − left ≤ j ≤ i + offset + right."""
        distance = cols - (rows + self.offset)[:, None]
        inside = torch.ones_like(distance, dtype=torch.bool)
        if self.left is not None:
            inside &= distance >= -self.left
        if self.right is not None:
            inside &= distance <= self.right
        return inside[None]

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:  # noqa: ARG002  the same for all
        """From the first query's left end to the last query's right end."""
        start = 0 if self.left is None else max(0, first + self.offset - self.left)
        stop = keys if self.right is None else min(keys, last + self.offset + self.right + 1)
        return start, stop

    def to_json(self) -> dict[str, Any]:
        """The rule as plain values."""
        return {"rule": "window", "left": self.left, "right": self.right, "offset": self.offset}


@dataclass(frozen=True)
class Lengths(Mask):
    """The keys start ≤ j < stop of each item exist; the others are padding, on the left or on the right.

    One entry stands for every item.
    """

    starts: tuple[int, ...]
    stops: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.starts) != len(self.stops) or not self.starts:
            raise InputError(
                _m(
                    "A padding mask needs as many starts as stops, and at least one; their numbers are {starts} and {stops}."
                ),
                starts=len(self.starts),
                stops=len(self.stops),
            )

    def _range(self, item: int) -> tuple[int, int]:
        index = item if len(self.starts) > 1 else 0
        return self.starts[index], self.stops[index]

    def allowed(
        self,
        item: int,
        rows: Int[Tensor, " n"],
        cols: Int[Tensor, " m"],
        head: int | None = None,  # noqa: ARG002  the same for all heads
    ) -> Bool[Tensor, "h n m"]:
        """Start ≤ j < stop."""
        start, stop = self._range(item)
        return ((cols >= start) & (cols < stop)).expand(1, len(rows), len(cols))

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:  # noqa: ARG002  any rows
        """The keys that exist."""
        start, stop = self._range(item)
        return max(0, start), min(keys, stop)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:  # noqa: ARG002  only items matter
        """One range, or one for each item."""
        if len(self.starts) not in (1, items):
            raise InputError(
                _m(
                    "The number of items of the padding mask, {found}, is not the number of items of the queries, {expected}."
                ),
                found=len(self.starts),
                expected=items,
            )

    def to_json(self) -> dict[str, Any]:
        """The rule as plain values."""
        return {"rule": "lengths", "starts": list(self.starts), "stops": list(self.stops)}


@dataclass(frozen=True, eq=False)
class Dense(Mask):
    """Any set of pairs, one truth value each; a dimension of size 1 is the same for all."""

    pairs: Bool[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"]

    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """The pairs as they are kept."""
        return tile_of(self.pairs, item, head, rows, cols).expand(-1, len(rows), len(cols))

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """Every dimension is 1 or as large as the scores."""
        fits = (items, heads, queries, keys)
        if any(found not in (1, expected) for found, expected in zip(self.pairs.shape, fits, strict=True)):
            raise InputError(
                _m(
                    "The mask has shape {found}; items, heads, queries and keys are {expected}, and each may also be 1."
                ),
                found=tuple(self.pairs.shape),
                expected=fits,
            )

    def on(self, device: torch.device) -> "Dense":
        """The same pairs on this device."""
        return self if self.pairs.device == device else Dense(self.pairs.to(device))

    def to_json(self) -> dict[str, Any]:
        """The rule without its tensor."""
        return {"rule": "dense"}

    def tensors(self) -> dict[str, Tensor]:
        """The pairs, under the name "allowed"."""
        return {"allowed": self.pairs}


@dataclass(frozen=True, eq=False)
class All(Mask):
    """Allowed where every one of these rules allows it: what `&` makes."""

    rules: tuple[Mask, ...]

    def __post_init__(self) -> None:
        if not self.rules:
            raise ValueError("a mask needs at least one rule")

    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """The pairs that every rule allows."""
        first, *others = (rule.allowed(item, rows, cols, head) for rule in self.rules)
        for other in others:
            first = first & other
        return first

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
        """What lies within the reach of every rule."""
        ranges = [rule.reach(item, first, last, keys) for rule in self.rules]
        return max(start for start, _ in ranges), min(stop for _, stop in ranges)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """Every rule fits."""
        for rule in self.rules:
            rule.check(items, heads, queries, keys)

    def on(self, device: torch.device) -> "All":
        """The same rules on this device."""
        return All(tuple(rule.on(device) for rule in self.rules))

    def on_file(self) -> "All":
        """The same rules as they can be written."""
        return All(tuple(rule.on_file() for rule in self.rules))

    def to_json(self) -> dict[str, Any]:
        """The rules in their order."""
        return {"rule": "all", "rules": [rule.to_json() for rule in self.rules]}

    def tensors(self) -> dict[str, Tensor]:
        """The tensors of every rule, with its number before their names."""
        return {
            f"{number}.{name}": tensor
            for number, rule in enumerate(self.rules)
            for name, tensor in rule.tensors().items()
        }


def _rules(mask: Mask) -> tuple[Mask, ...]:
    return mask.rules if isinstance(mask, All) else (mask,)
