"""Heads: the attention of a trained language model, layer by layer and head by head."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.ui import presenting, state
from attnviz.ui.heads import checked, controls, glance, head, labels, text
from attnviz.ui.heads.look import look
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.source import panel
from attnviz.ui.views.heads import HeadsView


@fragment
def heads() -> None:
    store = state.store(HeadsView, HeadsView.start)
    complain(store.complaint)
    presenting.leave_out(lambda: panel.controls(store))
    try:
        found = panel.current(store)
        panel.origin(found)
        checked.checks(found.trace)
        presenting.leave_out(lambda: labels.labels(store, found))
        glance.glance(store, found)
        controls.controls(store, found)
        shown = look(found.trace, store.view)
        head.pair(shown)
        text.text(store, shown)
        head.pictures(store, shown)
        checked.lookalikes(found.trace)
    except InputError as error:
        complain(error)
    show_address(store)


st.title(_("Heads"))
presenting.leave_out(
    lambda: st.markdown(
        _(
            "A trained language model reads your text. Each of its heads has its own weights; "
            "choose a head in the overview, then a token in any of the pictures. "
            "A weight says where a head looked, not why."
        )
    )
)
heads()
