"""Fewer tokens on the Kinds page: pool, merge or crop, see what stands for what, and what is lost."""

import streamlit as st

from attnviz.base.language import _, _m
from attnviz.figures.palette import Number
from attnviz.ui import presenting
from attnviz.ui.kinds import fewer_picture, fewer_street
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.views.kinds_fewer import COLUMNS, HEADS, METHODS, PATCHES, ROWS, USERS, Fewer, Method

SOURCES = {"scene": _m("A crossing"), "picture": _m("A picture")}
NAMES: dict[Method, str] = {
    "pool": _m("Pool"),
    "merge": _m("Merge similar ones"),
    "crop": _m("Crop the view"),
}
TOLD: dict[str, dict[Method, str]] = {
    "picture": {
        "pool": _m("Each square of patches becomes one token, the mean of them."),
        "merge": _m(
            "Every second patch looks for the most similar of the others, and the most similar pairs become one, wherever "
            "they are; rounds follow until so many are left (ToMe, Bolya et al. 2022)."
        ),
        "crop": _m("Patches outside the view have no token."),
    },
    "scene": {
        "pool": _m("Whoever stands in the same square of the ground becomes one token, the mean of them; the ego stays itself."),
        "merge": _m(
            "Every second road user looks for the one with the most similar key, as the model learnt it, and the most "
            "similar pairs become one; rounds follow until so many are left (ToMe, Bolya et al. 2022). The ego stays itself."
        ),
        "crop": _m("Whoever is further from the ego than this has no token."),
    },
}  # fmt: skip


def show(store: KindsStore) -> None:
    """Choose a method and how many are kept; see before and after; what is lost."""
    presenting.leave_out(lambda: source(store))
    view: Fewer = store.view.fewer
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("How they become fewer"), list(METHODS), required=True, format_func=lambda name: _(NAMES[name]),
            **store.widget("fewer method", view.method, lambda name: store.view.fewer.but(method=name)),
        )  # fmt: skip
        amount(store, view)
    presenting.leave_out(lambda: st.caption(_(TOLD[view.source][view.method])))
    with st.container():
        (fewer_picture if view.source == "picture" else fewer_street).show(view)


def source(store: KindsStore) -> None:
    """A picture or a street."""
    view: Fewer = store.view.fewer
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Whose tokens"), list(SOURCES), required=True, format_func=lambda name: _(SOURCES[name]),
            **store.widget("fewer source", view.source, lambda name: store.view.fewer.but(source=name)),
        )  # fmt: skip
        if view.source == "scene":
            st.selectbox(
                _("Head"), range(HEADS), width=90, format_func=lambda head: str(head + 1),
                **store.widget("fewer head", view.head, lambda head: store.view.fewer.but(head=head)),
            )  # fmt: skip


def amount(store: KindsStore, view: Fewer) -> None:
    """The one slider that the method has, two for a view of a picture."""
    if view.source == "picture":
        if view.method == "pool":
            _slider(store, "side", _("Side of a block, patches"), 1, 8, 1)
        elif view.method == "merge":
            _slider(store, "keep", _("Tokens that are left"), 1, PATCHES, 1)
        else:
            _slider(store, "rows", _("Rows from … to"), 0, ROWS, 1)
            _slider(store, "columns", _("Columns from … to"), 0, COLUMNS, 1)
    elif view.method == "pool":
        _slider(store, "cell", _("Side of a square, metres"), 1.0, 40.0, 1.0)
    elif view.method == "merge":
        _slider(store, "users", _("Tokens that are left"), 2, USERS, 1)
    else:
        _slider(store, "radius", _("How far the ego sees, metres"), 5.0, 60.0, 1.0)


def _slider(store: KindsStore, name: str, label: str, least: Number, most: Number, step: Number) -> None:
    tied = store.widget(
        f"fewer {name}", getattr(store.view.fewer, name), lambda chosen: store.view.fewer.but(**{name: chosen})
    )
    st.slider(label, least, most, step=step, width=260, format="%d", **tied)
