"""How a seed becomes a question: all that can be asked are listed, and the seed says which."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

GOLDEN = (math.sqrt(5) - 1) / 2


def draw(seed: int, lesson: T, others: Callable[[], Sequence[T]]) -> T:
    """Seed 0 is the lesson's own question; the others come in strides, none twice before all were there.

    Without a random generator: the same seed asks the same on every machine, and neighbours differ.
    """
    if seed == 0:
        return lesson
    listed = others()
    return listed[seed * stride(len(listed)) % len(listed)]


def stride(count: int) -> int:
    """About 0.618 of the count and coprime to it, so that its multiples visit everything, far apart."""
    step = max(1, round(count * GOLDEN))
    while math.gcd(step, count) > 1:
        step += 1
    return step
