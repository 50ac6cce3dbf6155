"""Modules that torch.compile has compiled: while they are recorded, they run uncompiled."""

from collections.abc import Callable, Iterable

import torch
from torch import nn

from attnviz.recording.routing import Shared


def is_compiled(module: nn.Module) -> bool:
    """Whether `torch.compile(module)` or `module.compile()` was called."""
    return type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None


def any_compiled(modules: Iterable[nn.Module]) -> bool:
    """Whether any of the modules is compiled."""
    return any(is_compiled(module) for module in modules)


def _run_uncompiled() -> Callable[[], None]:
    """Compiled code calls none of the functions that are watched. The stance is that of the whole process."""
    stance = torch.compiler.set_stance("force_eager")
    stance.__enter__()
    return lambda: stance.__exit__(None, None, None)


uncompiled = Shared(_run_uncompiled)
