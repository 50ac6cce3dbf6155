"""How a measurement is told: as median and quartiles, and whether the bound was kept."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One figure; `bound` is the most that it should be."""

    name: str
    values: tuple[float, ...]
    unit: str
    bound: float | None
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def __str__(self) -> str:
        line = f"{self.name}: {self.median:.3g} {self.unit}"
        if len(self.values) > 1:
            low, _middle, high = statistics.quantiles(self.values, n=4)
            line += f" (quartiles {low:.3g} – {high:.3g}, n = {len(self.values)})"
        if self.bound is not None:
            line += f"; at most {self.bound:g} wanted: {'kept' if self.median <= self.bound else 'MISSED'}"
        return f"{line}. {self.note}".rstrip()


def ratios(measured: Sequence[float], compared_with: Sequence[float]) -> tuple[float, ...]:
    """Each pair's ratio: pairs that were measured one right after the other share the machine's mood."""
    return tuple(one / other for one, other in zip(measured, compared_with, strict=True))
