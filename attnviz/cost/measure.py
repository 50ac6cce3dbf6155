"""How long attention takes on the machine at hand: run again and again, and only what was run is reported."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

import torch
from torch import Tensor

from attnviz.base import device as devices
from attnviz.base import memory
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.base.threads import one_thread
from attnviz.cost import forms
from attnviz.cost.exponent import Growth, growth
from attnviz.cost.quantiles import Spread, spread
from attnviz.cost.roofline import Form

WARM_UP = 3
"""Runs before the first that counts: memory is taken, kernels are chosen, clocks rise."""
SHARE_OF_MEMORY = 0.5
"""Of what is free, for one run: the rest is for everybody else."""
MOST_SECONDS = 4.0
"""For one run, as the sizes before it let expect: nobody can stop within one."""


@dataclass(frozen=True)
class Plan:
    """What is measured: the attention core of one layer, `items` = 1, `width` numbers over all heads, q, k and v at hand.

    sizes: numbers of tokens, in rising order. one_core: whether a CPU computes with one thread, which is
    steadier where others work, too. device: as torch names it, "" for the best there is.
    """

    forms: tuple[Form, ...] = ("fused", "plain")
    sizes: tuple[int, ...] = (100, 200, 400, 800, 1600)
    width: int = 256
    heads: int = 4
    window: int = 64
    repeats: int = 30
    one_core: bool = True
    device: str = ""

    @property
    def runs(self) -> int:
        """How many runs it is, warm-up included, where no size is left out."""
        return len(self.forms) * len(self.sizes) * (self.repeats + WARM_UP)


@dataclass
class Timed:
    """One form at one size: seconds of each run so far, in order; or why there are none (a marked message, its fields)."""

    form: Form
    n: int
    seconds: list[float] = field(default_factory=list)
    left_out: InputError | None = None

    def spread(self) -> Spread | None:
        """Median and quartiles; None without runs."""
        return spread(self.seconds) if self.seconds else None


class Measuring:
    """A measurement that goes on a run at a time; what was measured stays, wherever it is stopped."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.device = devices.choose(plan.device or None)
        self.precision = torch.float32 if self.device.type == "cpu" else torch.float16
        self.threads = 1 if plan.one_core else torch.get_num_threads()
        self.load = load()
        self.found: list[Timed] = []

    def run(self) -> Iterator[float]:
        """The share that is done, after every run."""
        done = 0
        for n in self.plan.sizes:
            for form in self.plan.forms:
                timed = Timed(form, n)
                self.found.append(timed)
                timed.left_out = self._reason(form, n)
                if timed.left_out is None:
                    for _run in self._runs(timed):
                        done += 1
                        yield done / self.plan.runs
                done = self._behind(timed)
                yield done / self.plan.runs

    def growth(self, form: Form) -> Growth | None:
        """The exponent that the medians of the finished sizes follow; None for fewer than three."""
        whole = [(timed.n, timed.spread()) for timed in self.of(form) if len(timed.seconds) == self.plan.repeats]
        known = [(n, found.median) for n, found in whole if found is not None]
        return growth([n for n, _second in known], [second for _n, second in known])

    def of(self, form: Form) -> list[Timed]:
        """All sizes of one form, with runs or left out."""
        return [timed for timed in self.found if timed.form == form]

    def _behind(self, timed: Timed) -> int:
        place = self.found.index(timed) + 1
        return place * (self.plan.repeats + WARM_UP)

    def _runs(self, timed: Timed) -> Iterator[None]:
        plan = self.plan
        generator = torch.Generator().manual_seed(0)
        shape = (1, plan.heads, timed.n, plan.width // plan.heads)
        q, k, v = (
            torch.randn(shape, generator=generator).to(self.device, self.precision) for _part in range(3)
        )  # fmt: skip
        attend = forms.of(timed.form, plan.window)
        for number in range(plan.repeats + WARM_UP):
            try:
                seconds = self._once(attend, q, k, v)
            except torch.OutOfMemoryError:
                timed.left_out = InputError(_m("the memory ran out"))
                return
            except RuntimeError as reason:
                timed.left_out = InputError(
                    _m("torch cannot do it here: {reason}"), reason=str(reason).splitlines()[0][:120]
                )
                return
            if number >= WARM_UP:
                timed.seconds.append(seconds)
            yield

    def _once(self, attend: Callable[[Tensor, Tensor, Tensor], Tensor], q: Tensor, k: Tensor, v: Tensor) -> float:
        # Within one step: a context that is open while others have their turn would be theirs, too.
        with torch.inference_mode(), one_thread() if self.plan.one_core else nullcontext():
            self._wait()
            started = time.perf_counter()
            attend(q, k, v)
            self._wait()
            return time.perf_counter() - started

    def _wait(self) -> None:
        """Until the device has done all that it was given: it answers before it has."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        elif self.device.type == "mps":
            torch.mps.synchronize()

    def _reason(self, form: Form, n: int) -> InputError | None:
        """Why this size is left out: memory first, then time."""
        plan = self.plan
        needed = forms.peak_bytes(form, n, plan.heads, plan.width, plan.window, self.precision.itemsize)
        free = memory.free_bytes(self.device)
        if free is not None and needed > free * SHARE_OF_MEMORY:
            return InputError(
                _m("it would take about {needed} of memory, and {free} are free"),
                needed=memory.amount(needed), free=memory.amount(free),
            )  # fmt: skip
        before = [timed for timed in self.of(form) if timed.seconds]
        if before and (last := before[-1].spread()) is not None:
            expected = last.median * (n / before[-1].n) ** (1 if form == "window" else 2)
            if expected > MOST_SECONDS:
                return InputError(
                    _m("one run would take about {seconds} s, in which nothing could be stopped"),
                    seconds=f"{expected:.0f}",
                )
        return None


def load() -> float | None:
    """How many programs wanted each core, on a mean over the last minute; above 1 they wait. None where it is not told."""
    if not hasattr(os, "getloadavg"):
        return None
    return os.getloadavg()[0] / (os.cpu_count() or 1)
