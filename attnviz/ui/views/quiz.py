"""The Quiz's state: which numbers the questions are asked with. What somebody answers is no part of it."""

from typing import Any, Literal

from pydantic import Field

from attnviz.base.language import _
from attnviz.ui.address import View

LAST_SEED = 9999


class QuizView(View, frozen=True):
    """`seed` 0 asks the lesson's own four questions."""

    page: Literal["quiz"] = "quiz"
    seed: int = Field(default=0, ge=0, le=LAST_SEED)

    def summary(self) -> str:
        """Which numbers are asked with."""
        return _("Numbers: set {seed}", seed=self.seed)

    def with_other_numbers(self) -> dict[str, Any]:
        """The fields that change when other numbers are wanted: the next seed, after the last one the first."""
        return {"seed": (self.seed + 1) % (LAST_SEED + 1)}
