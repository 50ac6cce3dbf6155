"""Which languages and which models: the first choice on the page."""

from typing import Any

import streamlit as st

from attnviz.base.language import _, _m
from attnviz.models.translation import shipped
from attnviz.ui.source import allowed, recorded
from attnviz.ui.translation.store import NOTHING_CHOSEN, OTHER_SENTENCE, TranslationStore
from attnviz.ui.views.translation import MODELS, MOST_NAME, PAIRS

LANGUAGES = {"en-fr": _m("French"), "en-ja": _m("Japanese"), "en-ru": _m("Russian")}
MODEL_NAMES = {
    "gru": _m("GRU with attention"),
    "transformer": _m("Transformer"),
    "bottleneck": _m("GRU without attention"),
    "other": _m("Your own model"),
}
SHORT_NAMES = {
    "gru": _m("GRU"),
    "transformer": _m("Transformer"),
    "bottleneck": _m("GRU without attention"),
    "other": _m("your own …"),
}
_NONE = ""


def choices(store: TranslationStore) -> None:
    """Target language, a second one, models."""
    view = store.view
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("From English to"), PAIRS, required=True, format_func=lambda pair: _(LANGUAGES[pair]),
            **store.widget("pair", view.pair, lambda pair: {"pair": pair, **_without_steps(store, pair)}),
        )  # fmt: skip
        st.selectbox(
            _("and beside it"), [_NONE, *(pair for pair in PAIRS if pair != view.pair)], width=150,
            format_func=lambda pair: _(LANGUAGES[pair]) if pair else _("no other"),
            **store.widget("beside", view.beside if view.beside not in (None, view.pair) else _NONE,
                           lambda pair: {"beside": pair or None}),
        )  # fmt: skip
        st.pills(
            _("Models"), _offered(), selection_mode="multi", format_func=lambda model: _(SHORT_NAMES[model]),
            **store.widget("models", list(view.models), lambda models: {"models": tuple(models)} if models else {}),
        )  # fmt: skip
    with st.container():
        if "bottleneck" in view.models and any("bottleneck" not in shipped.kinds_of(pair) for pair in view.pairs):
            st.caption(_("There is a model without attention for French alone."))
    with st.container():
        if "other" in view.models:
            _other(store)


def _without_steps(store: TranslationStore, pair: str) -> dict[str, Any]:
    """In another language other words stand at the steps; a translation that was given is in the old one."""
    beside = None if store.view.beside == pair else store.view.beside
    return {**OTHER_SENTENCE, "word": store.view.word, "beside": beside}


def _offered() -> list[str]:
    return [model for model in MODELS if model != "other" or allowed.hub()]


def _other(store: TranslationStore) -> None:
    """Any encoder–decoder of Hugging Face: its folder or id, and what it must be told about languages."""
    view = store.view

    def typed(name: str) -> dict[str, Any]:
        name = name.strip()
        if name:
            recorded.want(name)
        return {"other": name, **NOTHING_CHOSEN, "layer": None, "head": None}

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            _("Encoder–decoder in a folder, or its Hugging Face id") if allowed.folders() else _("Hugging Face id"),
            max_chars=MOST_NAME, placeholder="Helsinki-NLP/opus-mt-en-fr", width=360,
            **store.widget("other", view.other, typed),
        )  # fmt: skip
        st.text_input(
            _("Source language"), max_chars=40, placeholder="eng_Latn", width=140, **store.field("other_source"),
            help=_("By the name that the model's tokenizer has for it; empty for models that know one pair alone."),
        )  # fmt: skip
        st.text_input(
            _("Target language"), max_chars=40, placeholder="fra_Latn", width=140, **store.field("other_target")
        )
        st.text_input(
            _("Before every source"), max_chars=200, placeholder="translate English to French: ", width=240,
            **store.field("other_prefix"), help=_("What T5 wants to read before what it is to translate."),
        )  # fmt: skip
