"""Block: what becomes of a token's vector in a Transformer, part by part and layer by layer."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.ui import presenting, state
from attnviz.ui.block import follow, norms, reach
from attnviz.ui.block.store import BlockStore
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.views.block import BlockView

PARTS = {
    "follow": _m("Follow a vector"),
    "norm": _m("Norm before or after"),
    "reach": _m("Reach over depth"),
}


def part(store: BlockStore) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.segmented_control(
            _("What to look at"), list(PARTS), required=True, label_visibility="collapsed",
            format_func=lambda name: _(PARTS[name]), **store.field("part"),
        )  # fmt: skip
        if store.view.part != "follow":  # there, they stand beside the source
            with st.container(horizontal=True, width="content"):
                st.button(
                    _("Undo"),
                    icon=":material/undo:",
                    on_click=store.undo,
                    disabled=not store.can_undo,
                    key="block:back",
                )
                st.button(_("Reset"), icon=":material/restart_alt:", on_click=reset, args=(store,), key="block:anew")


def reset(store: BlockStore) -> None:
    """This part of the page as it begins; the other two stay."""
    begun = BlockView.start()
    store.change(stack=begun.stack) if store.view.part == "norm" else store.change(reach=begun.reach)


# One fragment: whatever is chosen, the pictures and the sentences below follow.
@fragment
def block() -> None:
    store = state.store(BlockView, BlockView.start)
    presenting.leave_out(lambda: part(store))
    complain(store.complaint)
    with st.container():
        try:
            if store.view.part == "reach":
                reach.reach(store)
            elif store.view.part == "norm":
                norms.norms(store)
            else:
                follow.follow(store)
        except InputError as error:
            complain(error)
    show_address(store)


st.title(_("Block"))
block()
