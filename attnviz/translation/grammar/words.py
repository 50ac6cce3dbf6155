"""Words with what they render: from parts of a meaning to links between two sentences."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from attnviz.translation.sentence import Links, SentencePair

Kind = Literal[
    "determiner", "numeral", "adjective", "noun", "verb", "auxiliary", "pronoun", "negation", "preposition",
    "particle", "conjunction", "adverb", "punctuation",
]  # fmt: skip


class SourceWord(NamedTuple):
    """An English word and the part of the meaning that it says, such as "subject.noun"."""

    text: str
    part: str


class TargetWord(NamedTuple):
    """A word of the translation, and the parts that it renders: `sure` by this word, `possible` by its form only."""

    text: str
    kind: Kind
    sure: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def pair(source: Sequence[SourceWord], target: Sequence[TargetWord]) -> SentencePair:
    """The sentence pair with the links of its words."""
    places: dict[str, list[int]] = {}
    for position, word in enumerate(source):
        places.setdefault(word.part, []).append(position)

    def links(of: Iterable[tuple[int, tuple[str, ...]]]) -> frozenset[tuple[int, int]]:
        return frozenset((place, row) for row, parts in of for part in parts for place in places.get(part, ()))

    sure = links((row, word.sure) for row, word in enumerate(target))
    possible = links((row, word.possible) for row, word in enumerate(target))
    return SentencePair(
        tuple(word.text for word in source),
        tuple(word.text for word in target),
        Links(sure, sure | possible),
        tuple(word.kind for word in target),
    )
