"""What a source word does: it is removed, or another is put there, and the probabilities of the target words move."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _, _n
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.tokens import isolated
from attnviz.translation import Link, Translation, effects, grammar
from attnviz.translation.reading import word_of_each
from attnviz.ui import panels, presenting
from attnviz.ui.components import ChartClick
from attnviz.ui.page import complain, plain
from attnviz.ui.panels import Picture
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.translation.looked import Gold, Looked, gold, look
from attnviz.ui.translation.saying import head, title
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import Wanted, translation, translator

MOST_NAMED = 4
SHORT = 8
SIDE_BY_SIDE, ONE_BELOW = 420, 700
NONE = -1
_TABLE_ROW = 35


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
    # By words, as the effect is, whatever is shown above.
    looked = look(found, store.view.model_copy(update={"pieces": False}))
    known = gold(looked, judged.language)
    marks = known.pair.links if known.pair is not None and known.is_known and store.view.gold else None
    links: dict[str, Any] = {"sure": marks.sure, "possible": marks.possible} if marks is not None else {}
    words = word_of_each(found.source) or ()
    place = _place(words, store.view.word)
    figure = figures.effect_map(effect, source, target, column=place, title=title(judged), **links)
    pictures = {
        "effect": Picture(
            figure,
            figures.describe_effect_map(effect, source, target),
            lambda: figures.table_alignment_map(effect, source, target, value=_("nats"), **links),
            int(figure.layout.height),
        ),
        "weights": _weights(looked, known if store.view.gold else Gold()),
    }

    def click(event: ChartClick) -> None:
        if event.figure == "effect" and isinstance(event.custom, list) and len(event.custom) == 3:
            at = int(event.custom[1])
            store.change(word=None if at == place else _position(words, at))

    # Side by side the numbers of a long sentence could not be read.
    width = SIDE_BY_SIDE if len(source) <= SHORT else ONE_BELOW
    panels.show("translation-effect", pictures, columns_min_width=width, on_click=click)
    st.markdown(
        _(
            "Each source word is removed in turn, and the same translation is given (forced). A number says by how "
            "many nats the log-probability of a target word falls; 0.69 nats halve a probability. This is what a word "
            "does; the weight only says where the step looked."
        )
    )
    st.markdown(agreement(effects.links(effect), looked.layout.links(looked.matrix), source, target))


def _weights(looked: Looked, known: Gold) -> Picture:
    """The attention of the head that is shown above, to be compared cell by cell."""
    source, target, matrix = looked.layout.source.labels, looked.layout.target.labels, looked.matrix.numpy()
    figure = figures.alignment_map(
        matrix, source, target, baseline=looked.baseline, column=looked.column, name=head(looked),
        sure=known.sure, possible=known.possible, title=_("Attention: {head}", head=head(looked)),
    )  # fmt: skip
    return Picture(
        figure,
        figures.describe_alignment_map(matrix, source, target, baseline=looked.baseline, name=head(looked)),
        lambda: figures.table_alignment_map(matrix, source, target, sure=known.sure, possible=known.possible),
        int(figure.layout.height),
    )


def agreement(effect: frozenset[Link], attention: frozenset[Link], source: Sequence[str], target: Sequence[str]) -> str:
    """For how many target words the word that does most is the one with the largest weight, and where it is not."""
    does, seen = {row: at for at, row in effect}, {row: at for at, row in attention}
    rows = sorted(does.keys() & seen.keys())
    differing = [
        _(
            "“{target}” looks at “{seen}” and loses most without “{does}”.",
            target=plain(isolated(target[row])),
            seen=plain(isolated(source[seen[row]])),
            does=plain(isolated(source[does[row]])),
        )
        for row in rows
        if does[row] != seen[row] and row < len(target) and max(seen[row], does[row]) < len(source)
    ]
    said = _n(
        "For {same} of {count} target word the source word with the largest weight is also the one whose removal costs most.",
        "For {same} of {count} target words the source word with the largest weight is also the one whose removal costs most.",
        len(rows),
        same=len(effect & attention),
    )
    return " ".join([said, *differing[:MOST_NAMED]]) + (" …" if len(differing) > MOST_NAMED else "")


def _swap(
    store: TranslationStore, judged: Wanted, found: Translation, source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    """The chosen word removed, or another in its place, and what becomes of every target word."""
    words = word_of_each(found.source) or ()
    place = _place(words, store.view.word)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Source word"), [NONE, *range(len(source))], width=200,
            format_func=lambda at: _("none chosen") if at == NONE else f"{at + 1} · {source[at]}",
            **store.widget("swapped", NONE if place is None else place,
                           lambda at: {"word": None if at == NONE else _position(words, at)}),
        )  # fmt: skip
        st.selectbox(
            _("Another word in its place"), offered(source[place] if place is not None else "", store.view.swap),
            width=260, disabled=place is None, accept_new_options=True,
            format_func=lambda word: word or _("none: it is removed"),
            **store.widget("swap", store.view.swap, lambda word: {"swap": word.strip()}),
        )  # fmt: skip
    with st.container():
        if place is None:
            st.caption(
                _("Choose a source word, here or in the map, to see what becomes of every target word without it.")
            )
            return
        try:
            _changed(judged, found, source, target, place, store.view.swap)
        except InputError as error:
            complain(error)


def offered(chosen: str, swap: str) -> list[str]:
    """What can be put there: nothing, the words of the chosen one's kind, then all others that our models know."""
    kinds = list(grammar.words_by_kind().values())
    alike = [words for words in kinds if chosen.lower() in words]
    known = (word for words in [*alike, *kinds] for word in words if word != chosen.lower())
    return list(dict.fromkeys(["", *([swap] if swap else []), *known]))


def _changed(
    judged: Wanted, found: Translation, source: tuple[str, ...], target: tuple[str, ...], place: int, word: str
) -> None:
    text = effects.swapped(source, place, word) if word else effects.without(source, place)
    if not text:
        st.caption(_("Without its only word nothing is left to translate."))
        return
    code = found.language_code
    before, after = effects.change(translator(judged), " ".join(source), text, found.target_text, found.predicted, code)
    free = replace(judged, target="")
    was, now = translation(free).target_text, translation(replace(free, text=code + text)).target_text
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
        height=_TABLE_ROW * (len(target) + 1) + 3,
    )
    if now == was:
        st.markdown(_("Left to itself, the model writes the same for “{text}”.", text=plain(text)))
    else:
        st.markdown(
            _("Left to itself, the model writes for “{text}”: **{target}**", text=plain(text), target=plain(now))
        )


def _place(words: tuple[int | None, ...], position: int | None) -> int | None:
    """The word that a token is in; None where none is chosen, or the end of the sentence."""
    return words[position] if position is not None and position < len(words) else None


def _position(words: tuple[int | None, ...], place: int) -> int | None:
    return words.index(place) if place in words else None


# The effect of a sentence takes one run a word; few are looked at at a time.
@st.cache_resource(max_entries=32, show_spinner=False)
def _removal(judged: Wanted, device: str) -> Float[Tensor, "target source"]:  # noqa: ARG001 - a part of the key
    found = translation(judged)
    source = (found.source.source or "").split()
    return effects.removal(translator(judged), source, found.target_text, found.predicted, found.language_code)
