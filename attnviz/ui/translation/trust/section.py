"""The lower part of the page: which model is judged, and which of the three questions is answered."""

from collections.abc import Callable

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.ui import presenting
from attnviz.ui.page import complain
from attnviz.ui.source import allowed, recorded
from attnviz.ui.translation.saying import title
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import Wanted, wanted
from attnviz.ui.translation.trust import causal, gold, length

PARTS = {
    "gold": _m("Against gold links"),
    "effect": _m("What a word does"),
    "length": _m("Why attention was invented"),
}


def trust(store: TranslationStore) -> None:
    """What is known about the attention that stands above."""
    st.subheader(_("How far to trust it"))
    presenting.leave_out(_introduction, lambda: _question(store))
    judged = judge(store)
    parts: dict[str, Callable[[], None]] = {
        "gold": lambda: gold.gold(store, judged),
        "effect": lambda: causal.causal(store, judged),
        "length": lambda: length.length(store),
    }
    with st.container():
        try:
            parts[store.view.part]()
        except InputError as error:
            complain(error)


def _introduction() -> None:
    st.markdown(
        _(
            "Attention is often read as a word alignment. It is none: it says from which encoder states a decoder "
            "step takes its vector. “Looks at black” means the encoder's state at that position, which has read the "
            "whole sentence. Here is measured how well the two agree."
        )
    )


def _question(store: TranslationStore) -> None:
    st.segmented_control(
        _("Question"), list(PARTS), format_func=lambda part: _(PARTS[part]), required=True, **store.field("part")
    )


def _is_there(one: Wanted) -> bool:
    """A model that only a link names waits in the upper part for somebody to load it."""
    return one.model != "other" or one.name in recorded.shipped() or (allowed.hub() and recorded.is_wanted(one.name))


def judge(store: TranslationStore) -> Wanted | None:
    """Which of the models above is judged; None where none of them looks at the source."""
    columns = [one for one in wanted(store.view) if one.model != "bottleneck" and _is_there(one)]
    if not columns or store.view.part == "length":
        return None
    # The same model may stand in two columns, as one of ours and as one's own.
    columns = list({one.name: one for one in reversed(columns)}.values())[::-1]
    names = [one.name for one in columns]
    chosen = store.view.judged if store.view.judged in names else names[0]
    with st.container():
        if len(names) > 1:
            st.segmented_control(
                _("Model"),
                names,
                required=True,
                format_func=lambda name: title(columns[names.index(name)]),
                **store.widget("judged", chosen, lambda name: {"judged": name}),
            )
    return columns[names.index(chosen)]
