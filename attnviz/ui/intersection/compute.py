"""From an Intersection view to its numbers: Scenes, scene model, Trace, and what each road user does to the output."""

import functools
import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import Attention, by_hand, effects
from attnviz.attention.by_hand import Steps
from attnviz.base.language import _
from attnviz.models.typed_vectors import KeyValue, TypedVectors
from attnviz.scenes import Agent, Kind, Scenes, Traffic
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.street import EGO, KNOWN, Place


@dataclass(frozen=True, eq=False)
class Looked:
    """What the ego's query found, for all heads; `ids` and `labels` in the order of the keys."""

    attention: Attention
    steps: Steps
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    others: Float[Tensor, "heads m m"]
    """In row j the weights when road user j is gone and the others are renormalised."""
    without: Float[Tensor, "heads m"]
    """The output when this road user is gone."""
    valued: Float[Tensor, "heads m"]
    """The output when this road user's value is the one that is tried."""

    @property
    def weights(self) -> Float[Tensor, "heads m"]:
        return self.steps.weights[:, 0]

    @property
    def output(self) -> Float[Tensor, " heads"]:
        return self.steps.output[:, 0, 0]

    @property
    def contributions(self) -> Float[Tensor, "heads m"]:
        """weight · value"""
        return self.steps.contributions[:, 0, :, 0]

    def position(self, name: str) -> int | None:
        """Where this road user's key is; None where it has none."""
        return self.ids.index(name) if name in self.ids else None


def scenes(view: IntersectionView) -> Scenes:
    """Who is where, as the one table that every source makes."""
    return _scenes(view.traffic, view.ego, tuple((user.id, user.kind, user.place) for user in view.users))


# Kept while vectors change and nobody moves: a table takes longer to make than the weights themselves.
@functools.lru_cache(maxsize=64)
def _scenes(traffic: Traffic, ego: Place, others: tuple[tuple[str, Kind, Place], ...]) -> Scenes:
    agents = [_agent(EGO, "car", ego, is_ego=True), *(_agent(*other) for other in others)]
    return Scenes.of_moment(agents, traffic=traffic, origin="typed in")


def model(view: IntersectionView) -> TypedVectors:
    """The vectors that were typed in, as the model of this scene."""
    handed = {user.id: KeyValue(user.keys, user.values) for user in view.users}
    if view.own is not None:
        handed[EGO] = KeyValue(view.own.keys, view.own.values)
    labels = {user.id: user.label() for user in view.users} | {EGO: _(KNOWN["ego car"])}
    return TypedVectors(queries=view.queries, handed=handed, labels=labels)


def look(view: IntersectionView) -> Looked:
    """All numbers that the page shows. Raises `InputError` where nobody can be looked at."""
    attention = model(view).trace(scenes(view))[0]
    steps = by_hand.steps_of(attention)
    weights, logits, value = steps.weights[:, 0], steps.scaled[:, 0], steps.value
    tried = torch.tensor([view.value_if])
    valued = [effects.output_if(weights, value, position, tried) for position in range(weights.shape[-1])]
    return Looked(
        attention=attention,
        steps=steps,
        ids=tuple(str(name) for name in attention.key_tokens.ids or ()),
        labels=attention.key_tokens.texts,
        others=effects.weights_without(logits),
        without=effects.outputs_without(logits, value)[..., 0],
        valued=torch.stack(valued, -1)[:, 0],
    )


def _agent(name: str, kind: Kind, place: Place, *, is_ego: bool = False) -> Agent:
    return Agent(name, kind, place.x, place.y, math.radians(place.heading), is_ego=is_ego)
