"""What a source word does: it is removed, or another is put there, and the probabilities of the target words move."""

import math

import pandas as pd
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _, _n
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.tokens import isolated
from attnviz.translation import Translation, effects
from attnviz.translation.reading import word_of_each
from attnviz.ui import panels, presenting
from attnviz.ui.page import complain, plain
from attnviz.ui.panels import Picture
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.translation.looked import gold, look
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import Wanted, translation, translator


def causal(store: TranslationStore, judged: Wanted | None) -> None:
    """The map of all removals beside the attention, and one swap in words."""
    if judged is None:
        st.info(_("None of the models above looks at the source word by word."))
        return
    found = translation(judged)
    source = tuple((found.source.source or "").split())
    target = tuple(found.target_text.split())
    if not source or not target:
        st.info(_("There is nothing to remove."))
        return
    _maps(store, judged, found, source, target)
    presenting.leave_out(lambda: _swap(store, judged, found, source, target))


def _maps(
    store: TranslationStore, judged: Wanted, found: Translation, source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    effect = _removal(judged, chosen_device())
    looked = look(found, store.view)
    known = gold(looked, judged.language)
    marks = known.pair.links if known.pair is not None and known.is_known and store.view.gold else None
    sure, possible = (marks.sure, marks.possible) if marks is not None else (frozenset(), frozenset())
    figure = figures.effect_map(effect, source, target, sure=sure, possible=possible, title=judged.name)
    description = figures.describe_effect_map(effect, source, target)
    picture = Picture(
        figure,
        description,
        lambda: figures.table_alignment_map(effect, source, target, sure=sure, possible=possible, value=_("nats")),
        int(figure.layout.height),
    )
    panels.show("translation-effect", {"effect": picture})
    st.markdown(
        _(
            "Each source word is removed in turn, and the same translation is given (forced). A number says by how "
            "many nats the log-probability of a target word falls; 0.69 nats halve a probability. This is what a word "
            "does; the weight only says where the step looked."
        )
    )
    agreed = _agreement(effects.links(effect), looked.layout.links(looked.matrix))
    st.markdown(agreed)


def _agreement(effect: frozenset[tuple[int, int]], attention: frozenset[tuple[int, int]]) -> str:
    """For how many target words the word that does most is the one with the largest weight."""
    rows = {row for _source, row in effect} & {row for _source, row in attention}
    same = len(effect & attention)
    return _n(
        "For {same} of {count} target word the source word with the largest weight is also the one whose removal costs most.",
        "For {same} of {count} target words the source word with the largest weight is also the one whose removal costs most.",
        len(rows),
        same=same,
    )


def _swap(
    store: TranslationStore, judged: Wanted, found: Translation, source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    """Another word in the place of the chosen one, and what becomes of every target word."""
    words = word_of_each(found.source) or ()
    position = store.view.word
    place = words[position] if position is not None and position < len(words) else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Source word"), range(len(source)), width=200,
            format_func=lambda at: f"{at + 1} · {plain(isolated(source[at]))}",
            **store.widget("swapped", place if place is not None else 0, lambda at: {"word": _position(words, at)}),
        )  # fmt: skip
        st.text_input(
            _("Another word in its place"), width=200, max_chars=60, placeholder=_("such as: white"),
            **store.widget("swap", store.view.swap, lambda word: {"swap": word.strip()}),
        )  # fmt: skip
    with st.container():
        if not store.view.swap:
            return
        try:
            _swapped(judged, found, source, target, place or 0, store.view.swap)
        except InputError as error:
            complain(error)


def _swapped(
    judged: Wanted, found: Translation, source: tuple[str, ...], target: tuple[str, ...], place: int, word: str
) -> None:
    model = translator(judged)
    before, after = effects.swap(model, source, found.target_text, found.predicted, place, word)
    text = effects.swapped(source, place, word)
    again = model.translate(text, beams=judged.beams)
    st.dataframe(
        pd.DataFrame(
            {
                _("target word"): list(target),
                _("probability before"): [weight_text(math.exp(value)) for value in before.tolist()],
                _("probability after"): [weight_text(math.exp(value)) for value in after.tolist()],
                _("change, nats"): [signed_text(value, 2) for value in (after - before).tolist()],
            }
        ),
        hide_index=True,
    )
    if again.target_text == found.target_text:
        st.markdown(_("Left to itself, the model writes the same for “{text}”.", text=plain(text)))
    else:
        st.markdown(
            _(
                "Left to itself, the model writes for “{text}”: **{target}**",
                text=plain(text),
                target=plain(again.target_text),
            )
        )


def _position(words: tuple[int | None, ...], place: int) -> int | None:
    return words.index(place) if place in words else None


# The effect of a sentence takes one run a word; few are looked at at a time.
@st.cache_resource(max_entries=32, show_spinner=False)
def _removal(judged: Wanted, device: str) -> Float[Tensor, "target source"]:  # noqa: ARG001 - a part of the key
    found = translation(judged)
    source = (found.source.source or "").split()
    return effects.removal(translator(judged), source, found.target_text, found.predicted)
