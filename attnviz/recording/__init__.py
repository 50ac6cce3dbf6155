"""Recording: what `attnviz.capture` does while a model runs."""

from attnviz.recording.capture import capture
from attnviz.recording.labels import LabelCheck, check_labels

__all__ = ["LabelCheck", "capture", "check_labels"]
