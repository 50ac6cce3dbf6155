"""How the target comes about: written by the model, greedily or with beams, or given."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.translation import Translation, grammar
from attnviz.ui.translation.choices import LANGUAGES
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import grammar_translator
from attnviz.ui.views.translation import MOST_TEXT

OFFERED = (1, 2, 4, 8, 16)


def decoding(store: TranslationStore) -> None:
    """Greedy or beams, and a translation to force; where one is given, nothing is searched."""
    view = store.view
    with st.popover(_("How it is written"), icon=":material/edit:", width="content"):
        st.selectbox(
            _("The models write"), sorted({*OFFERED, view.beams}), width=360, disabled=bool(view.target),
            format_func=lambda beams: _("the likeliest word at every step (greedy)") if beams == 1
            else _("the best of {beams} beams", beams=beams),
            **store.widget("beams", view.beams, lambda beams: {"beams": beams, "step": None}),
        )  # fmt: skip
        st.text_input(
            _("or force this translation into {language}", language=_(LANGUAGES[view.pair])), max_chars=MOST_TEXT,
            placeholder=_("empty: the models write"), width="stretch",
            **store.widget("target", view.target, lambda text: {"target": text.strip(), "step": None}),
        )  # fmt: skip
        st.button(
            _("The grammar's own"), icon=":material/spellcheck:", key="translation:own", on_click=_force_own,
            args=(store,), disabled=_own(store) in (None, view.target),
            help=_("Force the translation that the grammar makes of this sentence: its gold alignment is known."),
        )  # fmt: skip
        st.button(
            _("Free again"), icon=":material/lock_open:", key="translation:free", disabled=not view.target,
            on_click=lambda: store.change(target="", step=None),
        )  # fmt: skip


def label(translation: Translation) -> str:
    """How this target came about, in two or three words, for titles."""
    if translation.forced:
        return _("forced: target given")
    return _("free: greedy") if translation.beams == 1 else _("free: beam {beams}", beams=translation.beams)


def _own(store: TranslationStore) -> str | None:
    """What the grammar makes of the sentence; None where it is none of its own."""
    pair = store.view.pair
    try:
        words = grammar_translator(pair).source_words(store.view.text)
    except InputError:
        return None
    found = grammar.translate(pair.rsplit("-", 1)[-1], words)
    return None if found is None else found.target_text


def _force_own(store: TranslationStore) -> None:
    own = _own(store)
    if own is not None:
        store.change(target=own, step=None)
