"""Modules that torch.compile has compiled: while they are recorded, they run uncompiled."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import Any

import torch
from torch import nn

from attnviz.base.language import _m
from attnviz.recording.routing import Shared, recordings

COMPILED = _m(
    "The model is compiled; while it was recorded it ran uncompiled, so its output may differ in the last digits."
)


def _run_uncompiled() -> Callable[[], None]:
    """Compiled code calls none of the functions that are watched. The stance is that of the whole process."""
    from torch._dynamo import eval_frame

    before = eval_frame._stance
    stance = torch.compiler.set_stance("force_eager")
    stance.__enter__()

    def undo() -> None:
        if eval_frame._stance is stance.stance:
            stance.__exit__(None, None, None)
        else:
            # Somebody set another one meanwhile, which stays. If he goes back to ours, he finds what was before it.
            vars(stance.stance).update(vars(before))

    return undo


uncompiled = Shared(_run_uncompiled)


class Uncompiled:
    """Holds the stance for one block, from when the compiler is there: loading it takes seconds, so it may come late."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._held = False

    def look(self) -> None:
        """Takes the stance if something may be compiled and it is not held yet."""
        if not self._held and "torch._dynamo" in sys.modules:
            self.take()

    def take(self) -> None:
        """Takes the stance."""
        if not self._held:
            self._held = True
            self._stack.enter_context(uncompiled)

    def release(self) -> None:
        """Gives it back."""
        self._stack.close()
        self._held = False


def _see_compile() -> Callable[[], None]:
    """What is compiled within a block must not be entered before the stance is taken."""
    original = torch.compile

    @wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        target = args[0] if args else kwargs.get("model")
        module = target if isinstance(target, nn.Module) else getattr(target, "__self__", None)
        for recording in recordings():
            recording.state(Uncompiled).take()
            if isinstance(module, nn.Module) and module in recording.modules:
                recording.note(COMPILED)
        return made

    torch.compile = compile

    def undo() -> None:
        # Whoever wrapped ours meanwhile keeps it; it hands everything through.
        if torch.compile is compile:
            torch.compile = original

    return undo


compiling = Shared(_see_compile)
