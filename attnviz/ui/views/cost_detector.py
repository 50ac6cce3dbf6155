"""What the Cost page shows of detectors: which one, and what image it is given."""

from typing import Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost import detectors

LONGEST = (320, 480, 640, 960, 1280, 1920)
"""Pixels of the longer side of what the network is given."""


class Detector(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """family, scale: which network. width, height: of the camera's image. longest: of the longer side that it is scaled
    to; square: whether it is padded to a square."""

    family: str = Field(default="yolo26", max_length=20)
    scale: Literal["n", "s", "m", "l", "x"] = "n"
    width: int = Field(default=1920, ge=32, le=8192)
    height: int = Field(default=1080, ge=32, le=8192)
    longest: int = Field(default=640, ge=64, le=4096)
    square: bool = True

    @model_validator(mode="after")
    def _fits(self) -> "Detector":
        known = detectors.families()
        if self.family not in known:
            raise InputError(
                _m("No detector “{name}” is in the table; there are: {known}."),
                name=self.family, known=", ".join(known),
            )  # fmt: skip
        return self

    def given(self, stride: int = detectors.STRIDE) -> tuple[int, int]:
        """Pixels across and down of what the network is given."""
        return detectors.letterboxed(self.width, self.height, self.longest, square=self.square, stride=stride)
