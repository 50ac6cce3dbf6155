"""Meanings drawn at random, and which pairs of adjective and noun are kept out of training."""

import random
from collections.abc import Sequence
from typing import TypeVar

from attnviz.translation.grammar.meaning import (
    ADJECTIVES,
    ALWAYS_PLURAL,
    ALWAYS_SINGULAR,
    DETERMINERS,
    FIRST_ADJECTIVES,
    INTRANSITIVE,
    NOUNS,
    OBJECT_PRONOUNS,
    PLACES,
    SUBJECT_PRONOUNS,
    TRANSITIVE,
    Class,
    Clause,
    Meaning,
    Noun,
    Place,
    Pronoun,
    described,
)

T = TypeVar("T")

_ALIVE = tuple(noun for noun, (kind, _) in NOUNS.items() if kind != "thing")
_DETERMINER_WEIGHTS = (38, 15, 8, 7, 6, 6, 5, 8, 4, 3)
_OWNERS = ("the", "my", "your", "his", "her", "our")


def is_held_out(adjective: str, noun: str) -> bool:
    """Whether training never shows this adjective with this noun: one pair in ten, and “black cat”."""
    if (adjective, noun) == ("black", "cat"):
        return True
    return (list(ADJECTIVES).index(adjective) * 7 + list(NOUNS).index(noun) * 3) % 10 == 0


def holds_held_out(meaning: Meaning) -> bool:
    """Whether some adjective stands with a noun that it is kept away from in training."""
    return any(is_held_out(adjective, noun) for adjective, noun in described(meaning))


class Sampler:
    """Draws meanings; the same seed draws the same ones on every machine."""

    def __init__(self, seed: str, *, held_out: bool) -> None:
        self._random = random.Random(seed)  # noqa: S311 - sentences, no secrets
        self._held_out = held_out

    def meaning(self) -> Meaning:
        """A noun phrase alone in one of eight cases, otherwise a sentence."""
        if self._chance(0.125):
            return self._noun(tuple(NOUNS))
        return self._clause()

    def _clause(self) -> Clause:
        subject = Pronoun(self._one(SUBJECT_PRONOUNS)) if self._chance(0.12) else self._noun(_ALIVE)
        verb = self._one(INTRANSITIVE) if self._chance(0.35) else self._one(tuple(TRANSITIVE))
        return Clause(
            subject,
            verb,
            self._weighted(("present", "past", "future"), (50, 32, 18)),
            self._weighted(("positive", "not", "never"), (75, 18, 7)),
            self._object(TRANSITIVE[verb]) if verb in TRANSITIVE else None,
            self._place() if self._chance(0.3) else None,
        )

    def _object(self, classes: tuple[Class, ...]) -> Noun | Pronoun:
        if self._chance(0.2):
            return Pronoun(self._one(OBJECT_PRONOUNS))
        return self._noun(tuple(noun for noun, (kind, _) in NOUNS.items() if kind in classes))

    def _place(self) -> tuple[Place, Noun]:
        where = self._one(PLACES)
        if where == "with":
            return where, self._noun(_ALIVE)
        things = [noun for noun, (kind, _) in NOUNS.items() if kind == "thing"]
        if where in ("in", "on", "under"):
            things = [noun for noun in things if where in NOUNS[noun][1].split()]
        return where, self._noun(tuple(things))

    def _noun(self, nouns: Sequence[str]) -> Noun:
        noun = self._one(nouns)
        adjectives = self._adjectives(noun)
        very = len(adjectives) == 1 and self._chance(0.15)
        if self._chance(0.1):
            owner = Noun(self._one(_ALIVE), self._one(_OWNERS))
            return Noun(noun, "the", self._chance(0.3), adjectives, very, owner)
        determiner = self._weighted(DETERMINERS, _DETERMINER_WEIGHTS)
        several = determiner in ALWAYS_PLURAL or (determiner not in ALWAYS_SINGULAR and self._chance(0.3))
        return Noun(noun, determiner, several, adjectives, very)

    def _adjectives(self, noun: str) -> tuple[str, ...]:
        count = self._weighted((0, 1, 2), (30, 50, 20))
        suiting = [
            adjective
            for adjective, classes in ADJECTIVES.items()
            if NOUNS[noun][0] in classes and (self._held_out or not is_held_out(adjective, noun))
        ]
        drawn = self._random.sample(suiting, count)
        return tuple(sorted(drawn, key=lambda adjective: adjective not in FIRST_ADJECTIVES))

    def _one(self, choices: Sequence[T]) -> T:
        return self._random.choice(choices)

    def _weighted(self, choices: Sequence[T], weights: Sequence[int]) -> T:
        return self._random.choices(choices, weights)[0]

    def _chance(self, share: float) -> bool:
        return self._random.random() < share
