"""What chips can do at most: operations and bytes a second, from a table with its sources."""

import functools
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost.tables import read

TABLE = Path(__file__).parent / "chips.toml"

Rate = Annotated[float, Field(gt=0, lt=1e6)]
Words = Annotated[str, Field(min_length=1, max_length=200)]

_TOLERANCE = 1.005
"""Sheets round their figures: 170 for 170.4, 517 for 517.5."""


class Sheet(BaseModel, frozen=True, extra="forbid", strict=True, allow_inf_nan=False):
    """What a data sheet says that is not dense fp16, in 10¹² operations a second; None where it says nothing.

    Structured sparsity counts two operations for one that is done (half of the numbers are zero and skipped); INT8
    does two in the time of one in fp16, FP4 four.
    """

    sparse_fp16: Rate | None = None
    dense_int8: Rate | None = None
    sparse_int8: Rate | None = None
    sparse_fp4: Rate | None = None

    def dense_fp16(self) -> list[float]:
        """What each of the figures leaves for dense fp16."""
        parts = {"sparse_fp16": 2, "dense_int8": 2, "sparse_int8": 4, "sparse_fp4": 8}
        return [found / part for name, part in parts.items() if (found := getattr(self, name)) is not None]


class Chip(BaseModel, frozen=True, extra="forbid", strict=True, allow_inf_nan=False):
    """One chip: `tflops` in dense fp16 or bf16 (10¹² a second), `gigabytes` a second (10⁹), and who says so.

    derived: how the figure follows from others, empty where the source states it. proxy_for: chips that it stands in for.
    """

    name: Words
    tflops: Rate
    gigabytes: Rate
    source: Words
    derived: str = Field(default="", max_length=200)
    # A list is what TOML has; strict would refuse it for a tuple.
    proxy_for: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    sheet: Sheet = Sheet()

    @model_validator(mode="after")
    def _dense(self) -> "Chip":
        for most in self.sheet.dense_fp16():
            if self.tflops > most * _TOLERANCE:
                raise InputError(
                    _m(
                        "{name}: {found} TFLOP/s cannot be dense fp16: what its sheet says of sparse or smaller numbers leaves "
                        "{most} at most."
                    ),
                    name=self.name, found=f"{self.tflops:g}", most=f"{most:g}",
                )  # fmt: skip
        return self

    @property
    def ridge(self) -> float:
        """Operations for each byte from which on computing takes longer than fetching (the roofline's ridge point)."""
        return self.tflops * 1e12 / (self.gigabytes * 1e9)


@functools.cache
def chips() -> dict[str, Chip]:
    """The chips of the table that comes with attnviz."""
    return read(TABLE, Chip)
