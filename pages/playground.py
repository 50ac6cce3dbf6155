"""Playground: scaled dot-product attention by hand."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.ui import presenting, state
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.playground import controls, pictures, why
from attnviz.ui.playground.compute import work_out
from attnviz.ui.views.playground import PlaygroundView


# What is moved is a fragment of its own: the less runs again, the sooner the picture follows the hand.
@fragment
def moving() -> None:
    store = state.store(PlaygroundView, PlaygroundView.start)
    complain(store.complaint)
    left, right = st.columns([1, 3], gap="medium")
    with left:
        controls.vector(store)
    with right:
        controls.switches(store)
        try:
            worked = work_out(store.view)
        except InputError as error:
            complain(error)
            return
        pictures.steps(store, worked)
    pictures.formula(store.view, worked)
    presenting.leave_out(lambda: pictures.check(worked))
    show_address(store)


@fragment
def explanation() -> None:
    with st.expander(_("Why divide by √d?"), icon=":material/help:", on_change="rerun", key="playground:why") as box:
        if box.open:
            why.why()


def introduction() -> None:
    st.markdown(
        _(
            "Every query is compared with every key; the softmax turns the scores into weights; "
            "the output is the weighted mean of the values. Move any number and watch the steps follow."
        )
    )
    controls.choices(chosen)


def further() -> None:
    with st.expander(_("Tokens, dimensions, and one step further back"), icon=":material/resize:"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            controls.sizes(chosen)
        controls.source(chosen)
    explanation()


st.title(_("Playground"))
chosen = state.store(PlaygroundView, PlaygroundView.start)
presenting.leave_out(introduction)
moving()
presenting.leave_out(further)
