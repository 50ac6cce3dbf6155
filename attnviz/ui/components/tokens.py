"""Text whose tokens are buttons, coloured and numbered by their weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, Message, echo

_component = Component("tokens")

# With more tokens than this the numbers would drown the text: they appear under the pointer and the focus.
MOST_NUMBERED = 128


@dataclass(frozen=True)
class ShownToken:
    """One token as it is shown."""

    position: int
    """What identifies it; the text does not."""
    text: str
    """The token with everything invisible made visible, not escaped."""
    before: str = ""
    """What stands between the token before and this one in the text: a space, a line break, nothing."""
    colour: str = ""
    """CSS colour of its ground; none where there is no weight."""
    number: str = ""
    """Its weight as it is printed, or a sign for what is no weight."""
    generated: bool = False
    """Written by the model itself: underlined."""


@dataclass(frozen=True)
class TokenClick:
    """A token that was chosen, and what it was chosen as."""

    position: int
    side: Literal["query", "key"]


def tokens(
    key: str,
    shown: Sequence[ShownToken],
    *,
    description: str,
    selected_query: int | None = None,
    selected_key: int | None = None,
    on_click: Callable[[TokenClick], None] | None = None,
) -> None:
    """Show the text. `selected_query` and `selected_key` are positions.

    Up to 128 tokens the number stands under each, above that it appears with pointer or focus. Arrow keys go
    from token to token; Enter chooses a query, Shift+Enter a key, and a switch says which of them a click chooses.
    """
    positions = {token.position for token in shown}

    def receive(message: Message) -> None:
        position, side = message.get("position"), message.get("side")
        if on_click is not None and position in positions and side in ("query", "key"):
            on_click(TokenClick(int(position), side))

    data = {
        "seq": echo(key),
        "tokens": [
            [token.position, token.text, token.before, token.colour, token.number, int(token.generated)]
            for token in shown
        ],
        "numbered": len(shown) <= MOST_NUMBERED,
        "query": selected_query,
        "key": selected_key,
        "clicks": on_click is not None,
        "labels": {
            "description": description,
            "choose": _("A click chooses"),
            "query": _("query"),
            "key": _("key"),
            "chosenQuery": _("chosen as query"),
            "chosenKey": _("chosen as key"),
            "help": _("Enter chooses a query, Shift+Enter a key; arrow keys move."),
        },
    }
    _component.show(key, data, receive)
