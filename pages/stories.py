"""Stories: views with a sentence each, to be walked through before others."""

import streamlit as st

from attnviz.base.language import _
from attnviz.ui import presenting
from attnviz.ui.page import show_address
from attnviz.ui.stories import draft, making

store = draft.draft()
st.title(_("Stories"))
st.markdown(
    _(
        "A story is a list of views with a sentence each. It is walked by button, by arrow keys or with a clicker, "
        "in large type for a projector."
    )
)
making.offered()
# Nobody makes a story before an audience.
if not presenting.is_on():
    making.make(store)
    making.visited(store)
show_address(store)
