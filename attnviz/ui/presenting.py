"""Whether the page is shown to others: large type, only the controls that matter."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from attnviz.base.language import _

PARAMETER = "present"
_KEY = "presenting"


def is_on() -> bool:
    """Whether this session presents; pages then leave out what nobody before a projector needs."""
    return bool(st.session_state.get(_KEY))


def leave_out(*parts: Callable[[], object]) -> None:
    """Draw these parts of the page, each in a place of its own, which stays empty while the page is presented.

    The places stay, so that what follows keeps its own: Streamlit makes anew what moves, and a zoom is lost.
    """
    for part in parts:
        with st.container():
            if not is_on():
                part()


def turn(on: bool) -> None:
    """Begin or end presenting; before the switch in the sidebar is drawn, that is in a callback or a link."""
    st.session_state[_KEY] = on


def follow_link() -> None:
    """Present when the address with which the session began says so."""
    if _KEY not in st.session_state:
        turn(st.query_params.get(PARAMETER) == "1")


def switch() -> None:
    """The switch in the sidebar."""
    st.toggle(
        _("Presenting"), key=_KEY, persist_state="session",
        help=_("Large type for a projector, and only the controls that matter. A bar at the bottom ends it."),
    )  # fmt: skip


def dress() -> None:
    """The page's clothes for a projector."""
    if is_on():
        st.html(Path(__file__).parent / "presenting.css")
