"""What a question is made of, and how an answer to it is checked."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.ui.address import View
from attnviz.ui.quiz.numbers import Kind, read

TOLERANCE: dict[Kind, float] = {"count": 0.0, "number": 1e-6, "weight": 0.006}
"""How far an answer may be off: two decimals are enough for a weight."""

State = Literal["right", "wrong", "unreadable", "missing"]


class Verdict(NamedTuple):
    """What is said of one answer; `remark` is a sentence, or empty."""

    state: State
    remark: str = ""


class Known(NamedTuple):
    """Another answer that people arrive at, and what to tell them."""

    value: float | int
    remark: str


@dataclass(frozen=True)
class Blank:
    """A number to be typed."""

    name: str
    label: str
    kind: Kind
    answer: float | int
    known: tuple[Known, ...] = ()


class Option(NamedTuple):
    """One thing to choose, and why it is right or wrong."""

    name: str
    label: str
    right: bool
    why: str


@dataclass(frozen=True)
class Choice:
    """One of several to be chosen."""

    name: str
    label: str
    options: tuple[Option, ...]

    def option(self, name: str) -> Option:
        """The option of this name."""
        return next(option for option in self.options if option.name == name)


Field = Blank | Choice


class Link(NamedTuple):
    """Where to see it move: a page's view."""

    label: str
    view: View


@dataclass(frozen=True)
class Question:
    """`text` and `steps` are Markdown; `steps` is the short worked solution, a paragraph each."""

    name: str
    title: str
    text: str
    fields: tuple[Field, ...]
    steps: tuple[str, ...]
    links: tuple[Link, ...]


def check(field: Field, given: str | None) -> Verdict:
    """Whether what was typed or chosen is right."""
    if given is None or not given.strip():
        return Verdict("missing")
    return _check_choice(field, given) if isinstance(field, Choice) else _check_number(field, given)


def _check_choice(choice: Choice, given: str) -> Verdict:
    if given not in {option.name for option in choice.options}:
        return Verdict("missing")
    chosen = choice.option(given)
    return Verdict("right" if chosen.right else "wrong", chosen.why)


def _check_number(blank: Blank, given: str) -> Verdict:
    try:
        number = read(given, blank.kind)
    except InputError as error:
        return Verdict("unreadable", str(error))
    tolerance = TOLERANCE[blank.kind]
    if abs(number - blank.answer) <= tolerance:
        return Verdict("right")
    if blank.kind == "weight" and abs(number / 100 - blank.answer) <= tolerance:
        return Verdict("wrong", _("A weight lies between 0 and 1: write 0.25 or, with the sign, 25 %."))
    near = tolerance if blank.kind == "count" else TOLERANCE["weight"]
    return Verdict("wrong", next((one.remark for one in blank.known if abs(number - one.value) <= near), ""))


def is_right(question: Question, given: dict[str, str | None]) -> bool:
    """Whether every field of the question is answered, and rightly."""
    return all(check(field, given.get(field.name)).state == "right" for field in question.fields)
