"""The page at the root: a page that is the default cannot be reached by its own name."""

import streamlit as st

st.write("HOME")
