"""What is translated: typed, put together from the words that the models know, or drawn from the held-out sentences."""

import re
from typing import Any

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.translation import grammar
from attnviz.ui import presenting
from attnviz.ui.page import complain
from attnviz.ui.translation import decoding
from attnviz.ui.translation.store import OTHER_SENTENCE, TranslationStore
from attnviz.ui.translation.translated import grammar_translator
from attnviz.ui.views.translation import MOST_TEXT

KINDS = {
    "determiner": _m("determiners"),
    "adjective": _m("adjectives"),
    "noun": _m("nouns"),
    "verb": _m("verbs"),
    "pronoun": _m("pronouns"),
    "preposition": _m("prepositions"),
    "other": _m("others"),
}


def sentence(store: TranslationStore) -> InputError | None:
    """The field and what helps to fill it. Returns what is wrong with the sentence for our own models, if anything."""
    st.text_input(
        _("English sentence"), max_chars=MOST_TEXT, **store.widget("text", store.view.text, _typed),
        help=_("Translated as soon as you press Enter or leave the field."),
    )  # fmt: skip
    presenting.leave_out(lambda: _help(store))
    wrong = _wrong(store)
    with st.container():
        if wrong is not None:
            _near(store, wrong)
        elif store.view.models != ("other",):
            _unlike(store)
    return wrong


def _typed(text: str) -> dict[str, Any]:
    return {"text": text, **OTHER_SENTENCE}


def _help(store: TranslationStore) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _other_sentence(store)
        _words(store)
        decoding.decoding(store)
        st.button(
            _("Undo"), icon=":material/undo:", on_click=store.undo, disabled=not store.can_undo, key="translation:undo"
        )
        st.button(_("Reset"), icon=":material/restart_alt:", on_click=store.reset, key="translation:reset")


def _other_sentence(store: TranslationStore) -> None:
    def draw() -> None:
        offered, number = _held_out(), store.view.drawn
        store.change(drawn=number + 1, **_typed(offered[number % len(offered)]))

    st.button(
        _("Another sentence"), icon=":material/casino:", key="translation:draw", on_click=draw,
        help=_("One of the thousand sentences that were kept out of training."),
    )  # fmt: skip


@st.cache_data(show_spinner=False)
def _held_out() -> list[str]:
    """English is the same in all languages of the grammar."""
    return [pair.source_text for pair in grammar.corpus("fr", "test", grammar.HELD_OUT_SENTENCES)]


def _wrong(store: TranslationStore) -> InputError | None:
    if store.view.models == ("other",):
        return None
    try:
        grammar_translator(store.view.pair).source_words(store.view.text)
    except InputError as error:
        return error
    return None


def _near(store: TranslationStore, wrong: InputError) -> None:
    """What is wrong, and for a word that is not known a button for each one that is written like it."""
    complain(wrong)
    unknown, alike = str(wrong.fields.get("word", "")), str(wrong.fields.get("near", ""))
    with st.container(horizontal=True):
        for place, word in enumerate(alike.split(", ") if alike else ()):
            st.button(
                word, key=f"translation:near:{place}", icon=":material/find_replace:",
                on_click=lambda word=word: store.change(**_typed(replaced(store.view.text, unknown, word))),
            )  # fmt: skip


def _unlike(store: TranslationStore) -> None:
    """Says where a sentence of known words is none of the grammar's, and helps where only its full stop is missing."""
    words = grammar_translator(store.view.pair).source_words(store.view.text)
    if grammar.translate("fr", words) is not None:
        return
    st.caption(
        _("The grammar does not make this sentence: our models were not trained on such ones, and may write anything.")
    )
    if grammar.translate("fr", (*words, ".")) is not None:
        st.button(
            _("Add the full stop"), icon=":material/add:", key="translation:stop-added",
            on_click=lambda: store.change(**_typed(f"{store.view.text.rstrip()} .")),
        )  # fmt: skip


def replaced(text: str, unknown: str, word: str) -> str:
    """The text with the first place of a word that is not known, in small or capital letters, taken by another."""
    for pattern in (rf"(?<!\S){re.escape(unknown)}(?!\S)", re.escape(unknown)):
        found, count = re.subn(pattern, lambda _match: word, text, count=1, flags=re.IGNORECASE)
        if count:
            return found
    return text


def _words(store: TranslationStore) -> None:
    def appended(word: str) -> dict[str, Any]:
        before = store.view.text.rstrip()
        return _typed(f"{before} {word}" if before else word)

    with st.popover(_("Known words"), icon=":material/dictionary:", width="content"):
        st.caption(
            _(
                "A word that you press is put at the end of the sentence. Sentences end with a full stop; phrases do not."
            )
        )
        with st.container(horizontal=True):
            st.button(
                _("Take the last word away"), icon=":material/backspace:", key="translation:backspace",
                on_click=lambda: store.change(**_typed(" ".join(store.view.text.split()[:-1]))),
                disabled=not store.view.text.strip(),
            )  # fmt: skip
            st.button(
                _("Begin a new one"), icon=":material/ink_eraser:", key="translation:clear",
                on_click=lambda: store.change(**_typed("")), disabled=not store.view.text,
            )  # fmt: skip
        for kind, words in grammar.words_by_kind().items():
            st.pills(_(KINDS[kind]), words, **store.widget(f"word:{kind}", None, appended))
