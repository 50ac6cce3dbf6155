"""Modules that torch.compile has compiled: while they are recorded, they run uncompiled."""

from collections.abc import Callable

import torch

from attnviz.recording.routing import Shared


def _run_uncompiled() -> Callable[[], None]:
    """Compiled code calls none of the functions that are watched. The stance is that of the whole process."""
    stance = torch.compiler.set_stance("force_eager")
    stance.__enter__()
    return lambda: stance.__exit__(None, None, None)


uncompiled = Shared(_run_uncompiled)
