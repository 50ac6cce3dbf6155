"""The views that were looked at in this session, for the story one makes of them. Nothing of it is kept elsewhere."""

import time
from dataclasses import dataclass

import streamlit as st

from attnviz.ui.address import View
from attnviz.ui.stories.model import STORIES

MOST = 30
REST = 3.0
"""Seconds for which a view must stay on its page to count as looked at: what a slider passes does not."""

_KEY = "visits"


@dataclass(frozen=True)
class Visit:
    """A page and what it showed, and since when."""

    page: str
    view: View | None
    since: float

    def same(self, page: str, view: View | None) -> bool:
        return self.page == page and self.view == view


def note(page: str, view: View | None) -> None:
    """The page shows this now."""
    visits = seen()
    if page == STORIES or (visits and visits[0].same(page, view)):
        return
    now = time.monotonic()
    if visits and visits[0].page == page and now - visits[0].since < REST:
        visits = visits[1:]
    others = [visit for visit in visits if not visit.same(page, view)]
    st.session_state[_KEY] = [Visit(page, view, now), *others][:MOST]


def seen() -> list[Visit]:
    """What was looked at, the newest first."""
    found: list[Visit] = st.session_state.get(_KEY, [])
    return found
