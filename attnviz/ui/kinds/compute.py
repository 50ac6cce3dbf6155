"""From a view to what each of the two kinds makes of the same queries, keys and values."""

import functools
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention import kinds
from attnviz.attention.kinds import Kind, Outcome, Settings
from attnviz.base.language import _
from attnviz.figures.tile import Tile, cut
from attnviz.ui.kinds.sources import Looked, look
from attnviz.ui.views.kinds import KindsView


@dataclass(frozen=True, eq=False)
class Side:
    """One kind and what it made. head, query: which of its heads and rows are looked at; None where it has no such."""

    kind: Kind
    outcome: Outcome
    labels: tuple[str, ...]
    key_labels: tuple[str, ...]
    head: int
    query: int

    @property
    def name(self) -> str:
        """What it is called, in the current language."""
        return _(self.kind.name)

    @functools.cached_property
    def tile(self) -> Tile | None:
        """All weights of the head; None where there are none between positions."""
        attention = self.outcome.attention
        if attention is None:
            return None
        found = cut(attention, head=min(self.head, attention.heads - 1))
        if self.outcome.points is None:
            return found
        # What lies around none of the points is not read at all; each head has points of its own.
        read = found.weights != 0
        return replace(found, allowed=read, counts=read.sum(1))

    @property
    def weights(self) -> Float[Tensor, " m"] | None:
        """The weights of the query."""
        return None if self.tile is None else torch.from_numpy(self.tile.weights[self.query].copy()).float()

    @property
    def allowed(self) -> Bool[Tensor, " m"]:
        """The keys that the query may look at."""
        if self.tile is None:
            return self.outcome.live[self.query]
        return torch.from_numpy(self.tile.allowed[self.query].copy())

    @property
    def is_signed(self) -> bool:
        """Whether some weights are below zero."""
        return self.tile is not None and bool((self.tile.weights < 0).any())

    @property
    def baseline(self) -> float | None:
        """An even share; None where the weights are no softmax."""
        if self.tile is None:
            return None
        found = self.tile.uniform(self.query)
        return found if found == found else None

    @property
    def output(self) -> Float[Tensor, " dv"] | None:
        """What the query gets from this head; None where the output is no row of a head."""
        output = self.outcome.output
        if output.ndim != 3 or self.query >= output.shape[1]:
            return None
        return output[min(self.head, output.shape[0] - 1), self.query]


@dataclass(frozen=True, eq=False)
class Both:
    """The two kinds on the same vectors."""

    looked: Looked
    left: Side
    right: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.left, self.right

    @property
    def same_keys(self) -> bool:
        """Whether weights of the two can be compared key by key."""
        return (
            self.left.tile is not None and self.right.tile is not None and self.left.key_labels == self.right.key_labels
        )


def both(view: KindsView) -> Both:
    """Everything that is drawn side by side. Raises `InputError`."""
    looked = look(view)
    return Both(looked, side(view, looked, view.left), side(view, looked, view.right))


def side(view: KindsView, looked: Looked, name: str) -> Side:
    """One kind. Raises `InputError`."""
    outcome = _run(name, looked, view.settings())
    keys = looked.labels
    if outcome.attention is not None:
        found = outcome.attention.key_tokens.labels()
        keys = found if len(found) != len(keys) or name == "cross" else keys
    query = min(view.query, looked.tokens - 1)
    return Side(kinds.kind(name), outcome, looked.labels, keys, view.head, query)


@functools.lru_cache(maxsize=64)
def _run(name: str, looked: Looked, settings: Settings) -> Outcome:
    with torch.no_grad():
        return kinds.kind(name).run(looked.inputs, settings)
