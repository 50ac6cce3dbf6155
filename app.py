"""What `streamlit run app.py` starts: hands the site to Streamlit, with the files its browser side needs."""

from pathlib import Path

import streamlit as st

import attnviz.ui
from attnviz.ui import assets

app = st.App(Path(attnviz.ui.__file__).parent / "main.py", routes=assets.routes())
