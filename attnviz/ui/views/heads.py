"""The Heads page's state: which model, which text, and what of its attention is looked at."""

import textwrap
from typing import Any, Literal

from pydantic import Field

from attnviz.attention import Role
from attnviz.base.language import _
from attnviz.selection import Selection
from attnviz.trace import Trace
from attnviz.trace.parts import MOST_LAYER_NUMBER
from attnviz.ui.views.source import MOST_TEXT, SENTENCE, SourceView

__all__ = ["MOST_TEXT", "SENTENCE", "HeadsView"]

MOST_SAID = 50


class HeadsView(SourceView, frozen=True):
    """`query` and `key` are positions, None when none is chosen; `item` and `run` are counted from 0."""

    page: Literal["heads"] = "heads"
    role: Role = "encoder"
    layer: int = Field(default=0, ge=0, le=MOST_LAYER_NUMBER)
    head: int | Literal["mean", "maximum"] = 0
    item: int = Field(default=0, ge=0)
    run: int = Field(default=0, ge=0)
    query: int | None = Field(default=None, ge=0)
    key: int | None = Field(default=None, ge=0)
    hide_special: bool = False
    show_padding: bool = False
    renormalise: bool = False
    glance: Literal["maps", "entropy", "largest", "distance", "special"] = "maps"

    @classmethod
    def start(cls) -> "HeadsView":
        """Head 0 of layer 0 on a sentence; the first head is shown because it is the first, not for its looks."""
        return cls()

    def beginning(self, trace: Trace | None) -> dict[str, Any]:
        """The first head of the first layer."""
        roles = trace.roles() if trace is not None else ()
        role = roles[0] if roles else "encoder"
        layer = trace.layers(role)[0] if trace is not None and roles else 0
        return {"role": role, "layer": layer, "head": 0, "item": 0, "run": 0, "query": None, "key": None}

    def suits(self, trace: Trace) -> bool:
        """Whether there is such a part of the model, with a first layer where none was asked for."""
        return self.role in trace.roles() and (self.layer > 0 or 0 in trace.layers(self.role))

    def other_text(self) -> dict[str, Any]:
        """Other tokens: none of them is chosen."""
        return {"query": None, "key": None}

    def selection(self) -> Selection:
        """The part of the view that says what of a trace is looked at."""
        return Selection(
            role=self.role, layer=self.layer, head=self.head, item=self.item, query=self.query, key=self.key,
            hide_special=self.hide_special,
        )  # fmt: skip

    def summary(self) -> str:
        """Model, layer and head, and the beginning of the text."""
        combined = {"mean": _("mean of all heads"), "maximum": _("maximum of all heads")}
        head = combined[self.head] if isinstance(self.head, str) else _("head {head}", head=self.head)
        beginning = textwrap.shorten(self.text, MOST_SAID, placeholder=" …")
        return f"{self.model} · {_('Layer {layer}, {head}', layer=self.layer, head=head)} · {beginning}"
