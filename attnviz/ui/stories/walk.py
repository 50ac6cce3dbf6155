"""Walking a story: where one is, and how a step comes onto the screen."""

from dataclasses import dataclass, replace

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.ui import address, navigation, presenting, state
from attnviz.ui.navigation import Place
from attnviz.ui.stories import catalogue
from attnviz.ui.stories.model import Step, Story

STORY, STEP = "story", "step"
"""The parameters of an address that say where in which shipped story one is; steps count from 1."""

_WALK, _ASKED, _FOLLOWED, _COMPLAINT = "walk", "walk:asked", "walk:followed", "walk:complaint"


@dataclass(frozen=True)
class Walk:
    """A story that is walked. `name`: its name in an address, "" for a story of one's own."""

    story: Story
    at: int = 0
    name: str = ""

    @property
    def step(self) -> Step:
        return self.story.steps[self.at]


def current() -> Walk | None:
    """The walk of this session, if there is one."""
    found: Walk | None = st.session_state.get(_WALK)
    return found


def begin(story: Story, name: str = "", at: int = 0) -> None:
    """Walk this story from this step on, presenting."""
    presenting.turn(True)
    _stand(Walk(story, at, name))


def go(at: int) -> None:
    """To another step of the same story."""
    walk = current()
    if walk is not None and 0 <= at < len(walk.story.steps):
        _stand(replace(walk, at=at))


def end() -> None:
    """Stop presenting and stay where one is; one step of undo brings back what the page showed before the walk."""
    st.session_state.pop(_WALK, None)
    presenting.turn(False)


def ask(step: Step) -> None:
    """Show this step when the script runs next. Callbacks know no language, in which a view may have to be made."""
    st.session_state[_ASKED] = step


def _stand(walk: Walk) -> None:
    st.session_state[_WALK] = walk
    ask(walk.step)


def parameters() -> dict[str, str]:
    """What the address says about the walk; a story of one's own fits into none."""
    walk = current()
    if walk is None or not walk.name:
        return {STORY: "", STEP: ""}
    return {STORY: walk.name, STEP: str(walk.at + 1)}


def follow_link(place: Place) -> None:
    """Begin where the address says, once a session. A view in the address goes before that of the step."""
    if _FOLLOWED in st.session_state:
        _follow_browser(place)
        return
    st.session_state[_FOLLOWED] = True
    name = st.query_params.get(STORY, "")
    if not name:
        return
    story = catalogue.find(name)
    if story is None:
        st.session_state[_COMPLAINT] = InputError(_m("There is no story “{name}”."), name=name[:40])
        return
    number = st.query_params.get(STEP, "")
    at = int(number[:9]) - 1 if number.isascii() and number.isdigit() else 0
    begin(story, name, min(max(at, 0), len(story.steps) - 1))
    walk = current()
    if walk is not None and place.path == walk.step.page and address.PARAMETER in st.query_params:
        st.session_state.pop(_ASKED)


def _follow_browser(place: Place) -> None:
    """Where the browser's own way back, or a link, has led to another page, the step is the nearest one on it."""
    walk = current()
    if walk is None or _ASKED in st.session_state or place.path == walk.step.page:
        return
    there = [at for at, step in enumerate(walk.story.steps) if step.page == place.path]
    if there:
        nearest = min(there, key=lambda at: (abs(at - walk.at), at))
        st.session_state[_WALK] = replace(walk, at=nearest)


def arrive(place: Place) -> None:
    """Show the step that was asked for; turns the page where the step is on another one."""
    step: Step | None = st.session_state.pop(_ASKED, None)
    if step is None:
        return
    try:
        target, view = navigation.find(step.page), step.shown()
    except InputError as error:
        st.session_state[_COMPLAINT] = error
        return
    if view is not None and target.start is not None:
        state.store(type(view), target.start).show(view, state.WALK)
    if target.path != place.path:
        st.switch_page(navigation.page(target.path))


def complaint() -> InputError | None:
    """What was wrong with the link or the step that was asked for: said once."""
    found: InputError | None = st.session_state.pop(_COMPLAINT, None)
    return found
