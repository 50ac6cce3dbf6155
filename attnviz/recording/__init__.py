"""Recording: what `attnviz.capture` does while a model runs."""

from attnviz.recording.capture import capture

__all__ = ["capture"]
