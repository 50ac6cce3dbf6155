"""A story as data, the file that holds one, and what is said when a file cannot be used."""

import codecs
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from attnviz.base import language
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.ui import address
from attnviz.ui.address import FILE_LIMIT, View

MOST_STEPS = 100
MOST_LETTERS = 600
MOST_TITLE = 120
STORIES = "stories"
"""The page that stories are made on: no step of one."""


class InLanguages(BaseModel, frozen=True, extra="forbid", strict=True):
    """The same words in every language of the site."""

    en: str = Field(max_length=MOST_LETTERS)
    ja: str = Field(max_length=MOST_LETTERS)
    ru: str = Field(max_length=MOST_LETTERS)


def said(words: "str | InLanguages") -> str:
    """What a person wrote as it is; what we wrote in the current language."""
    if isinstance(words, str):
        return words
    found: str = getattr(words, language.current())
    return found


class Step(BaseModel, frozen=True, extra="forbid", strict=True):
    """A page, what it shows (None: whatever it shows by itself), and what is said there.

    `view` is the JSON object that the page's address holds (`attnviz.ui.address.to_json`).
    """

    page: str = Field(max_length=40)
    view: dict[str, Any] | None = None
    say: Annotated[str, Field(max_length=MOST_LETTERS)] | InLanguages = ""

    @model_validator(mode="after")
    def _can_be_shown(self) -> "Step":
        self.shown()
        return self

    def shown(self) -> View | None:
        """The view, made anew in the current language. Raises `InputError` where the page cannot show it."""
        kinds = _kinds()
        if self.page not in kinds:
            raise InputError(
                _m("There is no page “{page}” to show; there are: {known}."), page=self.page, known=", ".join(kinds)
            )
        kind = kinds[self.page]
        if self.view is None:
            return None
        if kind is None:
            raise InputError(_m("The page “{page}” has no view; none was expected."), page=self.page)
        found = address.from_json(json.dumps(self.view).encode(), kind)
        if found is None:
            raise InputError(_m("The view belongs to another page than “{page}”."), page=self.page)
        return found

    def saying(self, words: str) -> "Step":
        """The same step with other words."""
        return Step(page=self.page, view=self.view, say=words)


def _kinds() -> dict[str, type[View] | None]:
    """The pages that a step can show, and what each of them shows."""
    # Here and not above: the menu knows the Stories page, which holds steps.
    from attnviz.ui.navigation import PLACES

    return {place.path: place.view for place in PLACES if place.path != STORIES}


Title = Annotated[str, Field(max_length=MOST_TITLE)]
Steps = Annotated[tuple[Step, ...], Field(max_length=MOST_STEPS)]


class Story(BaseModel, frozen=True, extra="forbid", strict=True):
    """A title and at least one step."""

    version: Literal[1] = 1
    title: Title | InLanguages = ""
    steps: Steps

    @field_validator("steps")
    @classmethod
    def _has_a_step(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        if not steps:
            raise InputError(_m("The story has no steps; at least one was expected."))
        return steps


def step_of(page: str, view: View | None, words: str = "") -> Step:
    """A step that shows this page with this view."""
    return Step(page=page, view=None if view is None else json.loads(address.to_json(view)), say=words)


def to_json(story: Story) -> str:
    """The story as a file holds it."""
    return json.dumps(story.model_dump(exclude_defaults=True) | {"version": 1}, ensure_ascii=False, indent=2)


def from_json(raw: bytes) -> Story:
    """The story that a file holds. Raises `InputError`, which says which step and what was expected."""
    if len(raw) > FILE_LIMIT:
        raise InputError(
            _m("The story file has {found} bytes; at most {limit} were expected."), found=len(raw), limit=FILE_LIMIT
        )
    try:
        return Story.model_validate_json(raw.removeprefix(codecs.BOM_UTF8))
    except ValidationError as reason:
        raise _complaint(reason) from reason


def _complaint(reason: ValidationError) -> InputError:
    """The first error as one sentence. Words may be text or an object, and the text is what most people mean."""
    errors = reason.errors(include_url=False)
    first = next((error for error in errors if error["type"] != "missing"), errors[0])
    within = first.get("ctx", {}).get("error")
    problem = str(within) if isinstance(within, InputError) else address.problem(first["type"])
    where = [str(part) for part in first["loc"]]
    if where[:1] != ["steps"] or len(where) < 2:
        if isinstance(within, InputError):
            return within
        return InputError(
            _m("The story cannot be opened; at {where}: {problem}."),
            where=where[0] if where else "JSON",
            problem=problem,
        )
    number = int(where[1]) + 1
    if isinstance(within, InputError):
        return InputError(_m("Step {number} of the story: {problem}"), number=number, problem=problem)
    return InputError(
        _m("Step {number} of the story cannot be shown; at {where}: {problem}."),
        number=number,
        where=" › ".join(where[2:3]) or "JSON",
        problem=problem,
    )
