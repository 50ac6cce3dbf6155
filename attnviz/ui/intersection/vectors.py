"""The vectors as sliders: what the ego asks, what the chosen road user says of itself, what it hands over."""

from typing import TypeVar

from attnviz.base.language import _
from attnviz.figures.palette import ceiling
from attnviz.ui.components import SliderGroup, SliderNumber, sliders
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.views.intersection import Handed, IntersectionView
from attnviz.ui.views.street import EGO, KNOWN

T = TypeVar("T")

USUAL = 4.0
"""How far the sliders of queries and keys go on both sides of 0."""


def vectors(store: IntersectionStore) -> None:
    """Query, key and value of the head in question; what is moved changes the view at once."""
    view = store.view
    sliders(
        "intersection-vectors",
        [_query(view), *_handed(view)],
        description=_("Query, key and value"),
        on_number=lambda name, value: moved(store, name, value),
    )


def chosen(view: IntersectionView) -> tuple[str, Handed] | None:
    """The name of the chosen road user and what it hands over; None for an ego that does not look at itself."""
    if view.selected == EGO:
        return (_(KNOWN["ego car"]), view.own) if view.own is not None else None
    user = view.user(view.selected)
    return (user.label(), user) if user is not None else None


def _query(view: IntersectionView) -> SliderGroup:
    title = _("Query: what the ego asks") if view.heads == 1 else _("Query of head {number}", number=view.head + 1)
    vector = view.queries[view.head]
    return SliderGroup(title, [_number("query", _("query"), index, number) for index, number in enumerate(vector)])


def _handed(view: IntersectionView) -> list[SliderGroup]:
    found = chosen(view)
    if found is None:
        return []
    name, handed = found
    key = [_number("key", _("key"), index, number) for index, number in enumerate(handed.keys[view.head])]
    value = handed.values[view.head]
    return [
        SliderGroup(
            name,
            [
                *key,
                _value("value", _("value"), value),
                _value("value_if", _("value, if it were"), view.value_if),
            ],
        )
    ]


def _number(name: str, called: str, index: int, number: float) -> SliderNumber:
    label = f"{called} · {index + 1}"
    reach = ceiling([number], USUAL)
    return SliderNumber(f"{name}:{index}", label, label, number, -reach, reach)


def _value(name: str, called: str, number: float) -> SliderNumber:
    least = -ceiling([number], 1) if number < 0 else 0.0
    return SliderNumber(name, called, called, number, least, ceiling([number], 1), step=0.01)


def moved(store: IntersectionStore, name: str, value: float) -> None:
    """Change the view as a moved number wants it: "query:0", "key:1", "value" or "value_if"."""
    view = store.view
    part, _colon, index = name.partition(":")
    gesture = f"{name} of {view.selected}, head {view.head}"
    if part == "value_if":
        store.change(gesture, value_if=value)
    elif part == "query":
        queries = _with(view.queries, view.head, _with(view.queries[view.head], int(index), value))
        store.change(gesture, queries=queries)
    elif found := chosen(view):
        _hand(store, gesture, _changed(found[1], view.head, part, index, value))


def _with(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _changed(handed: Handed, head: int, part: str, index: str, value: float) -> Handed:
    if part == "key":
        keys = _with(handed.keys, head, _with(handed.keys[head], int(index), value))
        return handed.model_copy(update={"keys": keys})
    return handed.model_copy(update={"values": _with(handed.values, head, value)})


def _hand(store: IntersectionStore, gesture: str, handed: Handed) -> None:
    view = store.view
    if view.selected == EGO:
        store.change(gesture, own=handed)
    elif user := view.user(view.selected):
        changed = user.model_copy(update={"keys": handed.keys, "values": handed.values})
        store.change(gesture, view.with_user(changed))
