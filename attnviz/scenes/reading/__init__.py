"""Files of scenes: which format one is in is told by its content, never by its name alone."""

from attnviz.scenes.reading.assembling import EgoMissing
from attnviz.scenes.reading.recognising import read
from attnviz.scenes.reading.writing import write

__all__ = ["EgoMissing", "read", "write"]
