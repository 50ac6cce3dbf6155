"""Intersection: lines as thick as their weights, from an ego car to everything around it."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.ui import presenting, state
from attnviz.ui.intersection import controls, pictures, reading
from attnviz.ui.intersection.compute import Looked, look
from attnviz.ui.intersection.driving.page import driving
from attnviz.ui.intersection.recorded.page import recorded
from attnviz.ui.intersection.street import IntersectionStore, not_drawn, street
from attnviz.ui.intersection.vectors import vectors
from attnviz.ui.page import complain, fragment, let_paint, show_address
from attnviz.ui.views.intersection import IntersectionView


def looked_at(store: IntersectionStore) -> Looked | None:
    try:
        return look(store.view)
    except InputError as error:
        store.complaint = error
        return None


SOURCES = {"typed": _m("Typed-in vectors"), "model": _m("A model that learnt"), "file": _m("A scene file, its risks")}


def source(store: IntersectionStore) -> None:
    st.segmented_control(
        _("Where the weights come from"), list(SOURCES), required=True, format_func=lambda name: _(SOURCES[name]),
        **store.field("source"),
    )  # fmt: skip


# One fragment: whatever is moved, the street and all the numbers beside it follow.
@fragment
def moving() -> None:
    store = state.store(IntersectionView, IntersectionView)
    presenting.leave_out(lambda: introduction(store), lambda: source(store))
    with st.container():
        if store.view.source == "model":
            driving(store)
        elif store.view.source == "file":
            recorded(store)
        else:
            typed(store)
    show_address(store)


def typed(store: IntersectionStore) -> None:
    looked = looked_at(store)
    # The street is sent first, so that lines change before all else; containers keep the order on the page.
    above = st.container()
    left, right = st.columns([2, 1], gap="medium")
    with left:
        street(store, looked, presented=presenting.is_on())
    with right:
        # An audience reads the sentence first; who explores has the sliders where the hand is.
        first, second = st.container(key="intersection-first"), st.container(key="intersection-second")
    with second if presenting.is_on() else first:
        vectors(store)
    let_paint()
    with first if presenting.is_on() else second:
        if looked:
            pictures.meaning(store.view, looked)
    with above:
        presenting.leave_out(lambda: controls.choices(store))
        if presenting.is_on():
            controls.head(store)
        complain(store.complaint)
    with left:
        st.caption(not_drawn(store.view) or " ")
        st.caption(
            _(
                "Typed-in vectors: no model has learnt these weights, and where somebody stands does not enter into "
                "them. Dragging moves a line; query and key change its width."
            )
        )
    if looked:
        pictures.pictures(store.view, looked)
        presenting.leave_out(lambda: pictures.effects(store.view, looked))
        pictures.formula(store.view, looked)
    presenting.leave_out(explanation)


def introduction(store: IntersectionStore) -> None:
    if store.view.source == "file":
        said = _(
            "A moment of a scene that was recorded: who is around the ego car, who is hidden from it, and what each risk "
            "measure says. With a trace of your model beside it, a line runs to everybody, as thick as the weight."
        )
    else:
        said = _(
            "The ego car wants to turn across the oncoming lane. It asks “what stands in my way?”, and a line runs to "
            "everybody around it, as thick as the weight. Drag, turn, add, rename; move a number and watch the lines."
        )
    st.markdown(said)


def explanation() -> None:
    with st.expander(_("What query, key and value stand for here"), icon=":material/help:", expanded=True):
        reading.three_vectors()


st.title(_("Intersection"))
moving()
