"""Kinds of attention, each in a few lines of torch: what looks at what, by which formula."""

from attnviz.attention.kinds.catalogue import KINDS, kind
from attnviz.attention.kinds.kind import Inputs, Kind, Memory, Outcome, Paper, Settings

__all__ = ["KINDS", "Inputs", "Kind", "Memory", "Outcome", "Paper", "Settings", "kind"]
