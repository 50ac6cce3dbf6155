"""The page that the scene is compared with: a slider in a component of its own, and Python's echo of its number."""

import streamlit as st

JS = """
export default function ({ data, parentElement, setStateValue }) {
    const [slider, echo] = parentElement.querySelectorAll("input, span");
    slider.oninput = () => setStateValue("number", Number(slider.value));
    echo.textContent = data.number;
}
"""
bare = st.components.v2.component(
    "bare", html='<input type="range" min="0" max="1000"><span class="echo"></span>', js=JS, isolate_styles=False
)


@st.fragment
def echo() -> None:
    number = (st.session_state.get("bare") or {}).get("number", 0)
    bare(key="bare", data={"number": number}, on_number_change=lambda: None)


echo()
