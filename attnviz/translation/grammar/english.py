"""English: the words of a meaning, and what each of them says."""

from collections.abc import Iterator

from attnviz.translation.grammar.meaning import (
    ADJECTIVES,
    DETERMINERS,
    NOUNS,
    OBJECT_PRONOUNS,
    PLACES,
    SUBJECT_PRONOUNS,
    Clause,
    Meaning,
    Noun,
    Pronoun,
)
from attnviz.translation.grammar.words import SourceWord

_PLURALS = {"mouse": "mice", "woman": "women", "man": "men", "child": "children", "box": "boxes"}
# Base form → third person singular, past.
VERBS: dict[str, tuple[str, str]] = {
    "sleep": ("sleeps", "slept"), "sing": ("sings", "sang"), "run": ("runs", "ran"), "wait": ("waits", "waited"),
    "laugh": ("laughs", "laughed"), "work": ("works", "worked"), "dance": ("dances", "danced"),
    "swim": ("swims", "swam"), "see": ("sees", "saw"), "find": ("finds", "found"), "love": ("loves", "loved"),
    "hear": ("hears", "heard"), "take": ("takes", "took"), "know": ("knows", "knew"), "draw": ("draws", "drew"),
    "look for": ("looks for", "looked for"), "buy": ("buys", "bought"), "catch": ("catches", "caught"),
}  # fmt: skip


def plural(noun: str) -> str:
    """The plural of a noun of the grammar."""
    return _PLURALS.get(noun, f"{noun}s")


def words(meaning: Meaning) -> list[SourceWord]:
    """The English words in order."""
    if isinstance(meaning, Noun):
        return list(_noun(meaning, "phrase"))
    return [
        *_named(meaning.subject, "subject"),
        *_verb(meaning),
        *(_named(meaning.object, "object") if meaning.object else ()),
        *_place(meaning),
        SourceWord(".", "stop"),
    ]


def vocabulary() -> dict[str, tuple[str, ...]]:
    """All words that the grammar knows, by what kind of word they are."""
    verbs = [form for base, forms in VERBS.items() for form in (base, *forms)]
    return {
        "determiner": (*DETERMINERS[:2], "an", *DETERMINERS[2:8], "these", *DETERMINERS[8:], "'s"),
        "adjective": tuple(ADJECTIVES),
        "noun": tuple(form for noun in NOUNS for form in (noun, plural(noun))),
        "verb": tuple(dict.fromkeys(word for form in verbs for word in form.split() if word != "for")),
        "pronoun": tuple(dict.fromkeys((*SUBJECT_PRONOUNS, *OBJECT_PRONOUNS))),
        "preposition": (*(place for place in PLACES if " " not in place), "front", "of", "for"),
        "other": ("very", "and", "do", "does", "did", "will", "not", "never", "."),
    }


def _named(who: Noun | Pronoun, role: str) -> Iterator[SourceWord]:
    if isinstance(who, Pronoun):
        yield SourceWord(who.word, f"{role}.pronoun")
    else:
        yield from _noun(who, role)


def _noun(phrase: Noun, role: str) -> Iterator[SourceWord]:
    described = [SourceWord("very", f"{role}.very")] if phrase.very else []
    for place, adjective in enumerate(phrase.adjectives):
        if place and phrase.joined:
            described.append(SourceWord("and", f"{role}.and"))
        described.append(SourceWord(adjective, f"{role}.adjective.{place}"))
    described.append(SourceWord(plural(phrase.noun) if phrase.plural else phrase.noun, f"{role}.noun"))
    if phrase.owner:
        yield from _noun(phrase.owner, f"{role}.owner")
        yield SourceWord("'s", f"{role}.of")
    else:
        yield SourceWord(_determiner(phrase, described[0].text), f"{role}.determiner")
    yield from described


def _determiner(phrase: Noun, following: str) -> str:
    if phrase.determiner == "a" and following[0] in "aeiou":
        return "an"
    if phrase.determiner == "this" and phrase.plural:
        return "these"
    return phrase.determiner


def _verb(clause: Clause) -> Iterator[SourceWord]:
    third, past = VERBS[clause.verb]
    several = clause.subject.plural
    form = clause.verb
    if clause.tense == "future":
        yield SourceWord("will", "auxiliary")
    elif clause.polarity == "not":
        yield SourceWord("did" if clause.tense == "past" else "do" if several else "does", "auxiliary")
    elif clause.tense == "past":
        form = past
    elif not several:
        form = third
    if clause.polarity != "positive":
        yield SourceWord(clause.polarity, "negation")
    yield from (SourceWord(word, "verb") for word in form.split())


def _place(clause: Clause) -> Iterator[SourceWord]:
    if clause.place:
        where, phrase = clause.place
        yield from (SourceWord(word, "preposition") for word in where.split())
        yield from _noun(phrase, "place")
