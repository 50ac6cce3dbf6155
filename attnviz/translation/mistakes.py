"""Where links are not among the possible gold ones, and what kind of word it is that they are wrong about."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from attnviz.translation.sentence import Link, SentencePair

UNKNOWN = ""
"""The kind of a target word whose kind nobody told."""


@dataclass(frozen=True)
class Mistake:
    """A target word whose link is not possible: which sentence, which word, what it was linked to."""

    sentence: int
    target: int
    source: int


@dataclass(frozen=True)
class KindCount:
    """How many target words of a kind were linked, and how many of them to a word that is not possible."""

    kind: str
    linked: int
    wrong: int


def mistakes(links: Sequence[frozenset[Link]], pairs: Sequence[SentencePair]) -> list[Mistake]:
    """All links that are not possible, sentence by sentence."""
    return [
        Mistake(sentence, target, source)
        for sentence, (found, pair) in enumerate(zip(links, pairs, strict=True))
        if pair.links is not None
        for source, target in sorted(found, key=lambda link: link[1])
        if (source, target) not in pair.links.possible
    ]


def by_kind(links: Sequence[frozenset[Link]], pairs: Sequence[SentencePair]) -> list[KindCount]:
    """The kinds of target words, those with the most mistakes first."""
    linked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for found, pair in zip(links, pairs, strict=True):
        linked.update(_kind(pair, target) for _, target in found)
    for one in mistakes(links, pairs):
        wrong[_kind(pairs[one.sentence], one.target)] += 1
    return [
        KindCount(kind, linked[kind], wrong[kind]) for kind in sorted(linked, key=lambda kind: (-wrong[kind], kind))
    ]


def _kind(pair: SentencePair, target: int) -> str:
    return pair.kinds[target] if pair.kinds is not None else UNKNOWN
