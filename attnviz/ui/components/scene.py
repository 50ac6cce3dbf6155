"""A street seen from above whose road users can be moved, with a line to each as thick as its weight."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeGuard

from attnviz.base.language import _
from attnviz.figures.numerals import weight_text
from attnviz.figures.palette import category, on_dark, thickness
from attnviz.scenes.kinds import KINDS, NAMES, Kind
from attnviz.scenes.table import Traffic
from attnviz.ui.components.chart import labels as export_labels
from attnviz.ui.components.mount import Component, Message, echo, pack

_component = Component("scene")

LONGEST_NAME = 60


@dataclass(frozen=True)
class SceneUser:
    """One road user as it is drawn: metres, degrees from east to north. `said`: what is read out about it."""

    id: str
    label: str
    kind: Kind
    x: float
    y: float
    heading: float
    length: float
    width: float
    said: str


@dataclass(frozen=True)
class SceneHead:
    """One head: what it is called ("" where there is only one), and whether its lines are drawn."""

    name: str
    shown: bool = True


@dataclass(frozen=True)
class ScenePlace:
    """Somebody was chosen and moved or turned; `done` is False while the hand still moves."""

    id: str
    x: float
    y: float
    heading: float
    done: bool


@dataclass(frozen=True)
class SceneSelect:
    """Somebody was chosen."""

    id: str


@dataclass(frozen=True)
class SceneAdd:
    """Somebody of this kind is to be added here."""

    kind: Kind
    x: float
    y: float


@dataclass(frozen=True)
class SceneRemove:
    """Somebody is to be removed."""

    id: str


@dataclass(frozen=True)
class SceneRename:
    """Somebody is to be called by another name; "" is the name that it would have by itself."""

    id: str
    name: str


@dataclass(frozen=True)
class SceneHeadSwitch:
    """A head's lines are to be shown or hidden, whichever they are not."""

    head: int


Line = Sequence[tuple[float, float]]
"""Points in metres."""


@dataclass(frozen=True)
class SceneRoad:
    """A road in place of the junction: what may be driven on, crossings, bounds and middles of lanes.

    name: tells it from other roads. left, right, bottom, top: what is shown at least, in metres.
    """

    name: str
    areas: Sequence[Line]
    crossings: Sequence[Line]
    lanes: Sequence[Line]
    middles: Sequence[Line]
    left: float
    right: float
    bottom: float
    top: float


SceneEvent = ScenePlace | SceneSelect | SceneAdd | SceneRemove | SceneRename | SceneHeadSwitch


def scene(
    key: str,
    ego: SceneUser,
    users: Sequence[SceneUser],
    heads: Sequence[SceneHead],
    weights: Mapping[str, Sequence[float]],
    *,
    description: str,
    selected: str = "",
    traffic: Traffic = "left",
    start: str = "",
    live: bool = False,
    tools: bool = True,
    fixed: bool = False,
    height: int = 640,
    road: SceneRoad | None = None,
    way: Line | None = None,
    on_event: Callable[[SceneEvent], None] | None = None,
) -> None:
    """Draw the street, everybody on it, and a line from the ego to each for every head.

    weights: by id, one for each head; a line is as thick as `figures.thickness` says and carries its number. With
    the ego's own id among them, its weights are rings around it. NaN has no line, but its number says so.
    live: whether Python wants to hear of a road user that is still being dragged, because its place changes
    weights; own pixels follow the hand either way, one message is in flight, and the last place always arrives.
    start: another value shows the whole street anew. tools: whether road users can be added, turned, renamed
    and removed by buttons. fixed: nobody can be moved, only chosen. height: the most that the street takes, in CSS pixels. road: another than the junction.
    way: where the ego goes on, instead of the turn that it means to take at the junction.
    """
    known = {ego.id, *(user.id for user in users)}
    header = {
        "seq": echo(key),
        "file": "intersection",
        "ego": asdict(ego),
        "users": [asdict(user) for user in users],
        "heads": [
            {**asdict(head), "colour": category(index), "onDark": on_dark(category(index))}
            for index, head in enumerate(heads)
        ],
        "lines": {name: [_line(weight) for weight in found] for name, found in weights.items()},
        "description": description,
        "selected": selected,
        "traffic": traffic,
        "street": traffic if road is None else road.name,
        "road": None
        if road is None
        else {name: getattr(road, name) for name in ("areas", "crossings", "lanes", "middles")},
        "bounds": None if road is None else {name: getattr(road, name) for name in ("left", "right", "bottom", "top")},
        "way": way,
        "start": start,
        "live": live,
        "tools": tools and not fixed,
        "fixed": fixed,
        "height": height,
        "kinds": [(kind, _(NAMES[kind])) for kind in KINDS],
        "labels": _labels() | ({"help": _("Choose somebody with a click, or with Tab and Enter.")} if fixed else {}),
    }

    def receive(message: Message) -> None:
        event = _event(message, known, ego.id, len(heads))
        if event is not None and on_event is not None:
            on_event(event)

    _component.show(key, pack(header), receive)


def _line(weight: float) -> dict[str, object]:
    return {
        "weight": None if math.isnan(weight) else weight,
        "width": thickness(weight),
        "text": weight_text(weight),
    }


def _event(message: Message, known: set[str], ego: str, heads: int) -> SceneEvent | None:
    """What the browser said, if it makes sense."""
    kind, name = message.get("kind"), message.get("id")
    if kind == "add":
        return _add(message)
    if kind == "head":
        head = message.get("head")
        return SceneHeadSwitch(head) if type(head) is int and 0 <= head < heads else None
    if not isinstance(name, str) or name not in known:
        return None
    if kind == "place":
        return _place(message, name)
    if kind == "select":
        return SceneSelect(name)
    if kind == "remove" and name != ego:
        return SceneRemove(name)
    called = message.get("name")
    if kind == "rename" and name != ego and isinstance(called, str):
        return SceneRename(name, _whole(called).strip()[:LONGEST_NAME])
    return None


def _whole(text: str) -> str:
    """The text without halves of characters, which no file and no address can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _add(message: Message) -> SceneAdd | None:
    x, y = message.get("x"), message.get("y")
    for kind in KINDS:
        if kind == message.get("what") and _finite(x) and _finite(y):
            return SceneAdd(kind, float(x), float(y))
    return None


def _place(message: Message, name: str) -> ScenePlace | None:
    x, y, heading = message.get("x"), message.get("y"), message.get("heading")
    if not (_finite(x) and _finite(y) and _finite(heading)):
        return None
    return ScenePlace(name, float(x), float(y), float(heading), message.get("done") is True)


def _finite(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _labels() -> dict[str, str]:
    return export_labels() | {
        "toolbar": _("Zoom or save this picture"),
        "in": _("Zoom in"),
        "out": _("Zoom out"),
        "whole": _("Show the whole street"),
        "tools": _("Change who is on the street"),
        "add": _("Add"),
        "left": _("Turn left"),
        "leftHelp": _("Turn by 15 degrees (key Q)"),
        "right": _("Turn right"),
        "rightHelp": _("Turn by 15 degrees (key E)"),
        "rename": _("Rename"),
        "renameHelp": _("Give it another name (key F2, or a double click)"),
        "remove": _("Remove"),
        "removeHelp": _("Take it off the street (key Delete)"),
        "turn": _("Drag to turn"),
        "heads": _("Heads whose lines are drawn"),
        "metre": _("m"),
        "place": _("{x} m east, {y} m north, heading {heading}°", x="{x}", y="{y}", heading="{heading}"),
        "covered": _("Some numbers cover each other: zoom in."),
        "help": _("Drag somebody, or choose somebody with Tab and move with the arrow keys; Q and E turn."),
    }
