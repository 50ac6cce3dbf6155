"""The label check on request: one token is changed, and only its own keys and values may move."""

import streamlit as st

from attnviz.base.language import _
from attnviz.recording import LabelCheck
from attnviz.tokens import isolated
from attnviz.ui.page import plain
from attnviz.ui.source import recorded
from attnviz.ui.source.source import Source
from attnviz.ui.state import Store
from attnviz.ui.views.heads import HeadsView

_ASKED = "heads:labels"
MOST_LISTED = 10


def labels(store: Store[HeadsView], source: Source) -> None:
    """A button, and what it found out; nothing where there is no model to run again."""
    with st.container():
        if source.file:
            return
        position = _position(store.view, source)
        st.button(
            _("Check the labels"),
            icon=":material/label:",
            type="tertiary",
            key="heads:check-labels",
            help=_(
                "Runs the model again with one token changed, the chosen query or else token 1. In the first layer "
                "only that token's own keys and values may move; if others do, the labels stand at the wrong places."
            ),
            on_click=_ask,
            args=(source.key, position),
        )
        asked = st.session_state.get(_ASKED)
        if asked is not None and asked[0] == source.key:
            _answer(store.view, source, asked[1])


def _ask(key: str, position: int) -> None:
    st.session_state[_ASKED] = (key, position)


def _position(view: HeadsView, source: Source) -> int:
    longest = source.trace[0].shape[1] if source.trace.attentions else 1
    chosen = view.query if view.query is not None and view.role != "cross" else 1
    return min(chosen, longest - 1)


def _answer(view: HeadsView, source: Source, position: int) -> None:
    with st.spinner(_("Running the model with one token changed …")):
        found = recorded.labels(view.model, view.text, position)
    token = plain(isolated(source.trace[0].key_tokens.label(position)))
    if found.agrees:
        st.success(
            _(
                "Token {position}, “{token}”, was changed: in the first layer only its own keys and values moved.",
                position=position,
                token=token,
            )
        )
    else:
        st.warning(
            _(
                "Token {position}, “{token}”, was changed: in the first layer keys or values moved at {moved}. "
                "The labels may stand at the wrong places.",
                position=position,
                token=token,
                moved=_listed(found),
            )
        )


def _listed(found: LabelCheck) -> str:
    shown = ", ".join(map(str, found.moved[:MOST_LISTED]))
    return shown if len(found.moved) <= MOST_LISTED else f"{shown} …"
