"""The decoder step by step: which one is looked at."""

import streamlit as st

from attnviz.base.language import _
from attnviz.tokens import isolated
from attnviz.ui.translation.columns import Column, steps, written
from attnviz.ui.translation.store import TranslationStore

WHOLE = -1


def stepping(store: TranslationStore, found: list[Column]) -> None:
    """A slider, which arrow keys move, and two buttons; at its left end the whole translation is shown."""
    count = steps(found)
    if not count:
        return
    step = store.view.step
    now = WHOLE if step is None else min(step, count - 1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            _("Step back"), icon=":material/chevron_left:", key="translation:back", disabled=now == WHOLE,
            on_click=_go, args=(store, now - 1),
        )  # fmt: skip
        with st.container(width="stretch"):
            st.select_slider(
                _("Step of the decoder"), range(WHOLE, count), format_func=lambda at: _named(found, at),
                **store.widget("step", now, lambda at: {"step": None if at == WHOLE else at}),
            )  # fmt: skip
        st.button(
            _("Next step"), icon=":material/chevron_right:", key="translation:next", disabled=now == count - 1,
            on_click=_go, args=(store, now + 1),
        )  # fmt: skip


def _go(store: TranslationStore, step: int) -> None:
    store.change("step", step=None if step == WHOLE else step)


def _named(found: list[Column], step: int) -> str:
    if step == WHOLE:
        return _("all")
    word = written(found, step)
    return f"{step + 1} · {isolated(word)}" if word else str(step + 1)
