"""What was asked of a recording."""

from dataclasses import dataclass
from typing import Any, Literal

Generation = Literal["replay", "stitch"]


@dataclass(frozen=True)
class Options:
    """The arguments of `attnviz.capture`, which says what they mean."""

    values: bool = False
    tokenizer: Any = None
    offload: bool = False
    implicit: bool = False
    generation: Generation = "replay"
