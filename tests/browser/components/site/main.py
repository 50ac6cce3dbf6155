"""Navigation of the harness; each page shows one component in a state that the tests know."""

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parent / "harness"

st.set_page_config(layout="wide")
st.navigation(
    [
        st.Page(PAGES / f"{name}.py", title=name, url_path=name, default=name == "home")
        for name in sorted(path.stem for path in PAGES.glob("*.py"))
    ]
).run()
