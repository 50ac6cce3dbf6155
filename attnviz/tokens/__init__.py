"""Tokens: what the positions of a sequence stand for, read from any tokenizer, and how they are shown."""

from attnviz.tokens.labels import cut, isolated, visible
from attnviz.tokens.tokens import KINDS, Kind, Tokens

__all__ = ["KINDS", "Kind", "Tokens", "cut", "isolated", "visible"]
