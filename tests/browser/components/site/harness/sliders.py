"""Two groups of numbers, answered as slowly as the tests ask."""

import time

import streamlit as st

from attnviz.ui.components import SliderGroup, SliderNumber, sliders

state = st.session_state
state.setdefault("numbers", {"a": 1.0, "b": -0.5})
state.setdefault("runs", 0)


def heard(name: str, value: float) -> None:
    state.numbers[name] = value


@st.fragment
def numbers() -> None:
    state.runs += 1
    time.sleep(float(st.query_params.get("slow", "0")))
    made = [
        SliderNumber(name, f"number {name}", f"number {name}", value, -4.0, 4.0, floor=-100.0, ceiling=100.0)
        for name, value in state.numbers.items()
    ]
    sliders("sliders", [SliderGroup("<b>group</b>", made, note="a note")], description="Numbers", on_number=heard)
    st.write(f"NUMBERS {state.numbers} RUNS {state.runs}")


numbers()
