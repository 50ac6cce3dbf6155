"""The page that the Playground is compared with: a slider and a number."""

import streamlit as st

st.write(st.slider("number", 0.0, 1000.0, 1.0))
