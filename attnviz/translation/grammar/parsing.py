"""From English words back to what they say; a sentence is read in one way or not at all."""

from collections.abc import Sequence

from attnviz.translation.grammar import english
from attnviz.translation.grammar.meaning import (
    ADJECTIVES,
    ALWAYS_PLURAL,
    ALWAYS_SINGULAR,
    DETERMINERS,
    FIRST_ADJECTIVES,
    NOUNS,
    OBJECT_PRONOUNS,
    PLACES,
    SUBJECT_PRONOUNS,
    TRANSITIVE,
    Clause,
    Meaning,
    Noun,
    Place,
    Polarity,
    Pronoun,
    Tense,
)

_SINGULAR = {noun: noun for noun in NOUNS}
_PLURAL = {english.plural(noun): noun for noun in NOUNS}
_BASE = {base: base for base in english.VERBS}
_THIRD = {forms[0]: base for base, forms in english.VERBS.items()}
_PAST = {forms[1]: base for base, forms in english.VERBS.items()}


class _UnknownError(Exception):
    """The words go on in a way that the grammar does not know."""


def parse(words: Sequence[str]) -> Meaning | None:
    """What the words say; None where the grammar does not make this sentence."""
    try:
        meaning = _Reader(words).meaning()
    except _UnknownError:
        return None
    # Agreement and "a"/"an" are looked at by saying it again.
    return meaning if [word.text for word in english.words(meaning)] == list(words) else None


class _Reader:
    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.at = 0

    def meaning(self) -> Meaning:
        subject = self._named(SUBJECT_PRONOUNS)
        if self._ended():
            if isinstance(subject, Noun):
                return subject
            raise _UnknownError
        tense, polarity, verb = self._verb()
        following = self._named(OBJECT_PRONOUNS) if verb in TRANSITIVE else None
        place = None if self._next() == "." else self._place()
        self._take(".")
        if not self._ended():
            raise _UnknownError
        return Clause(subject, verb, tense, polarity, following, place)

    def _next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _ended(self) -> bool:
        return self.at >= len(self.words)

    def _take(self, *expected: str) -> str:
        word = self._next()
        if word not in expected:
            raise _UnknownError
        self.at += 1
        return word

    def _follows(self, text: str) -> bool:
        parts = text.split()
        if self.words[self.at : self.at + len(parts)] != parts:
            return False
        self.at += len(parts)
        return True

    def _named(self, pronouns: Sequence[str]) -> Noun | Pronoun:
        # "her" may be a pronoun or stand before a noun: the word after it tells.
        after = self.words[self.at + 1 : self.at + 2]
        before_noun = bool(after) and (after[0] in ADJECTIVES or after[0] in _SINGULAR or after[0] in _PLURAL)
        before_noun |= after == ["very"]
        if self._next() in pronouns and not (self._next() == "her" and before_noun):
            return Pronoun(self._take(*pronouns))
        return self._noun()

    def _noun(self) -> Noun:
        first = self._described(self._determiner())
        if self._next() != "'s":
            return first
        self.at += 1
        if first.plural or first.adjectives:
            raise _UnknownError
        return self._described(None, owner=first)

    def _determiner(self) -> str:
        word = self._take(*DETERMINERS, "an", "these")
        return {"an": "a", "these": "this"}.get(word, word)

    def _described(self, determiner: str | None, owner: Noun | None = None) -> Noun:
        very = self._follows("very")
        adjectives = []
        while self._next() in ADJECTIVES:
            adjectives.append(self._take(*ADJECTIVES))
            if self._next() == "and":
                self.at += 1
        if len(adjectives) > 2 or (very and len(adjectives) != 1) or not _in_order(adjectives):
            raise _UnknownError
        word = self._take(*_SINGULAR, *_PLURAL)
        several = word in _PLURAL
        if (determiner in ALWAYS_PLURAL and not several) or (determiner in ALWAYS_SINGULAR and several):
            raise _UnknownError
        noun = _PLURAL[word] if several else word
        return Noun(noun, determiner or "the", several, tuple(adjectives), very, owner)

    def _verb(self) -> tuple[Tense, Polarity, str]:
        auxiliary = self._take("will", "do", "does", "did") if self._next() in ("will", "do", "does", "did") else ""
        polarity: Polarity = "positive"
        if self._next() in ("not", "never"):
            polarity = "not" if self._take("not", "never") == "not" else "never"
        if auxiliary:
            tense: Tense = "future" if auxiliary == "will" else "past" if auxiliary == "did" else "present"
            return tense, polarity, self._form(_BASE)
        for forms, tense in ((_PAST, "past"), (_THIRD, "present"), (_BASE, "present")):
            for form in forms:
                if self._follows(form):
                    return tense, polarity, forms[form]
        raise _UnknownError

    def _form(self, forms: dict[str, str]) -> str:
        for form, base in forms.items():
            if self._follows(form):
                return base
        raise _UnknownError

    def _place(self) -> tuple[Place, Noun]:
        # "in front of" before "in".
        for place in sorted(PLACES, key=len, reverse=True):
            if self._follows(place):
                return place, self._noun()
        raise _UnknownError


def _in_order(adjectives: Sequence[str]) -> bool:
    first = [adjective in FIRST_ADJECTIVES for adjective in adjectives]
    return first == sorted(first, reverse=True) and len(set(adjectives)) == len(adjectives)
