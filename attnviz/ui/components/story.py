"""The bar at the bottom of a page that is presented."""

from collections.abc import Callable, Sequence

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, Message, echo

_component = Component("story")


def story(
    key: str,
    *,
    page: str,
    at: int | None,
    count: int,
    sentence: str,
    stories: Sequence[tuple[str, str]],
    on_go: Callable[[int], None],
    on_begin: Callable[[str], None],
    on_end: Callable[[], None],
) -> None:
    """Show where in a story one is, its sentence, the ways back and on, and the end.

    `at` counts from 0 and is None where no story is walked: then `stories`, pairs of identifier and title, are
    offered. Arrow keys and those of a clicker turn the steps whatever has the focus, except where they are
    needed: in text, menus, tables and sliders.
    """
    place = "" if at is None else f"{at + 1} / {count}"
    data = {
        "seq": echo(key),
        "page": page,
        "at": at,
        "count": count,
        "sentence": sentence,
        "stories": [list(offered) for offered in stories],
        "labels": {
            "bar": _("Presenting"),
            "back": _("Back"),
            "next": _("Next"),
            "end": _("End presenting"),
            "begin": _("Walk through a story …"),
            "place": place,
        },
    }
    known = {name for name, _title in stories}

    def receive(message: Message) -> None:
        kind, to, name = message.get("kind"), message.get("to"), message.get("story")
        if kind == "go" and type(to) is int and 0 <= to < count:
            on_go(to)
        elif kind == "begin" and name in known:
            on_begin(str(name))
        elif kind == "end":
            on_end()

    _component.show(key, data, receive)
