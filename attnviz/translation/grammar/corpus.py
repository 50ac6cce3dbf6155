"""Sentence pairs with their gold links: for training, for testing, and for pairs of words never trained on."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.translation.grammar import english, french, japanese, russian
from attnviz.translation.grammar.meaning import Meaning
from attnviz.translation.grammar.parsing import parse
from attnviz.translation.grammar.sampling import Sampler, holds_held_out
from attnviz.translation.grammar.words import TargetWord, pair
from attnviz.translation.sentence import Links, SentencePair

Language = Literal["fr", "ja", "ru"]
Split = Literal["train", "test", "unseen"]
LANGUAGES: dict[str, Callable[[Meaning], list[TargetWord]]] = {
    "fr": french.words, "ja": japanese.words, "ru": russian.words,
}  # fmt: skip
MOST_WORDS = 24
HELD_OUT_SENTENCES = 1000
"""How many sentences of each held-out split training never shows."""


def corpus(language: str, split: Split, count: int, seed: int = 0) -> list[SentencePair]:
    """The first sentence pairs of a split.

    "test": sentences that training does not show. "unseen": sentences with an adjective and a noun that training
    never shows together. English is the same for all languages. Repeats occur in "train" alone.
    Raises `InputError` for a language that the grammar does not know.
    """
    return list(itertools.islice(stream(language, split, seed), count))


def stream(language: str, split: Split, seed: int = 0) -> Iterator[SentencePair]:
    """As `corpus`, without end."""
    target = _language(language)
    for meaning in _train(seed) if split == "train" else _held_out(split, seed):
        yield pair(english.words(meaning), target(meaning))


def translate(language: str, source: Sequence[str]) -> SentencePair | None:
    """The grammar's own translation of these English words; None where it does not make this sentence."""
    target, meaning = _language(language), parse(source)
    return pair(english.words(meaning), target(meaning)) if meaning is not None else None


def links_for(language: str, source: Sequence[str], target: Sequence[str]) -> Links | None:
    """Gold links of a translation; None where the grammar translates these English words in another way."""
    found = translate(language, source)
    return found.links if found is not None and found.target == tuple(target) else None


def vocabulary(language: str = "") -> tuple[str, ...]:
    """Every English word of the grammar: the same for all languages."""
    if language:
        _language(language)
    return tuple(dict.fromkeys(word for words in english.vocabulary().values() for word in words))


def _language(language: str) -> Callable[[Meaning], list[TargetWord]]:
    if language not in LANGUAGES:
        raise InputError(
            _m("The grammar does not know the language “{language}”; {expected} were expected."),
            language=language[:20],
            expected=", ".join(LANGUAGES),
        )
    return LANGUAGES[language]


def _text(meaning: Meaning) -> str:
    return " ".join(word.text for word in english.words(meaning))


def _held_out(split: Split, seed: int) -> Iterator[Meaning]:
    sampler = Sampler(f"{split} {seed}", held_out=split == "unseen")
    known: set[str] = set()
    while True:
        meaning = sampler.meaning()
        text = _text(meaning)
        if text in known or text.count(" ") >= MOST_WORDS or holds_held_out(meaning) != (split == "unseen"):
            continue
        known.add(text)
        yield meaning


def _train(seed: int) -> Iterator[Meaning]:
    sampler, kept_out = Sampler(f"train {seed}", held_out=False), _kept_out()
    while True:
        meaning = sampler.meaning()
        text = _text(meaning)
        if text not in kept_out and text.count(" ") < MOST_WORDS:
            yield meaning


@functools.cache
def _kept_out() -> frozenset[str]:
    """The test sentences of seed 0; the other split holds nothing that training could draw."""
    return frozenset(_text(meaning) for meaning in itertools.islice(_held_out("test", 0), HELD_OUT_SENTENCES))
