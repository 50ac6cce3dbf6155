"""What every page's script does first, and how a part of it is run again alone."""

import functools
import os
import re
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

from attnviz.base import language
from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.ui.address import ADDRESS_LIMIT, PARAMETER, View
from attnviz.ui.components import address
from attnviz.ui.state import Store
from attnviz.ui.stories import visits

HEAD_START = 0.03
"""Seconds; two frames, and less than a person notices on what comes after."""

P = ParamSpec("P")
V = TypeVar("V", bound=View)


def fragment(body: Callable[P, None]) -> Callable[P, None]:
    """A part of a page that runs again alone when one of its widgets changes.

    Such a run happens in a new thread that knows no language yet, so the language is chosen first.
    """

    @st.fragment
    @functools.wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        language.choose(st.session_state.get("lang") or "en")
        body(*args, **kwargs)

    return run


def show_address(store: Store[V]) -> None:
    """Put the page's view into the browser's address, or say that it is too long for one."""
    visits.note(store.view.page, store.view)
    text = store.address()
    if len(text) > ADDRESS_LIMIT:
        st.caption(_("This view is too long for an address; save it as a view file instead."))
        text = ""
    address("address", {PARAMETER: text})


def let_paint() -> None:
    """A moment in which the browser draws what it was sent so far.

    It takes in everything that has arrived before it draws anything, so what should be seen first needs a head start.
    """
    time.sleep(HEAD_START)


def complain(error: InputError | None) -> None:
    """One sentence about bad input, where there is one; the rest of the page stays as it was.

    Its place is kept when there is none: Streamlit knows what follows by its place, and what moves is made
    anew and forgets its zoom.
    """
    with st.container():
        if error is not None:
            st.error(plain(str(error)), icon=":material/error:")


# What Streamlit makes icons, emoji and arrows of after Markdown is done, escaped or not.
_SHORTCODE = re.compile(r":(?=[\w+-]+(/\w+)?:)")
_ARROW = re.compile(r"(?<!\S)(<-|-|>|<|~)(?=[->=]+(\s|$))")
_WORD_JOINER = "\u2060"


def plain(text: str) -> str:
    """Text from outside as Markdown that shows it letter by letter, with nothing interpreted.

    An invisible word joiner parts the signs that Streamlit would put together to an icon or an arrow.
    """
    for pattern in (_SHORTCODE, _ARROW):
        text = pattern.sub(lambda found: found[0] + _WORD_JOINER, text)
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]()<>#+-.!|~$:" else sign for sign in text)


def is_public() -> bool:
    """Whether strangers can reach this server: then no folders and no hub ids are opened."""
    return bool(os.environ.get("ATTNVIZ_PUBLIC"))
