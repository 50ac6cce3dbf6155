"""Text with tokens that would be markup, if anybody let them."""

import streamlit as st

from attnviz.ui.components import ShownToken, TokenClick, tokens

TEXTS = ["<s>", "The", "<img src=x onerror=alert(1)>", "the", "the", "</script>", "שלום", "last"]
COLOURS = ["", "#440154", "#fde725", "#21918c", "#31688e", "", "#440154", "#fde725"]

state = st.session_state
state.setdefault("query", None)
state.setdefault("key", None)
state.setdefault("count", 0)


def chosen(click: TokenClick) -> None:
    state[click.side] = click.position
    state.count += 1


many = st.toggle("many")
shown = [
    ShownToken(
        position, text, "" if position == 0 else " ", colour, "∅" if not colour else f"0.{position}", position > 6
    )
    for position, (text, colour) in enumerate(
        zip(TEXTS * (40 if many else 1), COLOURS * (40 if many else 1), strict=True)
    )
]
tokens(
    "tokens",
    shown,
    description="Weights of a query.",
    selected_query=state.query,
    selected_key=state.key,
    on_click=chosen,
)
st.write(f"QUERY {state.query} KEY {state.key} COUNT {state.count}")
