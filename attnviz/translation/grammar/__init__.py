"""A small English and its French, Japanese and Russian, with the gold alignment of every sentence."""

from attnviz.translation.grammar.corpus import (
    HELD_OUT_SENTENCES,
    LANGUAGES,
    Language,
    Split,
    corpus,
    links_for,
    stream,
    translate,
    vocabulary,
)
from attnviz.translation.grammar.english import vocabulary as words_by_kind

__all__ = [
    "HELD_OUT_SENTENCES",
    "LANGUAGES",
    "Language",
    "Split",
    "corpus",
    "links_for",
    "stream",
    "translate",
    "vocabulary",
    "words_by_kind",
]
