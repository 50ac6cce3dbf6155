"""Quiz: the lesson's four questions, answered by typing, and the page that shows why."""

import streamlit as st

from attnviz.base.language import _
from attnviz.ui import state
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.quiz.board import board
from attnviz.ui.views.quiz import QuizView


@fragment
def quiz() -> None:
    store = state.store(QuizView, QuizView)
    complain(store.complaint)
    board(store)
    show_address(store)


st.title(_("Quiz"))
st.markdown(
    _(
        "Four questions, to be answered with pencil or pocket calculator; for a weight, two decimals are enough. "
        "Each answer leads to the page that shows why."
    )
)
st.caption(_("What you answer stays in this session: it is not saved, not logged and not part of the link."))
quiz()
