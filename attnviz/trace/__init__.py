"""Trace: what was recorded, to look at, to save and to load; and traces of weights that are there already."""

from attnviz.trace.arrays import from_arrays
from attnviz.trace.loading import load
from attnviz.trace.trace import LookAlike, Note, Origin, OriginKind, Trace

__all__ = ["LookAlike", "Note", "Origin", "OriginKind", "Trace", "from_arrays", "load"]
