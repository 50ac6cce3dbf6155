"""What a person types, as words of a vocabulary."""

import difflib
import functools
import re
from collections.abc import Sequence

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.translation.vocabulary import SPECIAL, Vocabulary

MOST_WORDS = 40
_NEAR = 3
_SHORT = {"can't": "can not", "won't": "will not", "cannot": "can not"}


def english(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The words of an English text: small letters, “'s” and “.” words of their own, “doesn't” as “does not”.

    Raises `InputError` where there is none, where there are too many, and for a word that is not known, with near ones.
    """
    text = text.lower().replace("’", "'")
    for short, whole in _SHORT.items():
        text = re.sub(rf"\b{short}\b", whole, text)
    text = re.sub(r"(\w)n't\b", r"\1 not", text)
    # After these “'s” is a verb and no possessor.
    text = re.sub(r"\b(it|he|she|that|there|who|what|where)'s\b", r"\1 is", text)
    text = re.sub(r"(\w)('s)\b", r"\1 \2", text)
    text = re.sub(r"(\w|')\.(?=\s|$)", r"\1 .", text)
    return _checked(text.split(), vocabulary)


def target(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The words of a translation: as they stand, or cut where known words end (“l'ami”, Japanese without spaces).

    Raises `InputError` as `english` does.
    """
    words: list[str] = []
    for chunk in text.replace("’", "'").split():
        words += (
            [chunk] if vocabulary.knows(chunk) else cut(chunk, vocabulary) or cut(chunk.lower(), vocabulary) or [chunk]
        )
    return _checked(words, vocabulary)


def cut(chunk: str, vocabulary: Vocabulary) -> list[str] | None:
    """The fewest known words that spell it; None where they do not."""
    known = set(vocabulary.words[len(SPECIAL) :])
    longest = max(map(len, known), default=0)

    @functools.cache
    def best(start: int) -> tuple[str, ...] | None:
        if start == len(chunk):
            return ()
        found = None
        for end in range(min(len(chunk), start + longest), start, -1):
            if chunk[start:end] in known:
                rest = best(end)
                if rest is not None and (found is None or 1 + len(rest) < len(found)):
                    found = (chunk[start:end], *rest)
        return found

    if len(chunk) > 400:
        return None
    words = best(0)
    return list(words) if words else None


def near(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Known words that are written in a like way, the most alike first."""
    return tuple(difflib.get_close_matches(word, vocabulary.words[len(SPECIAL) :], n=_NEAR, cutoff=0.5))


def _checked(words: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    if not words:
        raise InputError(_m("The text is empty; at least one word was expected."))
    if len(words) > MOST_WORDS:
        raise InputError(
            _m("The sentence has {count} words; at most {most} were expected."), count=len(words), most=MOST_WORDS
        )
    for word in words:
        if not vocabulary.knows(word):
            raise _unknown(word, vocabulary)
    return tuple(words)


def _unknown(word: str, vocabulary: Vocabulary) -> InputError:
    alike = near(word, vocabulary)
    shown = word if len(word) <= 40 else f"{word[:39]}…"
    if alike:
        return InputError(
            _m("The model does not know the word “{word}”; it knows {near}."), word=shown, near=", ".join(alike)
        )
    return InputError(_m("The model does not know the word “{word}”, nor one that is written like it."), word=shown)
