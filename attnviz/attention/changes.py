"""What changed between two runs: a vector in direction and length, and what would be chosen."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.summands import cosine


@dataclass(frozen=True, eq=False)
class Change:
    """From vectors before to vectors after, at each position.

    cosine: between both, 1 where the direction stayed. length: ‖after‖ / ‖before‖. distance: ‖after − before‖ /
    ‖before‖. NaN where a vector to divide by is zero.
    """

    cosine: Float[Tensor, " n"]
    length: Float[Tensor, " n"]
    distance: Float[Tensor, " n"]


def change(before: Float[Tensor, "n d"], after: Float[Tensor, "n d"]) -> Change:
    """What changed, in float64."""
    before, after = before.double(), after.double()
    size = before.norm(dim=-1)
    return Change(cosine(before, after), after.norm(dim=-1) / size, (after - before).norm(dim=-1) / size)


@dataclass(frozen=True)
class Choice:
    """The likeliest of several, before and after, and how likely either was each time."""

    before: int
    after: int
    probability_before: float
    probability_after: float
    new_before: float
    new_after: float

    @property
    def flips(self) -> bool:
        """Whether something else is chosen."""
        return self.before != self.after


def choice(before: Float[Tensor, " choices"], after: Float[Tensor, " choices"]) -> Choice:
    """What logits choose: probability_ are those of what was chosen before, new_ of what is chosen after."""
    first, second = torch.softmax(before.double(), 0), torch.softmax(after.double(), 0)
    was, now = int(first.argmax()), int(second.argmax())
    return Choice(was, now, float(first[was]), float(second[was]), float(first[now]), float(second[now]))
