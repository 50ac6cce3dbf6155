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

    def without(self, at: int) -> tuple[Step, ...]:
        """The steps without one of them."""
        return (*self.steps[:at], *self.steps[at + 1 :])

    def moved(self, at: int, to: int) -> tuple[Step, ...]:
        """The steps with one of them in another place."""
        others = self.without(at)
        return (*others[:to], self.steps[at], *others[to:])

    def saying(self, at: int, words: str) -> tuple[Step, ...]:
        """The steps with other words for one of them."""
        return (*self.steps[:at], self.steps[at].saying(words), *self.steps[at + 1 :])
