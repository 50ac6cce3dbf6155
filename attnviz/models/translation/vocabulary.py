"""Words as numbers: one list for each side, the special words first."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SPECIAL = ("<pad>", "<s>", "</s>")
PADDING, BEGIN, END = range(3)


@dataclass(frozen=True)
class Vocabulary:
    """All words of one side; a word's number is its place."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> "Vocabulary":
        """The words of these sentences in alphabetical order, after the special ones."""
        return cls((*SPECIAL, *sorted({word for sentence in sentences for word in sentence})))

    def __len__(self) -> int:
        return len(self.words)

    def knows(self, word: str) -> bool:
        """Whether it is a word, and no special one."""
        return self._places.get(word, 0) >= len(SPECIAL)

    def numbers(self, sentence: Sequence[str]) -> list[int]:
        """The number of each word. Raises `KeyError` for a word that is not known."""
        return [self._places[word] for word in sentence]

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}
