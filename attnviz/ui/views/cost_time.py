"""What the Cost page shows of time: a chip and its frame budget, and what is measured on this machine."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost.chips import chips
from attnviz.cost.measure import Plan
from attnviz.cost.roofline import Core, Form

RATES = (10, 20, 30)
"""Frames a second."""
SHARES = (1, 2, 5, 10, 20, 50, 100)
"""Per cent of a frame."""
WIDTHS = (64, 128, 256, 384, 512, 768, 1024)
HEADS = (1, 2, 4, 8, 16)
WINDOWS = (8, 16, 32, 64, 128, 256)
ENDS = (6_400, 25_600, 102_400, 409_600)
"""Tokens at the end of the axis."""
SIZES = (100, 200, 400, 800, 1600, 3200, 6400, 12_800)
"""Tokens that can be measured."""
REPEATS = (10, 30, 59, 299)
"""Runs for each size: 59 bound the 95th of a hundred, 299 the 99th."""


class TimeBudget(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """rate: frames a second, share: per cent of a frame that attention may take, in all of its layers together.

    width, heads, form, window: of one layer. end: tokens at the end of the axis. measured, upto, repeats, one_core: which
    forms are measured here, up to how many tokens, how often, and whether with one thread.
    """

    chip: str = Field(default="orin", max_length=40)
    rate: Literal[10, 20, 30] = 10
    share: int = Field(default=5, ge=1, le=100)
    layers: int = Field(default=6, ge=1, le=200)
    width: int = Field(default=256, ge=1, le=8192)
    heads: int = Field(default=4, ge=1, le=128)
    form: Form = "fused"
    window: int = Field(default=64, ge=1, le=4096)
    end: int = Field(default=25_600, ge=1_000, le=1_000_000)
    measured: Annotated[tuple[Form, ...], Field(min_length=1, max_length=3)] = ("fused", "plain")
    upto: int = Field(default=1600, ge=SIZES[2], le=SIZES[-1])
    repeats: int = Field(default=30, ge=5, le=1000)
    one_core: bool = True

    @model_validator(mode="after")
    def _fits(self) -> "TimeBudget":
        if self.chip not in chips():
            raise InputError(
                _m("No chip “{name}” is in the table; there are: {known}."), name=self.chip, known=", ".join(chips())
            )
        if self.width % self.heads:
            raise InputError(
                _m("{width} numbers cannot be divided among {heads} heads."), width=self.width, heads=self.heads
            )
        if len(set(self.measured)) < len(self.measured):
            raise InputError(_m("A form of attention is named twice where one was expected."))
        return self

    @property
    def milliseconds(self) -> float:
        """What one layer may take: a frame's time times the share, over the layers."""
        return 1000.0 / self.rate * self.share / 100 / self.layers

    def core(self, form: Form | None = None) -> Core:
        """One layer in this form, or in the one that is chosen."""
        return Core(self.width, self.heads, form or self.form, self.window)

    def plan(self) -> Plan:
        """What pressing Measure measures."""
        return Plan(
            forms=tuple(form for form in ("fused", "plain", "window") if form in self.measured),
            sizes=tuple(n for n in SIZES if n <= self.upto),
            width=self.width, heads=self.heads, window=self.window, repeats=self.repeats, one_core=self.one_core,
        )  # fmt: skip
