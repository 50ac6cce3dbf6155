"""The script that runs first for every page: language, menu, what is always in sight."""

from pathlib import Path

import streamlit as st

from attnviz.base import language
from attnviz.ui import navigation, sidebar


def main() -> None:
    """Draw the frame, then run the page that was chosen."""
    language.choose(st.session_state.get("lang") or st.query_params.get("lang", "en"))
    st.set_page_config(layout="wide", page_icon=str(Path(__file__).parent / "icon.svg"))
    st.html(Path(__file__).parent / "frame.css")
    page = navigation.navigation()
    sidebar.draw(page)
    page.run()


main()
