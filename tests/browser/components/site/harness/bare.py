"""What the chart's speed is compared with: a slider and a number."""

import streamlit as st

st.write("VALUE", st.slider("move", 0, 100, 50))
