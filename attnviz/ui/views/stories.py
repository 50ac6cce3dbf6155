"""The Stories page's state: the story that is being made."""

from typing import Literal

from pydantic import Field

from attnviz.ui.address import View
from attnviz.ui.stories.model import MOST_TITLE, Step, Steps, Story


class StoriesView(View, frozen=True):
    """A draft: a story that may still have no steps."""

    page: Literal["stories"] = "stories"
    title: str = Field(default="", max_length=MOST_TITLE)
    steps: Steps = ()

    def story(self) -> Story:
        """The draft as a story. Raises `InputError` while it has no steps."""
        return Story(title=self.title, steps=self.steps)

    def with_step(self, step: Step) -> tuple[Step, ...]:
        """The steps with one more at the end."""
        return (*self.steps, step)

    # A step is found as the very same object, not by its number: the page that was clicked may be a moment behind.

    def without(self, step: Step) -> tuple[Step, ...]:
        """The steps without this one."""
        return tuple(other for other in self.steps if other is not step)

    def moved(self, step: Step, by: int) -> tuple[Step, ...]:
        """The steps with this one so many places further down."""
        at = self._place(step)
        if at is None:
            return self.steps
        others = self.without(step)
        to = min(max(at + by, 0), len(others))
        return (*others[:to], step, *others[to:])

    def saying(self, step: Step, words: str) -> tuple[Step, ...]:
        """The steps with other words for this one."""
        return tuple(other.saying(words) if other is step else other for other in self.steps)

    def _place(self, step: Step) -> int | None:
        return next((at for at, other in enumerate(self.steps) if other is step), None)
