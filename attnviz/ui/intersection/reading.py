"""What query, key and value stand for on this street."""

import streamlit as st

from attnviz.base.language import _


def three_vectors() -> None:
    """Three short columns: the question, the answers, what is handed over."""
    query, key, value = st.columns(3, gap="medium")
    with query:
        st.markdown(
            _(
                "**Query — what the ego asks.** “What stands in my way?” Here two numbers: how much it cares for what "
                "moves (1), and for what crosses its path (2)."
            )
        )
    with key:
        st.markdown(
            _(
                "**Key — what each says of itself.** In the first example, the oncoming car: I move (2), I cross a little (1). The "
                "pedestrian: I move a little (1), I cross (2). The parked car: I stand (−1), I cross nothing (0)."
            )
        )
    with value:
        st.markdown(
            _(
                "**Value — what each hands over** if it is looked at: how much it is in the way, from 0 to 1. The "
                "weight decides how much of it is taken; it does not change the value itself."
            )
        )
    st.caption(
        _(
            "This reading of the two numbers is ours, to make them easy to follow. In a trained model nobody gives the "
            "numbers names."
        )
    )
