"""What every view of a trace holds: which model, which text."""

from typing import Any

from pydantic import Field

from attnviz.trace import Trace
from attnviz.ui.address import View

MOST_TEXT = 20_000
SENTENCE = "The black cat crossed the street because it was hungry, and the car stopped."


class SourceView(View, frozen=True):
    """A model by its name, folder or hub id, and a text. A file that was opened is in no address."""

    model: str = Field(default="minilm", max_length=500)
    text: str = Field(default=SENTENCE, max_length=MOST_TEXT)

    def beginning(self, trace: Trace | None) -> dict[str, Any]:  # noqa: ARG002 - a page may need it
        """The fields that begin anew with another model or file; of the trace where it is known already."""
        return {}

    def suits(self, trace: Trace) -> bool:  # noqa: ARG002 - a page may need it
        """Whether the view shows a part of this trace, or was meant for another kind of model."""
        return True

    def other_text(self) -> dict[str, Any]:
        """The fields that begin anew with another text."""
        return {}
