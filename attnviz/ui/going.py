"""Long work that goes on a little at a time, so that whatever is pressed meanwhile has its turn."""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import streamlit as st

from attnviz.base import language
from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.ui.page import complain

BETWEEN = 0.05
"""Seconds between two goes. A press in a fragment waits for the run that is going on, it does not end it."""
AT_A_TIME = 0.5
"""Seconds of one go: as long as a press may have to wait, and a batch more."""
_WORK = "going:work"


@dataclass
class Going:
    """One work of this session: by what it is known, how far it is, whether it pauses, and what it failed on."""

    name: Hashable
    steps: Iterator[float]
    share: float = 0.0
    paused: bool = False
    done: bool = False
    error: InputError | None = None

    def go(self, seconds: float) -> None:
        """Some of the steps."""
        until = time.monotonic() + seconds
        try:
            for share in self.steps:
                self.share = share
                if time.monotonic() > until:
                    return
            self.done = True
        except InputError as error:
            self.error = error


def begin(name: Hashable, make: Callable[[], Iterator[float]]) -> None:
    """Begin this work, or go on with it where it paused; any other is dropped."""
    found = _current(name)
    if found is None or found.error is not None or found.done:
        found = Going(name, make())
        st.session_state[_WORK] = found
    found.paused = False


def is_going(name: Hashable) -> bool:
    """Whether just this work is going on."""
    found = _current(name)
    return found is not None and not (found.paused or found.done or found.error)


def share_done(name: Hashable) -> float:
    """How much of a work that paused was done; what failed or is at its end begins anew."""
    found = _current(name)
    return found.share if found is not None and not (found.done or found.error) else 0.0


def show(name: Hashable, doing: str, beside: Callable[[], None] | None = None) -> None:
    """The bar, with what is done in a word, and the button that stops it while it is going on; what it failed on.

    beside: draws what there is so far, anew after every go.
    """
    found = _current(name)
    with st.container():
        if found is not None and is_going(name):
            st.button(
                _("Stop"),
                key="going:stop",
                icon=":material/stop:",
                on_click=lambda: setattr(found, "paused", True),
            )
            _go(found, doing, beside)
    complain(found.error if found is not None else None)


@st.fragment(run_every=BETWEEN)
def _go(found: Going, doing: str, beside: Callable[[], None] | None) -> None:
    language.choose(st.session_state.get("lang") or "en")
    if is_going(found.name):
        bar = st.progress(min(found.share, 1.0), doing)
        found.go(AT_A_TIME)
        bar.progress(min(found.share, 1.0), doing)
        if beside is not None:
            beside()
    if not is_going(found.name):
        # The part of the page around the bar shows what was found.
        st.rerun()


def _current(name: Hashable) -> Going | None:
    found: Going | None = st.session_state.get(_WORK)
    return found if found is not None and found.name == name else None
