"""The street: everybody on it as the component draws them, and what a hand there means for the view."""

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m, _n
from attnviz.figures.numerals import weight_text
from attnviz.scenes.kinds import SIZES, Kind
from attnviz.ui.components import (
    SceneAdd,
    SceneEvent,
    SceneHead,
    SceneHeadSwitch,
    ScenePlace,
    SceneRemove,
    SceneRename,
    SceneSelect,
    SceneUser,
    scene,
)
from attnviz.ui.intersection.compute import Looked
from attnviz.ui.state import Store
from attnviz.ui.views.intersection import MOST_USERS, IntersectionView, RoadUser
from attnviz.ui.views.street import ADDED, EGO, KNOWN, Place, nearest

IntersectionStore = Store[IntersectionView]


def street(store: IntersectionStore, looked: Looked | None, *, presented: bool = False) -> None:
    """The street with a line from the ego to everybody, for every head that is switched on.

    Before a projector it has no tools and takes no more than its share of the screen.
    """
    view = store.view
    weights = {} if looked is None else dict(zip(looked.ids, looked.weights.T.tolist(), strict=True))
    scene(
        "intersection-scene",
        _drawn(view, EGO, _(KNOWN["ego car"]), "car", view.ego, weights),
        [_drawn(view, user.id, user.label(), user.kind, user.place, weights) for user in view.users],
        [SceneHead(head_name(view, head), head not in hidden(view)) for head in range(view.heads)],
        weights,
        description=describe(view, looked),
        selected=view.selected,
        traffic=view.traffic,
        start=view.start_from,
        live=False,  # places do not enter typed-in vectors
        tools=not presented,
        height=320 if presented else 620,
        on_event=lambda event: happened(store, event),
    )


def head_name(view: IntersectionView, head: int) -> str:
    """What a head is called; nothing where there is only one."""
    return _("head {number}", number=head + 1) if view.heads > 1 else ""


def hidden(view: IntersectionView) -> tuple[int, ...]:
    """The heads whose lines are not drawn; a single head cannot be switched off."""
    return view.hidden if view.heads > 1 else ()


def not_drawn(view: IntersectionView) -> str:
    """Which heads are switched off, in words; nothing where all are drawn."""
    named = ", ".join(head_name(view, head) for head in hidden(view))
    return _("Not drawn: {heads}.", heads=named) if named else ""


def describe(view: IntersectionView, looked: Looked | None) -> str:
    """The street in words: how many there are, and what the ego's weights on them are."""
    count = len(view.users)
    said = [
        _n(
            "A crossing with the ego car and {count} road user.",
            "A crossing with the ego car and {count} road users.",
            count,
        )
    ]
    if looked is None:
        return said[0]
    if hidden(view):
        said.append(not_drawn(view))
    for head in range(view.heads):
        if view.heads > 1:
            said.append(_("For {head}:", head=head_name(view, head)))
        said.append(figures.describe_weight_bars(looked.weights[head], key_labels=looked.labels))
    said.append(_("The vectors are typed in."))
    return " ".join(said)


def _drawn(
    view: IntersectionView, name: str, label: str, kind: Kind, place: Place, weights: dict[str, list[float]]
) -> SceneUser:
    size = SIZES[kind]
    return SceneUser(
        id=name, label=label, kind=kind, x=place.x, y=place.y, heading=place.heading,
        length=size.length, width=size.width, said=_said(view, label, weights.get(name)),
    )  # fmt: skip


def _said(view: IntersectionView, label: str, weights: list[float] | None) -> str:
    """A road user and its exact weights."""
    if weights is None:
        return label
    if view.heads == 1:
        return _("{name}: weight {weight}", name=label, weight=exact(weights[0]))
    listed = ", ".join(f"{head_name(view, head)} {exact(weight)}" for head, weight in enumerate(weights))
    return _("{name}: weights {weights}", name=label, weights=listed)


def exact(number: float) -> str:
    """A weight or an output with six decimals, or with two significant digits where those would hide it."""
    hidden_by_decimals = 0 < abs(number) < 1e-4
    return weight_text(number) if hidden_by_decimals else f"{number:.6f}".replace("-", "−")


def happened(store: IntersectionStore, event: SceneEvent) -> None:
    """Change the view as the hand on the street wants it. The view may have changed since the street was drawn."""
    view = store.view
    match event:
        case ScenePlace():
            _move(store, event)
        case SceneSelect() if event.id == EGO or view.user(event.id):
            store.look(selected=event.id)
        case SceneAdd():
            _add(store, event)
        case SceneRemove() if view.user(event.id):
            store.change(**view.without(event.id))
        case SceneRename():
            if user := view.user(event.id):
                store.change(**view.with_user(user.model_copy(update={"name": event.name})))
        case SceneHeadSwitch():
            store.change(hidden=tuple(sorted({*view.hidden} ^ {event.head})))


def _move(store: IntersectionStore, event: ScenePlace) -> None:
    place = nearest(event.x, event.y, event.heading)
    gesture = f"place {event.id}"
    if event.id == EGO:
        store.change(gesture, ego=place, selected=EGO)
    elif user := store.view.user(event.id):
        moved = store.view.with_user(user.model_copy(update={"place": place}))
        store.change(gesture, moved, selected=user.id)


def _add(store: IntersectionStore, event: SceneAdd) -> None:
    view = store.view
    if len(view.users) >= MOST_USERS:
        store.complaint = InputError(
            _m("There are {limit} road users already, the most that this page can show."), limit=MOST_USERS
        )
        return
    width = len(view.queries[0])
    # All zeros: it says nothing of itself yet, its score is 0 whatever is asked.
    user = RoadUser(
        id=f"{ADDED}{max((user.number for user in view.users), default=0) + 1}", kind=event.kind, place=nearest(event.x, event.y, 90.0),
        keys=((0.0,) * width,) * view.heads, values=(0.0,) * view.heads,
    )  # fmt: skip
    store.change(users=(*view.users, user), selected=user.id)
