"""A call of one of torch's functions, as those see it who follow attention written by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attnviz.recording.by_hand.axes import fresh
from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.by_hand.provenance import Mark
from attnviz.recording.recording import Recording

Args = tuple[Any, ...]


Kwargs = dict[str, Any]


@dataclass(frozen=True, eq=False, slots=True)
class Called:
    """One call of one of torch's functions, and the recording that looks at it."""

    hand: Hand
    recording: Recording
    func: Any
    args: Args
    kwargs: Kwargs
    output: Any


Step = Callable[[Called], None]


def mark(output: Tensor, kind: str) -> Mark:
    """A step on the way to additive scores."""
    return Mark(tuple(fresh(size) for size in output.shape), kind)


def dimensions(args: Args, kwargs: Kwargs, count: int) -> list[int]:
    """The dimensions that a sum or a maximum runs over, of so many."""
    given = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    if given is None:
        return list(range(count))
    return [place % count for place in ([given] if isinstance(given, int) else given)]
