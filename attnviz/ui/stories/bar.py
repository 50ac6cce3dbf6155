"""The bar at the bottom while a page is presented."""

import streamlit as st

from attnviz.ui import presenting
from attnviz.ui.components import story as story_bar
from attnviz.ui.navigation import Place
from attnviz.ui.stories import catalogue, walk
from attnviz.ui.stories.model import said


def draw(place: Place) -> None:
    """The bar, where the page is presented. Its place is always kept: what moves is made anew."""
    with st.container(key="story-bar"):
        if not presenting.is_on():
            return
        walking = walk.current()
        story_bar(
            "story",
            page=place.path,
            at=None if walking is None else walking.at,
            count=0 if walking is None else len(walking.story.steps),
            sentence="" if walking is None else said(walking.step.say),
            stories=[(name, said(catalogue.shipped(name).title)) for name in catalogue.SHIPPED],
            on_go=walk.go,
            on_begin=lambda name: walk.begin(catalogue.shipped(name), name),
            on_end=walk.end,
        )
