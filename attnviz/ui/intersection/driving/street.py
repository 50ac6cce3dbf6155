"""The street that a model is shown: lines as thick as the weights it gives, and what a hand there means."""

import math
from collections.abc import Mapping, Sequence

import torch

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.simulator.cast import PARKED
from attnviz.ui.components import (
    SceneAdd,
    SceneEvent,
    SceneHead,
    ScenePlace,
    SceneRemove,
    SceneRename,
    SceneSelect,
    SceneUser,
    scene,
)
from attnviz.ui.intersection.driving.compute import Judged, played
from attnviz.ui.intersection.street import IntersectionStore, exact
from attnviz.ui.views.driving import MOST_MOVERS, Drive, Mover
from attnviz.ui.views.street import ADDED, EGO, nearest

PHANTOM = "phantom:"
"""Before the id of whoever hides it; no road user's own id has a colon."""
WALKING: dict[Kind, float] = {"pedestrian": 1.4, "child": 1.4, "cyclist": 4.0, "parked-car": 0.0, "obstacle": 0.0}
"""Metres a second of somebody who is added; vehicles begin with 8."""


def street(
    store: IntersectionStore, judged: Judged | None, phantoms: Sequence[SceneUser] = (), *, presented: bool = False
) -> None:
    """Everybody who is there, also who is hidden; a line to whoever the model reads. Signs have no line.

    phantoms: children that are put in by the probe, and only drawn.
    """
    view, drive = store.view, store.view.drive
    if judged is None:
        return
    weights = judged.weights(drive)
    users = [
        _drawn({str(key): cell for key, cell in row.items()}, judged, weights) for row in judged.rows.to_dict("records")
    ]
    shown = {str(name) for name in judged.rows["agent_id"]}
    scene(
        "intersection-scene",
        users[0],
        [*users[1:], *phantoms],
        [SceneHead("")],
        {name: [weight] for name, weight in weights.items() if name in shown and not math.isnan(weight)},
        description=describe(judged, weights),
        selected=chosen(drive, judged),
        traffic="left" if drive.moving else drive.traffic,
        start=f"{view.source} {drive.moving} {drive.scene if drive.moving else 0}",
        live=not drive.moving,
        tools=not presented,
        fixed=drive.moving,
        height=320 if presented else 620,
        way=way_ahead(drive, judged) if drive.moving else None,
        on_event=lambda event: happened(store, event),
    )


def way_ahead(drive: Drive, judged: Judged) -> list[tuple[float, float]]:
    """The rest of the ego's way in a simulated scene, from where it is."""
    way = played(drive.scene, near=drive.near, child=drive.child).road.lanes[0].centre
    ego = judged.rows.iloc[0]
    nearest = int(((way[:, 0] - ego["x"]) ** 2 + (way[:, 1] - ego["y"]) ** 2).argmin())
    return [
        (float(ego["x"]), float(ego["y"])),
        *((round(float(x), 2), round(float(y), 2)) for x, y in way[nearest + 3 :]),
    ]


def chosen(drive: Drive, judged: Judged) -> str:
    """Who is chosen; in a scene without the one who was, the parked vehicle near the way."""
    here = {*judged.found.ids, *map(str, judged.rows["agent_id"])}
    return next((name for name in (drive.selected, PARKED) if name in here), "")


def describe(judged: Judged, weights: Mapping[str, float]) -> str:
    """The street in words: the decision, who is hidden, and the weights."""
    seen = [name for name in judged.found.ids if not math.isnan(weights[name])]
    said = [
        _("The model's probability of a conflict if the ego turns now: {number}.", number=f"{judged.probability:.3f}")
    ]
    said.append(
        figures.describe_weight_bars(
            torch.tensor([weights[name] for name in seen]), key_labels=[judged.labels[name] for name in seen]
        )
    )
    hidden = [judged.labels.get(name, name) for name in hidden_ids(judged)]
    if hidden:
        said.append(_("Hidden from the ego, and no token: {names}.", names=", ".join(hidden)))
    return " ".join(said)


def hidden_ids(judged: Judged) -> list[str]:
    """Who is there and not seen, so that the model knows nothing of it."""
    return [str(name) for name in judged.rows["agent_id"] if str(name) not in judged.found.ids]


def _drawn(row: Mapping[str, object], judged: Judged, weights: Mapping[str, float]) -> SceneUser:
    name = str(row["agent_id"])
    label = judged.labels.get(name, name)
    weight = weights.get(name, math.nan)
    unseen = name not in judged.found.ids
    said = (
        _("{name}: hidden, no token", name=label)
        if unseen
        else _("{name}: weight {weight}", name=label, weight=exact(weight))
    )
    number = {key: float(row[key]) for key in ("x", "y", "heading", "length", "width")}  # type: ignore[arg-type]  # a table's numbers
    return SceneUser(
        id=name, label=label, kind=row["class"], x=number["x"], y=number["y"],  # type: ignore[arg-type]  # checked by the table
        heading=math.degrees(number["heading"]), length=number["length"], width=number["width"], said=said,
    )  # fmt: skip


def happened(store: IntersectionStore, event: SceneEvent) -> None:
    """Change the view as the hand on the street wants it. A simulated scene can only be looked at."""
    drive = store.view.drive
    if isinstance(event, SceneSelect):
        # A phantom is nobody: who hides it is meant.
        store.look(**drive.but(selected=event.id.removeprefix(PHANTOM)))
        return
    if drive.moving:
        return
    match event:
        case ScenePlace():
            _move(store, drive, event)
        case SceneAdd():
            _add(store, drive, event)
        case SceneRemove() if drive.user(event.id):
            left = tuple(user for user in drive.users if user.id != event.id)
            store.change(**drive.but(users=left, selected=left[-1].id if left else EGO))
        case SceneRename():
            if user := drive.user(event.id):
                store.change(**drive.but(users=drive.with_user(user.model_copy(update={"name": event.name}))))


def _move(store: IntersectionStore, drive: Drive, event: ScenePlace) -> None:
    place = nearest(event.x, event.y, event.heading)
    gesture = f"place {event.id}"
    if event.id == EGO:
        store.change(gesture, drive.but(ego=place, selected=EGO))
    elif user := drive.user(event.id):
        moved = drive.with_user(user.model_copy(update={"place": place}))
        store.change(gesture, drive.but(users=moved, selected=user.id))


def _add(store: IntersectionStore, drive: Drive, event: SceneAdd) -> None:
    if len(drive.users) >= MOST_MOVERS:
        store.complaint = InputError(
            _m("There are {limit} road users already, the most that this page can show."), limit=MOST_MOVERS
        )
        return
    user = Mover(
        id=f"{ADDED}{max((user.number for user in drive.users), default=0) + 1}", kind=event.kind,
        place=nearest(event.x, event.y, 90.0), speed=WALKING.get(event.kind, 8.0),
    )  # fmt: skip
    store.change(**drive.but(users=(*drive.users, user), selected=user.id))
