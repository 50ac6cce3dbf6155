"""Families whose module is recorded as a whole: what happens inside is put together by the family alone.

Longformer and BigBird multiply bands and blocks, and no single product is the attention. Their projections are
modules of their own, so what these gave is seen when they end.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings
from attnviz.recording.tensors import kept


class Enclosed(ABC):
    """One run of such a module, from its start to its end. projections: what the modules right within it gave."""

    def __init__(self, recording: Recording, module: nn.Module) -> None:
        self.recording, self.module = recording, module
        self.projections: dict[str, Tensor] = {}

    def projected(self, child: nn.Module, output: Any) -> None:
        """A module within has ended."""
        for name, one in self.module.named_children():
            if one is child and isinstance(output, Tensor):
                self.projections[name] = kept(output)

    def saw(self, func: Any, args: tuple[Any, ...]) -> None:  # noqa: B027  most need no more than projections
        """A function has run within that the family is told of."""

    @abstractmethod
    def ended(self, output: Any) -> None:
        """The module has ended with this output."""


Maker = Callable[[Recording, nn.Module], Enclosed | None]


class _Running:
    """The enclosed modules that run, innermost last."""

    def __init__(self) -> None:
        self.found: list[Enclosed] = []


def beginning_with(*makers: Maker) -> Callable[[Recording, nn.Module, tuple[Any, ...]], None]:
    """What is to be done when a module starts: the first family that knows it takes it over."""

    def begin(recording: Recording, module: nn.Module, args: tuple[Any, ...]) -> None:  # noqa: ARG001
        for make in makers:
            enclosed = make(recording, module)
            if enclosed is not None and recording.running() is module:
                recording.state(_Running).found.append(enclosed)
                recording.inside += 1
                return

    return begin


def end(recording: Recording, module: nn.Module, output: Any) -> None:
    """A module has ended, by itself or, with None for its output, broken off."""
    running = recording.state(_Running).found
    if not running:
        return
    if not any(enclosed.module is module for enclosed in running):
        running[-1].projected(module, output)
        return
    while running:
        enclosed = running.pop()
        recording.inside -= 1
        if enclosed.module is module:
            if output is not None:
                enclosed.ended(output)
            return


def tell(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:  # noqa: ARG001
    """Tells the enclosed module that runs of a function."""
    for recording in recordings():
        running = recording.state(_Running).found
        if running:
            running[-1].saw(func, args)
