"""Attention that a model writes out itself, followed from one of torch's functions to the next.

Every tensor that comes from queries × keys is remembered for as long as it lives, with what happened to it. Where it
goes through a softmax, a formula is made of that, compared with the weights that the model made, and kept in their
place; where something happened that is not known here, the weights are kept.
"""

from typing import Any

from torch import nn

from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.by_hand.observers import ANY_OTHER, OBSERVERS
from attnviz.recording.recording import Recording

__all__ = ["ANY_OTHER", "OBSERVERS", "at_end"]


def at_end(recording: Recording, module: nn.Module, output: Any) -> None:
    """A module has ended."""
    recording.state(Hand).at_end(recording, module, output)
