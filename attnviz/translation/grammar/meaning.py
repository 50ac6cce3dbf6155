"""What a sentence of the grammar says, before it is put into words of any language."""

from dataclasses import dataclass
from typing import Literal

Class = Literal["person", "animal", "thing"]
Tense = Literal["present", "past", "future"]
Polarity = Literal["positive", "not", "never"]
Place = Literal["in", "on", "under", "behind", "near", "with", "in front of"]
Role = Literal["subject", "object", "place", "phrase"]

DETERMINERS = ("the", "a", "my", "your", "his", "her", "our", "this", "two", "three")
ALWAYS_PLURAL = ("two", "three")
ALWAYS_SINGULAR = ("a",)
# The class, and where somebody can be: in it, on it, under it.
NOUNS: dict[str, tuple[Class, str]] = {
    "cat": ("animal", ""), "dog": ("animal", ""), "bird": ("animal", ""), "horse": ("animal", ""),
    "cow": ("animal", ""), "mouse": ("animal", ""),
    "woman": ("person", ""), "man": ("person", ""), "child": ("person", ""), "girl": ("person", ""),
    "boy": ("person", ""), "friend": ("person", ""), "teacher": ("person", ""), "doctor": ("person", ""),
    "king": ("person", ""), "queen": ("person", ""),
    "house": ("thing", "in"), "car": ("thing", "in under"), "book": ("thing", ""), "table": ("thing", "on under"),
    "flower": ("thing", ""), "tree": ("thing", "under"), "door": ("thing", ""), "garden": ("thing", "in"),
    "letter": ("thing", ""), "apple": ("thing", ""), "hat": ("thing", ""), "boat": ("thing", "in on under"),
    "stone": ("thing", "on"), "bridge": ("thing", "on under"), "street": ("thing", "on"), "box": ("thing", "in on"),
    "window": ("thing", "under"), "school": ("thing", "in"), "key": ("thing", ""), "lamp": ("thing", "under"),
}  # fmt: skip
# Which classes an adjective is said of.
ADJECTIVES: dict[str, tuple[Class, ...]] = {
    "small": ("person", "animal", "thing"), "big": ("person", "animal", "thing"),
    "beautiful": ("person", "animal", "thing"), "old": ("person", "animal", "thing"), "new": ("thing",),
    "young": ("person", "animal"), "good": ("person", "animal", "thing"), "bad": ("person", "animal", "thing"),
    "black": ("animal", "thing"), "white": ("animal", "thing"), "red": ("animal", "thing"),
    "green": ("animal", "thing"), "blue": ("animal", "thing"), "yellow": ("animal", "thing"),
    "heavy": ("animal", "thing"), "strange": ("person", "animal", "thing"), "quiet": ("person", "animal"),
    "happy": ("person", "animal"), "tired": ("person", "animal"), "dangerous": ("person", "animal", "thing"),
    "wet": ("animal", "thing"), "dirty": ("animal", "thing"), "empty": ("thing",), "rich": ("person",),
}  # fmt: skip
# Said before the noun in French, and first where English has two adjectives.
FIRST_ADJECTIVES = ("small", "big", "beautiful", "old", "new", "young", "good", "bad")
INTRANSITIVE = ("sleep", "sing", "run", "wait", "laugh", "work", "dance", "swim")
# Which classes a verb takes as its object.
TRANSITIVE: dict[str, tuple[Class, ...]] = {
    "see": ("person", "animal", "thing"), "find": ("person", "animal", "thing"),
    "love": ("person", "animal", "thing"), "hear": ("person", "animal"), "take": ("animal", "thing"),
    "know": ("person", "animal", "thing"), "draw": ("person", "animal", "thing"),
    "look for": ("person", "animal", "thing"), "buy": ("animal", "thing"), "catch": ("person", "animal"),
}  # fmt: skip
SUBJECT_PRONOUNS = ("he", "she", "they")
OBJECT_PRONOUNS = ("him", "her", "it", "them")
PLACES: tuple[Place, ...] = ("in", "on", "under", "behind", "near", "with", "in front of")


@dataclass(frozen=True)
class Noun:
    """A noun with what stands before it. An `owner` ("the woman 's") takes the determiner's place."""

    noun: str
    determiner: str = "the"
    plural: bool = False
    adjectives: tuple[str, ...] = ()
    very: bool = False
    owner: "Noun | None" = None

    @property
    def alive(self) -> bool:
        """Whether it is a person or an animal."""
        return NOUNS[self.noun][0] != "thing"

    @property
    def joined(self) -> bool:
        """Whether “and” stands between two adjectives: where French has both after the noun."""
        return len(self.adjectives) == 2 and not any(word in FIRST_ADJECTIVES for word in self.adjectives)


@dataclass(frozen=True)
class Pronoun:
    """One of `SUBJECT_PRONOUNS` or `OBJECT_PRONOUNS`."""

    word: str

    @property
    def plural(self) -> bool:
        return self.word in ("they", "them")


@dataclass(frozen=True)
class Clause:
    """Somebody does something, to somebody, somewhere."""

    subject: Noun | Pronoun
    verb: str
    tense: Tense = "present"
    polarity: Polarity = "positive"
    object: Noun | Pronoun | None = None
    place: tuple[Place, Noun] | None = None


Meaning = Clause | Noun
"""A sentence with a full stop, or a noun phrase alone."""


def phrases(meaning: Meaning) -> list[Noun]:
    """All nouns with what stands before them, owners left out."""
    if isinstance(meaning, Noun):
        return [meaning]
    parts = (meaning.subject, meaning.object, meaning.place[1] if meaning.place else None)
    return [part for part in parts if isinstance(part, Noun)]


def described(meaning: Meaning) -> set[tuple[str, str]]:
    """Every adjective with its noun."""
    return {(adjective, phrase.noun) for phrase in phrases(meaning) for adjective in phrase.adjectives}
