"""The script that runs first for every page: language, menu, what is always in sight."""

from pathlib import Path

import streamlit as st

from attnviz.base import language
from attnviz.ui import navigation, presenting, sidebar
from attnviz.ui.page import complain
from attnviz.ui.source import files
from attnviz.ui.stories import bar, visits, walk


def main() -> None:
    """Draw the frame, then run the page that was chosen."""
    sidebar.follow_link()
    language.choose(st.session_state["lang"])
    st.set_page_config(layout="wide", page_icon=str(Path(__file__).parent / "icon.svg"))
    st.html(Path(__file__).parent / "frame.css")
    page = navigation.navigation()
    if files.begins_with_file() and not page.url_path:
        # Whoever starts the app on a file wants to see it.
        st.switch_page(navigation.page("heads"))
    place = navigation.find(page.url_path)
    presenting.follow_link()
    walk.follow_link(place)
    walk.arrive(place)
    presenting.dress()
    sidebar.draw(place)
    bar.draw(place)
    complain(walk.complaint())
    if place.view is None:
        visits.note(place.path, None)
    page.run()


main()
