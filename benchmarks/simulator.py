"""How many scenes are simulated and judged a second: many at once against one after the other."""

import time

import torch

from attnviz.base import threads
from attnviz.scenes.simulator.moments import moments
from benchmarks.report import Result

ROUNDS = 9
TOGETHER, ALONE = 4_000, 40


def measure() -> list[Result]:
    """In turns: a batch, and as many single scenes as take about as long."""
    with threads.one_thread():
        _seconds(TOGETHER, TOGETHER, 0)
        pairs = [
            (_seconds(TOGETHER, TOGETHER, turn) / TOGETHER, _seconds(ALONE, 1, turn) / ALONE)
            for turn in range(1, ROUNDS + 1)
        ]
    together = sorted(one for one, _other in pairs)[ROUNDS // 2]
    note = f"{1 / together:,.0f} scenes a second in batches of {TOGETHER:,}, one thread, in this run."
    values = tuple(other / one for one, other in pairs)
    return [
        Result("scenes simulated and judged in batches, against one by one", values, "× as many a second", None, note)
    ]


def _seconds(count: int, at_once: int, seed: int) -> float:
    """Draws, runs and looks at so many scenes with a vehicle near the way."""
    started = time.perf_counter()
    for first in range(0, count, at_once):
        moments(seed, torch.arange(first, first + at_once), near=True, hazard=0.5)
    return time.perf_counter() - started
