"""Translation: what attention learnt to look at, in two generations of models side by side, word by word."""

import streamlit as st

from attnviz.base.language import _
from attnviz.ui import presenting, state
from attnviz.ui.page import complain, fragment, show_address
from attnviz.ui.translation import choices, sentence, showing, side, stepping
from attnviz.ui.translation.columns import columns
from attnviz.ui.translation.trust import trust
from attnviz.ui.views.translation import TranslationView


@fragment
def translation() -> None:
    store = state.store(TranslationView, TranslationView.start)
    complain(store.complaint)
    presenting.leave_out(lambda: choices.choices(store))
    wrong = sentence.sentence(store)
    found = columns(store.view, wrong)
    with st.container():
        stepping.stepping(store, found)
    with st.container():
        showing.showing(store, found)
    with st.container():
        side.side_by_side(store, found)
    side.what_it_means(found)
    with st.container():
        if wrong is None:
            trust(store)
    show_address(store)


st.title(_("Translation"))
presenting.leave_out(
    lambda: st.markdown(
        _(
            "Models that learnt to translate, and where each step of their decoder looks in the source. The order of words "
            "differs, so the lines cross: “black cat” becomes “chat noir”. Type a sentence, go through it step by step, "
            "click a word."
        )
    )
)
translation()
