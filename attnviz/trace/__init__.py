"""Trace: what was recorded, to look at, to save and to load."""

from attnviz.trace.trace import LookAlike, Note, Origin, OriginKind, Trace, load

__all__ = ["LookAlike", "Note", "Origin", "OriginKind", "Trace", "load"]
