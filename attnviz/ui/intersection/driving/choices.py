"""Which model is asked, and which street it is shown."""

from typing import Any

import streamlit as st

from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m
from attnviz.models.turn import networks, shipped
from attnviz.ui.intersection.controls import reset
from attnviz.ui.intersection.driving.compute import taken_over
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.views.driving import MEAN, SIMULATED, Drive

KINDS = {"ego": _m("one layer: the ego asks"), "self": _m("two layers: everybody asks")}


def model(store: IntersectionStore) -> None:
    """The cell of the study and the seed; what layer and head is drawn."""
    drive = store.view.drive
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind(store)
        st.select_slider(
            _("Hazard"), shipped.HAZARDS, width=170, format_func=lambda hazard: f"{hazard:g}",
            help=_("How probable it was, in training, that a child runs out if a parked vehicle stands near the way."),
            **_shipped(store, "hazard", drive.hazard),
        )  # fmt: skip
        st.select_slider(
            _("Run-outs seen in training"), shipped.RUNOUTS, width=230, format_func=grouped,
            help=_(
                "About how many such children ran out in the training scenes. With none there was no parked vehicle near "
                "the way at all; at hazard 0 the vehicles are as many as at 0.5."
            ),
            **_shipped(store, "runouts", drive.runouts),
        )  # fmt: skip
        st.selectbox(
            _("Seed"), range(shipped.SEEDS), width=90,
            help=_("Ten models that differ by their training scenes and first weights alone. Try several before you conclude."),
            **_shipped(store, "seed", drive.seed),
        )  # fmt: skip
        layer_and_head(store)


def kind(store: IntersectionStore) -> None:
    """One layer or two."""
    st.selectbox(
        _("Model"),
        list(KINDS),
        width=230,
        format_func=lambda one: _(KINDS[one]),
        **_shipped(store, "kind", store.view.drive.kind),
    )


def layer_and_head(store: IntersectionStore) -> None:
    """Whose weights the lines are."""
    drive = store.view.drive
    if drive.kind == "self":
        st.segmented_control(
            _("Layer"), range(networks.LAYERS), required=True, format_func=lambda layer: str(layer + 1),
            **_field(store, "layer", drive.layer),
        )  # fmt: skip
    st.segmented_control(
        _("Weights of"), [MEAN, *range(networks.HEADS)], required=True,
        format_func=lambda head: _("mean of heads") if head == MEAN else _("head {number}", number=head + 1),
        **_field(store, "head", drive.head),
    )  # fmt: skip


def scene(store: IntersectionStore) -> None:
    """One's own street, or a simulated scene that moves; and the way back."""
    drive = store.view.drive
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Street"), [False, True], required=True,
            format_func=lambda moving: _("simulated, it moves") if moving else _("your own, drag it"),
            **_field(store, "moving", drive.moving),
        )  # fmt: skip
        if drive.moving:
            st.number_input(_("Scene"), 0, SIMULATED - 1, width=110, **_field(store, "scene", drive.scene))
            st.toggle(_("parked vehicle near the way"), **_field(store, "near", drive.near))
            st.toggle(_("a child runs out"), disabled=not drive.near, **_field(store, "child", drive.child))
            st.button(
                _("Make this moment my own"), icon=":material/edit:", key="intersection:take",
                help=_("Then everybody can be dragged. Signs stay behind."),
                on_click=lambda: store.change(drive=taken_over(store.view.drive)),
            )  # fmt: skip
        else:
            st.segmented_control(
                _("Traffic keeps"), ["left", "right"], required=True,
                format_func=lambda side: _("left") if side == "left" else _("right"),
                **store.widget("drive traffic", drive.traffic, lambda side: mirrored(store.view.drive, side)),
            )  # fmt: skip
        st.button(
            _("Undo"), icon=":material/undo:", disabled=not store.can_undo, key="intersection:undo", on_click=store.undo
        )
        st.button(_("Reset"), icon=":material/restart_alt:", key="intersection:reset", on_click=lambda: back(store))


def back(store: IntersectionStore) -> None:
    """The lesson's street again; the model stays, and so does everything of the typed-in vectors."""
    if store.view.source == "typed":
        reset(store)
        return
    fresh, drive = Drive(), store.view.drive
    kept = {name: getattr(drive, name) for name in ("kind", "hazard", "runouts", "seed", "own", "moving")}
    store.change(**fresh.but(**kept))


def mirrored(drive: Drive, side: str) -> dict[str, Any]:
    """The fields that change when traffic keeps to the other side: everybody is mirrored with the street."""
    if side == drive.traffic:
        return {}
    users = tuple(user.model_copy(update={"place": user.place.mirrored()}) for user in drive.users)
    return drive.but(traffic=side, ego=drive.ego.mirrored(), users=users)


def _field(store: IntersectionStore, name: str, shown: Any) -> dict[str, Any]:
    return store.widget(f"drive {name}", shown, lambda chosen: store.view.drive.but(**{name: chosen}))


def _shipped(store: IntersectionStore, name: str, shown: Any) -> dict[str, Any]:
    """As `_field`; who chooses a shipped model does not ask one of their own any more."""
    return store.widget(f"drive {name}", shown, lambda chosen: store.view.drive.but(**{name: chosen, "own": ""}))
