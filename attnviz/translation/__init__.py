"""Translation: pairs of sentences, a grammar that makes them, and how well attention agrees with their alignment."""

from attnviz.translation.sentence import Link, Links, SentencePair
from attnviz.translation.translator import Alternative, Translation, Translator

__all__ = ["Alternative", "Link", "Links", "SentencePair", "Translation", "Translator"]
