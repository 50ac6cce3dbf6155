"""Cost: from what somebody has to what attention costs, and what would make it fit."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.ui import presenting, state
from attnviz.ui.cost import convolution, detector, fitting, time, tokens
from attnviz.ui.cost.store import CostStore
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.views.cost import CostView

PARTS = {
    "tokens": (_m("What it costs"), tokens.show),
    "convolution": (_m("Attention and convolution"), convolution.show),
    "detector": (_m("Detectors"), detector.show),
    "time": (_m("Time"), time.show),
    "fit": (_m("What would fit"), fitting.show),
}


def part(store: CostStore) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("What to look at"), list(PARTS), required=True, wrap=True, format_func=lambda name: _(PARTS[name][0]),
            **store.field("part"),
        )  # fmt: skip
        st.button(_("Undo"), icon=":material/undo:", disabled=not store.can_undo, key="cost:undo", on_click=store.undo)
        st.button(_("Reset"), icon=":material/restart_alt:", key="cost:reset", on_click=lambda: reset(store))


def reset(store: CostStore) -> None:
    """Back to what the part that is shown begins with."""
    store.complaint = None
    store.show(CostView(part=store.view.part))


@fragment
def moving() -> None:
    store = state.store(CostView, CostView)
    presenting.leave_out(introduction, lambda: part(store))
    above = st.container()
    with st.container(key=f"cost-part-{store.view.part}"):
        try:
            PARTS[store.view.part][1](store)
        except InputError as error:
            store.complaint = error
    with above:
        complain(store.complaint)
    show_address(store)


def introduction() -> None:
    st.markdown(
        _(
            "Attention compares every token with every token, so its core grows with the square of their number; "
            "the rest of a Transformer block grows in step with it. Say what you have, and see which of the two you pay for."
        )
    )


st.title(_("Cost"))
moving()
