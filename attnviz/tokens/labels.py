"""Labels: what a token looks like, so that none is invisible, too long, or turns its neighbours around."""

import unicodedata

# A person knows these by their pictures.
_PICTURES = {"\n": "↵", "\r": "␍", "\t": "⇥"}
# Joiners shape letters and emoji; between Latin, Greek or Cyrillic letters they only hide.
_JOINERS = "\u200c\u200d"
_FIRST_JOINED = 0x0590
# Letters and signs that have no ink: fillers, an empty braille cell, an invisible joiner.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

# First strong isolate and its end (Unicode Bidirectional Algorithm, UAX 9).
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))


def visible(text: str) -> str:
    """The text with spaces, line ends, controls and other invisible characters made visible; never empty.

    A single space between two visible characters stays. What would turn the text around it (U+202E and the like)
    is written out.
    """
    if not text:
        return "∅"
    ink = [_has_ink(character) for character in text]
    between = [False, *(before and after for before, after in zip(ink, ink[2:], strict=False)), False]
    shown = "".join(
        character if character == " " and inside else _shown(text, place)
        for place, (character, inside) in enumerate(zip(text, between[: len(text)], strict=True))
    )
    return f"◌{shown}" if unicodedata.category(shown[0])[0] == "M" else shown


def cut(label: str, longest: int) -> str:
    """The label with its middle left out where it is wider than this: "internation…ization".

    East Asian letters count twice: they are as wide as high.
    """
    if width(label) <= longest:
        return label
    tail_room = (longest - 1) * 2 // 5
    head, tail = _first(label, longest - 1 - tail_room), _first(label[::-1], tail_room)[::-1]
    return f"{head}…{tail}"


def width(label: str) -> int:
    """How many letters' room a label takes."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in label)


def isolated(label: str) -> str:
    """The label so that it can stand in a sentence: what is written from right to left turns nothing around it."""
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in label):
        return f"{ISOLATE}{label}{END_OF_ISOLATE}"
    return label


def is_right_to_left(text: str) -> bool | None:
    """The direction of the first letter that has one; None where none has."""
    for letter in text:
        kind = unicodedata.bidirectional(letter)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return None


def _first(label: str, room: int) -> str:
    taken = ""
    for letter in label:
        room -= width(letter)
        if room < 0:
            break
        taken += letter
    return taken


def _has_ink(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ" and character not in _BLANK


def _shown(text: str, place: int) -> str:
    character = text[place]
    if character in _PICTURES:
        return _PICTURES[character]
    if unicodedata.category(character) == "Zs":
        return "·"
    if _has_ink(character) or (character in _JOINERS and _joins(text, place)):
        return character
    return f"U+{ord(character):04X}"


def _joins(text: str, place: int) -> bool:
    """Whether a joiner stands beside letters or emoji that it can shape, and beside no others."""
    beside = [letter for letter in text[max(place - 1, 0) : place + 2] if letter != text[place]]
    return bool(beside) and all(ord(letter) >= _FIRST_JOINED and _has_ink(letter) for letter in beside)
