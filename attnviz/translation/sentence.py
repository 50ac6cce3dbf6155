"""A sentence and its translation, word by word, with the links between them that a person or a grammar gave."""

from dataclasses import dataclass

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Link = tuple[int, int]
"""A source word and a target word, both counted from 0."""


@dataclass(frozen=True)
class Links:
    """Sure links, and possible ones, to which the sure ones belong (Och and Ney 2003)."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        if not self.sure <= self.possible:
            object.__setattr__(self, "possible", self.possible | self.sure)


@dataclass(frozen=True)
class SentencePair:
    """Words on both sides; `links` where they are known; `kinds`, one a target word, where they are known.

    kinds: "determiner", "adjective", "noun", "verb" and so on: what kind of word each target word is.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: Links | None = None
    kinds: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.kinds is not None and len(self.kinds) != len(self.target):
            raise InputError(
                _m("A sentence pair has {found} kinds of words for {expected} target words; one each was expected."),
                found=len(self.kinds),
                expected=len(self.target),
            )

    @property
    def source_text(self) -> str:
        """The source words with a space between them."""
        return " ".join(self.source)

    @property
    def target_text(self) -> str:
        """The target words with a space between them."""
        return " ".join(self.target)
