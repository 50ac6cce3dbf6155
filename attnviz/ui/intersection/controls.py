"""What is chosen once above the street: where to start, the side of the road, heads, the ego's own weight."""

from typing import Any

import streamlit as st

from attnviz.base.language import _
from attnviz.ui.intersection.starts import STARTS
from attnviz.ui.intersection.street import IntersectionStore, head_name
from attnviz.ui.views.intersection import MOST_HEADS, Handed, IntersectionView


def choices(store: IntersectionStore) -> None:
    """Start, traffic, heads, own weight, and the way back."""
    view = store.view
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Start from"), list(STARTS), width=230, format_func=lambda name: _(STARTS[name][0]),
            **store.widget("start", view.start_from, lambda name: dict(STARTS[name][1]())),
        )  # fmt: skip
        st.segmented_control(
            _("Traffic keeps"), ["left", "right"], required=True,
            format_func=lambda side: _("left") if side == "left" else _("right"),
            **store.widget("traffic", view.traffic, lambda side: mirrored(store.view, side)),
        )  # fmt: skip
        st.number_input(
            _("Heads"), 1, MOST_HEADS, width=110,
            **store.widget("heads", view.heads, lambda count: with_heads(store.view, int(count))),
        )  # fmt: skip
        head(store)
        st.toggle(
            _("Own weight"), **store.widget("own", view.own is not None, lambda on: with_own(store.view, on)),
            help=_("The query also meets the ego's own key, as in self-attention. Its weight is drawn as a ring."),
        )  # fmt: skip
        st.button(
            _("Undo"), icon=":material/undo:", disabled=not store.can_undo, key="intersection:undo", on_click=store.undo
        )
        st.button(_("Reset"), icon=":material/restart_alt:", key="intersection:reset", on_click=lambda: reset(store))


def head(store: IntersectionStore) -> None:
    """Whose numbers stand beside the street, where there is more than one head."""
    view = store.view
    with st.container(width="content"):
        if view.heads > 1:
            st.segmented_control(
                _("Numbers of"), range(view.heads), format_func=lambda head: head_name(view, head), required=True,
                **store.field("head"),
            )  # fmt: skip


def reset(store: IntersectionStore) -> None:
    """Back to what was started from; can be undone."""
    start = STARTS[store.view.start_from][1]()
    store.complaint = None
    store.show(start)


def mirrored(view: IntersectionView, side: str) -> dict[str, Any]:
    """The fields that change when traffic keeps to the other side: everybody is mirrored with the street."""
    if side == view.traffic:
        return {}
    users = tuple(user.model_copy(update={"place": user.place.mirrored()}) for user in view.users)
    return {"traffic": side, "ego": view.ego.mirrored(), "users": users}


def with_heads(view: IntersectionView, count: int) -> dict[str, Any]:
    """The fields that change when there are more heads or fewer.

    A new head begins with the keys and values of the last one and asks nothing: with a query of zeros all its
    weights are even.
    """
    zeros = (0.0,) * len(view.queries[0])
    return {
        "queries": (view.queries + (zeros,) * count)[:count],
        "users": tuple(user.model_copy(update=_resized(user, count)) for user in view.users),
        "own": None if view.own is None else view.own.model_copy(update=_resized(view.own, count)),
        "hidden": tuple(head for head in view.hidden if head < count),
        "head": min(view.head, count - 1),
    }


def with_own(view: IntersectionView, on: bool) -> dict[str, Any]:
    """The fields that change when the query meets the ego's own key; it begins with zeros."""
    zeros = (0.0,) * len(view.queries[0])
    return {"own": Handed(keys=(zeros,) * view.heads, values=(0.0,) * view.heads) if on else None}


def _resized(handed: Handed, count: int) -> dict[str, Any]:
    return {
        "keys": (handed.keys + handed.keys[-1:] * count)[:count],
        "values": (handed.values + handed.values[-1:] * count)[:count],
    }
