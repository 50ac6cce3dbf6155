"""What may be attention but is not recorded: it is said, not guessed."""

import sys
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.base.language import _m
from attnviz.recording.routing import recordings

SOFTMAX = _m("“{name}” was not recorded: it computes a softmax of its own, which may be attention written by hand.")


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


def _see_softmax(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Tensor) -> None:  # noqa: ARG001
    # A classifier or a router has one row of scores for each item or token: two dimensions.
    if output.ndim > 2 and _dimension(args, kwargs) in (-1, output.ndim - 1):
        _note(SOFTMAX)


def _dimension(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    dimension: int | None = kwargs.get("dim", args[1] if len(args) > 1 else None)
    return dimension


OBSERVERS = dict.fromkeys((F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax), _see_softmax)
