"""Trace: what was recorded, to look at, to save and to load."""

from attnviz.trace.trace import Note, Origin, OriginKind, Trace, load

__all__ = ["Note", "Origin", "OriginKind", "Trace", "load"]
