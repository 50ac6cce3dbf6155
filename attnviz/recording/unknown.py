"""What may be attention but is not recorded: it is said, not guessed."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.base.language import _m
from attnviz.recording.routing import recordings

SOFTMAX = _m("“{name}” was not recorded: it computes a softmax of its own, which may be attention written by hand.")


def _note(message: str) -> None:
    for recording in recordings():
        module = recording.running()
        if module is not None:
            recording.note(message, name=recording.modules.shown_name(module))


def _see_softmax(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Tensor) -> None:  # noqa: ARG001
    # A classifier or a router has one row of scores for each item or token: two dimensions.
    if output.ndim > 2 and _dimension(args, kwargs) in (-1, output.ndim - 1):
        _note(SOFTMAX)


def _dimension(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    dimension: int | None = kwargs.get("dim", args[1] if len(args) > 1 else None)
    return dimension


OBSERVERS = dict.fromkeys((F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax), _see_softmax)
