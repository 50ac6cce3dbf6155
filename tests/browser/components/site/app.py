"""The harness that the browser tests drive: one page for each component."""

from pathlib import Path

import streamlit as st

from attnviz.ui import assets

app = st.App(Path(__file__).parent / "main.py", routes=assets.routes())
