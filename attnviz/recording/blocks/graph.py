"""What ran while a model was followed: calls of modules, one within the other, and which tensor came from which.

A node keeps no tensor. Only where two are added it keeps both, until the block around has ended: one may be what
the block passes on, the other what a part of it adds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor, nn

from attnviz.attention.normalising import Normalising

Move = Callable[[Tensor], Tensor]


class Place(NamedTuple):
    """Where in a run a tensor is added: in which call of which module, at which of its sums, on which side."""

    module: str
    call: int
    sum: int
    side: int


@dataclass(eq=False, slots=True)
class Sum:
    """left + factor · right, as it ran; empty once the block around it has ended."""

    operands: tuple[Tensor, ...]
    factor: float
    places: tuple[Place, Place]

    def added(self, side: int) -> Tensor:
        """What was added on this side, with its factor."""
        return self.operands[side] if side == 0 or self.factor == 1.0 else self.factor * self.operands[side]


@dataclass(eq=False, slots=True)
class Moved:
    """The same numbers elsewhere, or all times something that does not depend on them: a linear map of any summand."""

    move: Move


# What a node did to its (first) input, as far as summands can be followed through it.
Step = Sum | Moved | Normalising


@dataclass(eq=False, slots=True)
class Node:
    """One tensor: what it was made of, by which function, within which call."""

    number: int
    function: str
    inputs: tuple["Node | None", ...]
    call: "Call | None"
    step: Step | None = None

    @property
    def origins(self) -> Iterator["Node"]:
        """The inputs that are known."""
        return (node for node in self.inputs if node is not None)


@dataclass(eq=False)
class Call:
    """One call of a module.

    number: how many calls of the module in this run were before it. given: the tensors of vectors that it was given,
    with their nodes. first: the number of the first node made within it. sums: additions in it so far.
    attended: an attention ran within it. listed: it is one of several in a row (nn.ModuleList, nn.Sequential).
    """

    module: nn.Module
    name: str
    number: int
    parent: "Call | None"
    given: tuple[tuple[Tensor, Node], ...]
    first: int
    sums: int = 0
    attended: bool = False
    listed: bool = False

    def around(self) -> Iterator["Call"]:
        """The call itself and those that it is in, innermost first."""
        call: Call | None = self
        while call is not None:
            yield call
            call = call.parent

    def below(self, top: "Call | None") -> "Call":
        """The call around this one that `top` itself made; this one where `top` is not around it."""
        return next((call for call in self.around() if call.parent is top), self)
