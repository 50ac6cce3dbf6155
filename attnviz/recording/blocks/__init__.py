"""Following the vectors of a model's residual stream through its layers: `attnviz.follow`."""

from attnviz.recording.blocks.follow import follow
from attnviz.recording.blocks.graph import Place
from attnviz.recording.blocks.stream import Layer, Normalised, Part, Step, Stream

__all__ = ["Layer", "Normalised", "Part", "Place", "Step", "Stream", "follow"]
