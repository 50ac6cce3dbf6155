"""A page whose state is in its address, with share button and theme switch."""

import streamlit as st

from attnviz.ui.components import address, share, theme

st.segmented_control("Language", ["en", "ja"], key="lang", bind="query-params", default="en", required=True)
theme("theme", ["chart", "state", "four", "bare", "tokens", "matrix"])
if "number" not in st.session_state:
    st.session_state["number"] = int(st.query_params.get("n", "0"))
number = st.slider("number", 0, 10, key="number")
address("address", {"n": str(number) if number else ""})
share("share")
st.write(f"SEEN {st.query_params.get('n', 'nothing')}")
st.button("Again")
st.write(f"LANG {st.session_state['lang']}")
