"""Who is recording here, and changes to other libraries that are made once for all who record.

A patch is process-wide, a recording belongs to one thread: the patch asks here where to hand things in.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType

import torch

from attnviz.base.language import _m
from attnviz.recording.recording import Recording

_current: ContextVar[tuple[Recording, ...]] = ContextVar("attnviz_recordings", default=())


TRANSFORMED = _m("What ran within a transform of torch.func, such as vmap or grad, was not recorded.")


def recordings() -> tuple[Recording, ...]:
    """The recordings that are under way in this thread, outermost first; none within a transform of torch.func.

    What such a transform computes with are stand-ins, which hold no numbers of their own.
    """
    found = _current.get()
    if found and torch._C._functorch.peek_interpreter_stack() is not None:
        for recording in found:
            recording.note(TRANSFORMED)
        return ()
    return found


@contextmanager
def routed_to(recording: Recording) -> Iterator[None]:
    """Within the block, what runs in this thread is handed to this recording too."""
    _current.set((*_current.get(), recording))
    try:
        yield
    finally:
        # Not what it was before: blocks of generators may end in any order.
        _current.set(tuple(other for other in _current.get() if other is not recording))


class Shared:
    """A change made by the first who needs it and undone by the last, whichever thread that is."""

    def __init__(self, make: Callable[[], Callable[[], None]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._count = 0
        self._undo: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        with self._lock:
            if self._count == 0:
                self._undo = self._make()
            self._count += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                self._undo()
