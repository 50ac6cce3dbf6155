"""The residual stream of a model as it ran: what came into each layer, what each part added, and what left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from attnviz.attention.summands import PartKind, Shares, Summand, shares
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.blocks.graph import Place
from attnviz.trace import Note


class Normalised(NamedTuple):
    """Where a step normalises: what its part reads, what its part gives, the sum; the latter two as in Gemma 2, BERT."""

    before: bool = False
    of_part: bool = False
    after: bool = False


@dataclass(frozen=True, eq=False)
class Part:
    """What one part adds to the stream.

    added: as it was added, before any normalisation of the sum. name: of the module that gave it. place: where in a
    run it is added; `follow(off=…)` takes it.
    """

    kind: PartKind
    name: str
    added: Float[Tensor, "n d"]
    place: Place


@dataclass(frozen=True, eq=False)
class Step:
    """One addition: left = normalised(came_in + parts); several parts where they read the same (GPT-NeoX).

    summands: what each is of `left`: carried, one for each part, and the bias of a normalisation of the sum.
    """

    came_in: Float[Tensor, "n d"]
    parts: tuple[Part, ...]
    left: Float[Tensor, "n d"]
    summands: tuple[Summand, ...]
    normalised: Normalised


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a stream.

    number: from 0 on, within its stream. name: of its module. stream: which of the model's streams, by the name of
    what its layers are in, such as "encoder.layer". summands: what passed on, each part, and biases, as they are in
    `left`: after all normalisations of the layer. error: the largest relative difference between their sum and
    `left`, over positions: ‖sum − left‖ / ‖left‖.
    """

    number: int
    name: str
    stream: str
    came_in: Float[Tensor, "n d"]
    left: Float[Tensor, "n d"]
    steps: tuple[Step, ...]
    summands: tuple[Summand, ...]
    error: float

    @property
    def bytes(self) -> int:
        """How much memory its vectors take."""
        vectors = [self.came_in, self.left, *(one.vector for one in self.summands)]
        for step in self.steps:
            vectors += [step.came_in, step.left, *(part.added for part in step.parts)]
            vectors += [one.vector for one in step.summands]
        return sum(vector.nbytes for vector in vectors)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Of all steps, in the order of their adding."""
        return tuple(part for step in self.steps for part in step.parts)

    def part(self, kind: PartKind) -> Part:
        """The first part of a kind. Raises `InputError` where the layer has none."""
        found = next((part for part in self.parts if part.kind == kind), None)
        if found is None:
            raise InputError(
                _m("Layer {layer} of “{stream}” has no part of this kind."), layer=self.number, stream=self.stream
            )
        return found

    def shares(self) -> Shares:
        """What each of the summands has to do with what leaves."""
        return shares(self.summands)


@dataclass(eq=False)
class Stream:
    """What `attnviz.follow` recorded; it fills while the model runs. The last run counts.

    positions: the places in the sequence that were followed; None for all. output: what the model itself gave, one
    row for each position where it has such rows. notes: what could not be followed, and why.
    """

    positions: tuple[int, ...] | None = None
    layers: list[Layer] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    output: Tensor | None = None

    def __iter__(self) -> Iterator[Layer]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, index: int) -> Layer:
        return self.layers[index]

    @property
    def names(self) -> tuple[str, ...]:
        """The streams, in the order of their running: a translator has one of its encoder and one of its decoder."""
        return tuple(dict.fromkeys(layer.stream for layer in self.layers))

    def of(self, stream: str) -> Sequence[Layer]:
        """The layers of one stream."""
        return [layer for layer in self.layers if layer.stream == stream]

    @property
    def error(self) -> float:
        """The largest relative difference between a sum of summands and what left a layer; 0 where nothing ran."""
        return max((layer.error for layer in self.layers), default=0.0)
