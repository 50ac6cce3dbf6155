"""Translations to look at, made when they are first asked for and kept for all sessions."""

from dataclasses import dataclass

import streamlit as st

from attnviz import models
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models import GrammarTranslator, Seq2Seq, TextModel
from attnviz.models.translation import shipped
from attnviz.translation import Translation, Translator
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.source import recorded
from attnviz.ui.views.translation import Model, Pair, TranslationView

ALTERNATIVES = 5


@dataclass(frozen=True)
class Wanted:
    """What one column of the page shows, small enough to be the key of a cache.

    pair: "" for a model that is not ours. target: the translation that is given; "" lets the model write.
    """

    model: Model
    pair: Pair | None
    name: str
    text: str
    target: str
    beams: int
    source_language: str = ""
    target_language: str = ""
    prefix: str = ""

    @property
    def language(self) -> str:
        """The target's language, where the grammar knows it."""
        return self.pair.rsplit("-", 1)[-1] if self.pair else ""


def wanted(view: TranslationView) -> list[Wanted]:
    """The columns that the view asks for: the models of the first pair, then those of the second."""
    found = []
    for pair in view.pairs:
        for model in view.models:
            if model == "other":
                continue
            if model in shipped.kinds_of(pair):
                # What is given is a translation into one language; into another, the model writes.
                target = view.target if pair == view.pair else ""
                name = f"{shipped.PREFIX}{pair}/{model}"
                found.append(Wanted(model, pair, name, view.text, target, view.beams))
    if "other" in view.models and view.other:
        found.append(
            Wanted(
                "other", None, view.other, view.text, view.target, view.beams,
                view.other_source, view.other_target, view.other_prefix,
            )
        )  # fmt: skip
    return found


def translator(one: Wanted) -> Translator:
    """The model of a column. Raises `InputError`."""
    if one.model != "other":
        return _shipped(one.name, chosen_device())
    if one.name in shipped.NAMES:
        return _shipped(one.name, chosen_device())
    model = recorded.opened(one.name)
    if not isinstance(model, TextModel):  # a shipped name, which is none of the others
        raise InputError(_m("“{name}” is no encoder–decoder of Hugging Face."), name=one.name)
    return Seq2Seq(
        model,
        source_language=one.source_language or None,
        target_language=one.target_language or None,
        prefix=one.prefix,
    )


def translation(one: Wanted) -> Translation:
    """The translation of a column. Raises `InputError`."""
    made = translator(one)
    with st.spinner(_("Translating …"), show_time=True):
        return _translation(one, chosen_device(), made)


def grammar_translator(pair: Pair) -> GrammarTranslator:
    """The model that tells which words can be typed; all of ours know the same ones."""
    found = _shipped(f"{shipped.PREFIX}{pair}/{shipped.KINDS[0]}", chosen_device())
    assert isinstance(found, GrammarTranslator)  # noqa: S101 - the names are ours
    return found


# Ours are a megabyte each.
@st.cache_resource(max_entries=8, show_spinner=False)
def _shipped(name: str, device: str) -> Translator:
    return models.translator(name, device=device)


@st.cache_resource(max_entries=48, show_spinner=False)
def _translation(one: Wanted, device: str, _translator: Translator) -> Translation:  # noqa: ARG001 - a part of the key
    if not one.target:
        return _translator.translate(one.text, beams=one.beams)
    (found,) = _translator.force([(one.text, one.target)], alternatives=ALTERNATIVES)
    return found
