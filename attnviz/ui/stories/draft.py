"""The draft of one's own story, and the ways into it from other pages."""

import streamlit as st

from attnviz.base import language
from attnviz.base.language import _
from attnviz.ui import state
from attnviz.ui.navigation import Place
from attnviz.ui.state import Store
from attnviz.ui.stories.model import STORIES, Step, Story, said, step_of
from attnviz.ui.views.stories import StoriesView

DraftStore = Store[StoriesView]


def draft() -> DraftStore:
    """This session's draft."""
    return state.store(StoriesView, StoriesView)


def add(step: Step) -> None:
    """One more step at the end."""
    store = draft()
    store.change(steps=store.view.with_step(step))


def start_from(story: Story) -> None:
    """Begin with a story that is there, its words in the current language."""
    language.choose(st.session_state.get("lang") or "en")
    steps = tuple(step.saying(said(step.say)) for step in story.steps)
    draft().change(title=said(story.title), steps=steps)


def offer(place: Place) -> None:
    """A button that puts what this page shows now into the story."""
    if place.path == STORIES:
        return

    def add_this() -> None:
        language.choose(st.session_state.get("lang") or "en")
        shown = (
            state.store(place.view, place.start).view if place.view is not None and place.start is not None else None
        )
        add(step_of(place.path, shown))
        if draft().complaint is None:
            count = len(draft().view.steps)
            st.toast(_("Added to your story as step {count}.", count=count), icon=":material/playlist_add:")

    st.button(_("Add to my story"), icon=":material/playlist_add:", on_click=add_this, key=f"add:{place.path}")
