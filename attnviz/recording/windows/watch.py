"""What is observed while a model runs, so that windows can be found afterwards."""

from typing import Any

from torch import nn

from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings
from attnviz.recording.windows.chains import FEATURE_FUNCTIONS, LAYOUT_FUNCTIONS, WRITING_FUNCTIONS, Chains


def _see_layout(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
    for recording in recordings():
        if not recording.inside:
            recording.state(Chains).add_layout(func, args, kwargs, output)


def _see_features(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:  # noqa: ARG001
    for recording in recordings():
        if not recording.inside:
            recording.state(Chains).add_features((*args, *kwargs.values()), output)


def _see_writing(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:  # noqa: ARG001
    for recording in recordings():
        if not recording.inside:
            recording.state(Chains).lose(args[0])


OBSERVERS = {
    **dict.fromkeys(LAYOUT_FUNCTIONS, _see_layout),
    **dict.fromkeys(FEATURE_FUNCTIONS, _see_features),
    **dict.fromkeys(WRITING_FUNCTIONS, _see_writing),
}


def begin(recording: Recording, module: nn.Module, args: tuple[Any, ...]) -> None:
    """A module has started."""
    recording.state(Chains).begin(module, args)


def end(recording: Recording, module: nn.Module, output: Any) -> None:  # noqa: ARG001  the registry's signature
    """A module has ended."""
    recording.state(Chains).end(module)
