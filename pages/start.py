"""Start: what attention is, in one picture computed now, and three doors."""

import streamlit as st

from attnviz.base.language import _
from attnviz.ui import presenting, start
from attnviz.ui.page import fragment

picture = fragment(start.picture)

st.title(_("What does attention look at?"))
presenting.leave_out(
    lambda: st.markdown(
        _(
            "A car waits at a crossing and wants to turn. Its **query** asks: what stands in my way? Everything around it "
            "answers with a **key**. The better a key fits the query, the larger its **weight** — and the weights, "
            "which sum to 1, say how much of each **value** is taken along."
        )
    )
)
picture()
presenting.leave_out(start.doors)
