"""The text itself, token by token: coloured by weight, each token a button."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, Message, echo, pack

Side = Literal["query", "key"]

_component = Component("tokens")


@dataclass(frozen=True)
class TokenClick:
    """A token that was chosen, as query or as key."""

    side: Side
    position: int


@dataclass(frozen=True)
class ShownToken:
    """One token: its position, its label, the text between it and the one before, its colour and its number.

    `before` is what the source has there, such as a space. `colour` is any CSS colour, "" for none;
    `number` is what is printed below it; `whole` is said on hover where the label leaves something out.
    """

    position: int
    label: str
    before: str = ""
    colour: str = ""
    number: str = ""
    generated: bool = False
    whole: str = ""


def tokens(
    key: str,
    shown: Sequence[ShownToken],
    *,
    description: str,
    selected_query: int | None = None,
    selected_key: int | None = None,
    on_click: Callable[[TokenClick], None] | None = None,
    right_to_left: bool = False,
) -> None:
    """A text whose tokens can be clicked, or walked with the arrow keys and chosen with Enter.

    The first token stands on the left, or on the right where the text runs from `right_to_left`, which is then said.
    A switch above says whether a click chooses the query or the key; Shift chooses the other one.
    """
    known = {token.position for token in shown}
    labels = {
        "query": _("choose the query"),
        "key": _("choose the key"),
        "hint": _("Shift and click chooses the other."),
        "direction": _("The positions run from right to left.") if right_to_left else "",
    }
    header = {
        "description": description,
        "labels": labels,
        "query": selected_query,
        "key": selected_key,
        "direction": "rtl" if right_to_left else "ltr",
        "tokens": [
            [token.position, token.label, token.before, token.colour, token.number, token.generated, token.whole]
            for token in shown
        ],
    }

    def receive(message: Message) -> None:
        side, position = message.get("side"), message.get("position")
        if on_click is None or position not in known:
            return
        if side == "query":
            on_click(TokenClick("query", int(position)))
        elif side == "key":
            on_click(TokenClick("key", int(position)))

    _component.show(key, pack({"seq": echo(key), **header}), receive)
