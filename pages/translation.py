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
    # An audience sees what the presenter asks about, or the pictures, before all controls.
    presented = presenting.is_on()
    asked, above, pictures, below, last = (st.container() for _place in range(5))
    with below if presented else above:
        with st.container():
            stepping.stepping(store, found)
        with st.container():
            showing.showing(store, found)
    with pictures:
        side.side_by_side(store, found)
        side.what_it_means(found)
    with asked if presented and store.view.part != "gold" else last:
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
