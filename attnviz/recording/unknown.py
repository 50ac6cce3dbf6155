"""What may be attention but is not recorded: it is said, not guessed."""

import sys
from typing import Any

from attnviz.base.language import _m
from attnviz.recording.routing import recordings

FLEX = _m("“{name}” was not recorded: it uses flex attention, whose scores any function may have changed.")


def _note(message: str) -> None:
    for recording in recordings():
        module = recording.running()
        if module is not None:
            recording.note(message, name=recording.modules.shown_name(module))


def _handle_flex(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _note(FLEX)
    return func(*args, **kwargs)


def watch_flex_attention(handlers: dict[Any, Any]) -> None:
    """Adds a handler for flex attention, once it is loaded; loading it takes seconds."""
    module = sys.modules.get("torch._higher_order_ops.flex_attention")
    if module is not None:
        handlers[module.flex_attention] = _handle_flex
