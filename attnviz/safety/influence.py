"""What each object does to a decision: its weight, the decision without it, and whether it mattered in truth."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.models.turn.turn_model import Seen


@runtime_checkable
class Deciding(Protocol):
    """A model of scenes whose decision is the log-odds of a conflict; `attnviz.models.turn.turn_model.TurnModel` is one."""

    def log_odds(self, seen: Seen) -> Float[Tensor, " times"]:
        """At each moment."""
        ...

    def without_each(self, seen: Seen) -> Float[Tensor, "times tokens"]:
        """When one token is taken out; NaN for the ego and for who is not there."""
        ...

    def ego_weights(self, seen: Seen) -> Float[Tensor, "layers times heads tokens"]:
        """NaN for who is not there."""
        ...


@dataclass(frozen=True, eq=False)
class Influence:
    """One scene over some moments; NaN where an object is not there. ids: of the tokens, the ego first.

    log_odds: of a conflict. without: the same with one object taken away everywhere, for each object. weights: with
    which the ego looks at each token.
    """

    ids: tuple[str, ...]
    log_odds: Float[Tensor, " times"]
    without: Float[Tensor, "times tokens"]
    weights: Float[Tensor, "layers times heads tokens"]

    @property
    def probability(self) -> Float[Tensor, " times"]:
        """Of a conflict."""
        return self.log_odds.sigmoid()

    @property
    def effect(self) -> Float[Tensor, "times tokens"]:
        """How much an object adds to the log-odds: with it less without it."""
        return self.log_odds[:, None] - self.without

    def flips(self, threshold: float) -> Bool[Tensor, "times tokens"]:
        """Whether the decision at this probability is another one without the object."""
        return self.without.isfinite() & (
            (self.without.sigmoid() >= threshold) != (self.probability >= threshold)[:, None]
        )


def influence(model: Deciding, seen: Seen) -> Influence:
    """What each object does to the model's decision. The object is taken away, so that nobody sees it."""
    return Influence(seen.ids, model.log_odds(seen), model.without_each(seen), model.ego_weights(seen))


@dataclass(frozen=True)
class Octant:
    """Three questions about an object: did it matter in truth, to the decision, and does the ego look at it?"""

    relevant: bool
    effect: bool
    weight: bool


OCTANTS = tuple(Octant(bool(n & 4), bool(n & 2), bool(n & 1)) for n in range(8))


def octants(
    relevant: Bool[Tensor, "*any"],
    effect: Float[Tensor, "*any"],
    weight: Float[Tensor, "*any"],
    *,
    least_effect: float,
    least_weight: float,
) -> dict[Octant, Bool[Tensor, "*any"]]:
    """Which objects are in which octant; least_effect in log-odds, either way. NaN is in none.

    "Relevant, no effect" is the danger whatever the weight; "no weight, but effect" shows that a weight is not a
    reason.
    """
    there = effect.isfinite() & weight.isfinite()
    has_effect, has_weight = effect.abs() >= least_effect, weight >= least_weight
    return {
        one: there & (relevant == one.relevant) & (has_effect == one.effect) & (has_weight == one.weight)
        for one in OCTANTS
    }
