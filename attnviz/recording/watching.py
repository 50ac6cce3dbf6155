"""Watching torch's functions: which families look at which function, and which module is running.

A `TorchFunctionMode` sees every call of a public torch function in its thread; PyTorch's fast paths for
nn.MultiheadAttention and nn.TransformerEncoder switch themselves off under one.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording import (
    big_bird,
    by_hand,
    deformable,
    dispatching,
    enclosed,
    flex,
    longformer,
    multi_head,
    scaled_dot_product,
)
from attnviz.recording.by_hand.observers import FAILED
from attnviz.recording.compiled import COMPILED, Uncompiled
from attnviz.recording.recording import Recording
from attnviz.recording.routing import Shared, recordings
from attnviz.recording.windows import watch as windows

Handler = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
Observer = Callable[[Any, tuple[Any, ...], dict[str, Any], Any], None]
AtBegin = Callable[[Recording, nn.Module, tuple[Any, ...]], None]
AtEnd = Callable[[Recording, nn.Module, Any], None]

# A handler runs the function itself; there is one for each function at most.
HANDLERS: dict[Any, Handler] = {**scaled_dot_product.HANDLERS, **multi_head.HANDLERS}

# Observers are told afterwards what a function was given and gave; a function may have several.
OBSERVERS: dict[Any, tuple[Observer, ...]] = {}

# Who wants to know that a module has started, and with what arguments; that it has ended, and with what output.
AT_BEGIN: tuple[AtBegin, ...] = (windows.begin, enclosed.beginning_with(longformer.enclose, big_bird.enclose))
AT_END: tuple[AtEnd, ...] = (by_hand.at_end, windows.end, enclosed.end)


def _observe(observers: Mapping[Any, Observer]) -> None:
    for func, observer in observers.items():
        OBSERVERS[func] = (*OBSERVERS.get(func, ()), observer)


def _goes_on(observer: Observer) -> Observer:
    """The same, but whatever happens in it, the model goes on, and a note says what may be missing."""

    def observe(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        try:
            observer(func, args, kwargs, output)
        except InputError:
            raise
        except Exception:
            for recording in recordings():
                module = recording.running()
                if module is not None:
                    recording.note(FAILED, name=recording.modules.shown_name(module))

    return observe


_observe(by_hand.OBSERVERS)
for family in (windows, deformable, longformer, big_bird):
    _observe({func: _goes_on(observer) for func, observer in family.OBSERVERS.items()})

NESTED = _m("“{name}” was not recorded: it was given a nested tensor, which PyTorch takes on a closed path only.")

_NEED_THE_CLOSED_PATH = (nn.TransformerEncoder, nn.TransformerEncoderLayer, nn.MultiheadAttention)


class _Watch(TorchFunctionMode):
    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        handler = HANDLERS.get(func)
        if handler is not None:
            output = handler(func, args, kwargs or {})
        else:
            output = func(*args, **kwargs) if kwargs else func(*args)
        for observer in OBSERVERS.get(func, ()):
            observer(func, args, kwargs or {}, output)
        if isinstance(output, Tensor | tuple) and func not in by_hand.OBSERVERS:
            by_hand.ANY_OTHER(func, args, kwargs or {}, output)
        return output


@contextmanager
def watching() -> Iterator[None]:
    """Within the block, the calls in this thread go to the families' handlers."""
    with ExitStack() as stack:
        stack.enter_context(_MODULES)
        flex.watch(HANDLERS)
        modes = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]  # PyTorch left it so
        if not any(isinstance(mode, _Watch) for mode in modes):
            stack.enter_context(_Watch())
        yield


def _follow_modules() -> Callable[[], None]:
    hooks = [
        register_module_forward_pre_hook(_before),
        register_module_forward_hook(_after, always_call=True),
    ]

    def undo() -> None:
        for hook in hooks:
            hook.remove()

    return undo


_MODULES = Shared(_follow_modules)


def _before(module: nn.Module, args: tuple[Any, ...]) -> None:
    for recording in recordings():
        # Without the compiler nothing is compiled; once it is there, any function within the model may be.
        recording.state(Uncompiled).look()
        if type(module).__name__ == "OptimizedModule":
            recording.note(COMPILED)
        guard = None
        if isinstance(module, _NEED_THE_CLOSED_PATH) and args and isinstance(args[0], Tensor) and args[0].is_nested:
            if module in recording.modules and not recording.is_guarded():
                recording.note(NESTED, name=recording.modules.shown_name(module))
            guard = torch._C.DisableTorchFunction()
            guard.__enter__()
        elif dispatching.is_closed(module) and not dispatching.is_watched():
            guard = dispatching.Operators(module)
            guard.__enter__()  # type: ignore[no-untyped-call]  # PyTorch left it so
        recording.begin(module, guard)
        for at_begin in AT_BEGIN:
            at_begin(recording, module, args)


def _after(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:  # noqa: ARG001  the hook's signature
    for recording in recordings():
        for at_end in AT_END:
            at_end(recording, module, output)
        recording.end(module)
