"""From a Playground view to its numbers."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import by_hand
from attnviz.attention.by_hand import Steps
from attnviz.ui.views.playground import PlaygroundView


class Worked(NamedTuple):
    """The steps of a view, and the projected output where the vectors are made from features."""

    steps: Steps
    projected: Float[Tensor, "n model"] | None


def work_out(view: PlaygroundView) -> Worked:
    """All numbers that the page shows. Raises `InputError` where they do not fit together."""
    query, key, value = _vectors(view)
    steps = by_hand.steps(
        query, key, value, heads=view.heads, scale=view.scale, temperature=view.temperature, causal=view.causal
    )
    if view.projection is None:
        return Worked(steps, None)
    return Worked(steps, steps.concatenated @ torch.tensor(view.projection.output))


def _vectors(view: PlaygroundView) -> tuple[Float[Tensor, "n d"], Float[Tensor, "m d"], Float[Tensor, "m dv"]]:
    if view.projection is None:
        return torch.tensor(view.query), torch.tensor(view.key), torch.tensor(view.value)
    features = torch.tensor(view.projection.features)
    made = (
        by_hand.project(features, torch.tensor(stack)).transpose(0, 1).flatten(1)
        for stack in (view.projection.query, view.projection.key, view.projection.value)
    )
    query, key, value = made
    return query, key, value
