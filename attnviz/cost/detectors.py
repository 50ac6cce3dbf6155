"""Where convolutional detectors place attention, over how many tokens, and which share of the network it is."""

import functools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost.tables import read

TABLE = Path(__file__).parent / "detectors.toml"
SIDE = 640
"""Pixels of the square image at which the table was counted."""
STRIDE = 32
"""Pixels to a token on each side, where attention stands; 64 in the variants for large images that are called p6."""
WIDE_STRIDE = 64
KEY_WIDTH, VALUE_WIDTH = 32, 64
"""Numbers of a query and a key, and of a value, in one head."""

Count = Annotated[int, Field(gt=0)]


class Scale(BaseModel, frozen=True, extra="forbid", strict=True):
    """One size of a detector, counted at 640 × 640. calls: softmaxes over positions in one pass.

    attention: with its projections; block: with the feed-forward layer behind it; core: q kᵀ and weights × values.
    """

    heads: Count
    calls: Count
    parameters: Count
    attention_parameters: Count
    block_parameters: Count
    operations: Count
    attention_operations: Count
    block_operations: Count
    core_operations: Count

    @model_validator(mode="after")
    def _nested(self) -> "Scale":
        if not (
            self.attention_parameters <= self.block_parameters <= self.parameters
            and self.core_operations <= self.attention_operations <= self.block_operations <= self.operations
        ):
            raise InputError(_m("A part of a detector cannot be more than the whole."))
        return self

    @property
    def width(self) -> int:
        """Channels that go through attention: half of what the layer has."""
        return self.heads * VALUE_WIDTH


Kind = Annotated[str, Field(min_length=1, max_length=20)]
Numbers = Annotated[tuple[int, ...], Field(strict=False)]


class Family(BaseModel, frozen=True, extra="forbid", strict=True):
    """A family of detectors: its layers (kind, strides of what comes out, earlier layers that come in), which of them
    hold attention, and its sizes by their letters."""

    name: str = Field(min_length=1, max_length=40)
    attention: Numbers
    layers: Annotated[
        tuple[Annotated[tuple[Kind, Numbers, Numbers], Field(strict=False)], ...], Field(strict=False, min_length=1)
    ]
    scales: Annotated[dict[str, Scale], Field(min_length=1)]


@dataclass(frozen=True)
class Shares:
    """Parts of a network's parameters, and of its operations at one input size, from 0 to 1."""

    attention_parameters: float
    block_parameters: float
    operations: int
    attention: float
    block: float
    core: float


@functools.cache
def families() -> dict[str, Family]:
    """The families of the table that comes with attnviz."""
    return read(TABLE, Family)


def letterboxed(width: int, height: int, longest: int, *, square: bool, stride: int = STRIDE) -> tuple[int, int]:
    """Pixels across and down of what the network is given: the image scaled until its longer side is `longest`, and
    padded to the next multiple of the stride; all the way to a square, if asked for.

    1920 × 1080 at 640 becomes 640 × 384: 360 rows and 24 of padding. That is what ultralytics' predict does with
    weights of torch; training, validation and most exports pad to the square.
    """
    side = _up(longest, stride)
    if square:
        return side, side
    scale = min(side / width, side / height)
    return _up(round(width * scale), stride), _up(round(height * scale), stride)


def tokens(width: int, height: int, stride: int = STRIDE) -> int:
    """Positions that attention sees in an image of so many pixels across and down."""
    return (width // stride) * (height // stride)


def shares(scale: Scale, width: int, height: int) -> Shares:
    """How much of a detector is attention at this input size.

    Convolutions and projections grow with the pixels, the core with their square.
    """
    times = (width * height) / (SIDE * SIDE)

    def at(operations: int, core: int) -> float:
        return (operations - core) * times + core * times * times

    whole, core = at(scale.operations, scale.core_operations), at(scale.core_operations, scale.core_operations)
    return Shares(
        attention_parameters=scale.attention_parameters / scale.parameters,
        block_parameters=scale.block_parameters / scale.parameters,
        operations=round(whole),
        attention=at(scale.attention_operations, scale.core_operations) / whole,
        block=at(scale.block_operations, scale.core_operations) / whole,
        core=core / whole,
    )


def _up(number: int, stride: int) -> int:
    return max(math.ceil(number / stride), 1) * stride
