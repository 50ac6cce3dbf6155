"""The Heads page's state: which model, which text, and what of its attention is looked at."""

import textwrap
from typing import Literal

from pydantic import Field

from attnviz.attention import Role
from attnviz.base.language import _
from attnviz.selection import Selection
from attnviz.ui.address import View

MOST_TEXT = 20_000
MOST_SAID = 50
SENTENCE = "The black cat crossed the street because it was hungry, and the car stopped."


class HeadsView(View, frozen=True):
    """`query` and `key` are positions, None when none is chosen."""

    page: Literal["heads"] = "heads"
    model: str = Field(default="minilm", max_length=500)
    text: str = Field(default=SENTENCE, max_length=MOST_TEXT)
    role: Role = "encoder"
    layer: int = Field(default=0, ge=0, lt=10_000)
    head: int | Literal["mean", "maximum"] = 0
    query: int | None = Field(default=None, ge=0)
    key: int | None = Field(default=None, ge=0)
    hide_special: bool = False
    renormalise: bool = False
    glance: Literal["maps", "entropy", "largest", "distance", "special"] = "maps"

    @classmethod
    def start(cls) -> "HeadsView":
        """Head 0 of layer 0 on a sentence; the first head is shown because it is the first, not for its looks."""
        return cls()

    def selection(self) -> Selection:
        """The part of the view that says what of a trace is looked at."""
        return Selection(
            role=self.role, layer=self.layer, head=self.head, query=self.query, key=self.key,
            hide_special=self.hide_special,
        )  # fmt: skip

    def summary(self) -> str:
        """Model, layer and head, and the beginning of the text."""
        combined = {"mean": _("mean of all heads"), "maximum": _("maximum of all heads")}
        head = combined[self.head] if isinstance(self.head, str) else _("head {head}", head=self.head)
        beginning = textwrap.shorten(self.text, MOST_SAID, placeholder=" …")
        return f"{self.model} · {_('Layer {layer}, {head}', layer=self.layer, head=head)} · {beginning}"
