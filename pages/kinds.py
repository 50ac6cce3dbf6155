"""Kinds: every kind of attention on the same queries, keys and values, two at a time."""

import streamlit as st

from attnviz.base.language import _, _m
from attnviz.ui import presenting, state
from attnviz.ui.kinds import fewer, fused, positions, side_by_side
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.views.kinds import KindsView

PARTS = {
    "side": _m("Side by side"),
    "positions": _m("Positions"),
    "fewer": _m("Fewer tokens"),
    "fused": _m("Fused kernels"),
}
SHOW = {"side": side_by_side.show, "positions": positions.show, "fewer": fewer.show, "fused": fused.show}


@fragment
def kinds() -> None:
    store = state.store(KindsView, KindsView)
    presenting.leave_out(lambda: choose(store))
    complain(store.complaint)
    # Named, so that no part is made of what is left of another.
    with st.container(key=f"kinds-part-{store.view.part}"):
        SHOW[store.view.part](store)
    show_address(store)


def choose(store: KindsStore) -> None:
    st.markdown(
        _(
            "Dozens of kinds of attention change one line of the same formula: who may look at whom, what a score is, or "
            "what is done to it. Put two of them on the same queries, keys and values, and see what becomes different."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("What is shown"), list(SHOW), required=True, label_visibility="collapsed",
            format_func=lambda name: _(PARTS[name]), **store.field("part"),
        )  # fmt: skip
        st.button(_("Undo"), icon=":material/undo:", disabled=not store.can_undo, key="kinds:undo", on_click=store.undo)
        st.button(_("Reset"), icon=":material/restart_alt:", key="kinds:reset", on_click=store.reset)


st.title(_("Kinds"))
kinds()
