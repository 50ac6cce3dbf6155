"""How many threads torch computes with, for a while."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_lock = threading.Lock()
_inside = 0
_before = 0


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread within the block: on small matrices several wait for one another more than they compute.

    The number is the process's, so the first one in remembers it and the last one out puts it back.
    """
    global _inside, _before
    with _lock:
        if not _inside:
            _before = torch.get_num_threads()
        _inside += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                torch.set_num_threads(_before)
