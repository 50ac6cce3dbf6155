"""Where in a file something stands, said in the user's language."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from attnviz.base.language import _, translate

MOST_SIGNS = 40


@dataclass(frozen=True)
class Line:
    """A line of a file of text, counted from 1."""

    file: str
    number: int

    def __str__(self) -> str:
        return _("{file}, line {number}", file=self.file, number=self.number)


@dataclass(frozen=True)
class Row:
    """A row of a table, counted from 1."""

    file: str
    number: int

    def __str__(self) -> str:
        return _("{file}, row {number}", file=self.file, number=self.number)


@dataclass(frozen=True)
class Record:
    """A record of a binary file, counted from 1."""

    file: str
    number: int

    def __str__(self) -> str:
        return _("{file}, record {number}", file=self.file, number=self.number)


@dataclass(frozen=True)
class Element:
    """An element of an XML file, with its id where it has one."""

    file: str
    name: str
    id: str = ""

    def __str__(self) -> str:
        if not self.id:
            return _("{file}, element “{name}”", file=self.file, name=self.name)
        return _("{file}, element “{name}” {id}", file=self.file, name=self.name, id=self.id)


@dataclass(frozen=True)
class Said:
    """A part of a sentence that is a message of its own, said when the sentence is."""

    message: str

    def __str__(self) -> str:
        return translate(self.message)


def written(text: str) -> float:
    """The number that is written here; NaN where none is.

    Python alone would also take 1_5 for 15, and the digits of every script.
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


Place = str | Line | Row | Record | Element


# Where the row with this count is.
Placed = Callable[[int], Place]


def short(text: object, most: int = MOST_SIGNS) -> str:
    """What was read, cut to what a sentence can hold, in one line."""
    said = " ".join(str(text)[: 2 * most].split())
    return said if len(said) <= most else said[:most] + "…"
