"""What attention makes of the order of words: shuffle them, with and without positions."""

import functools
import random

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from attnviz import figures
from attnviz.attention.shuffling import SCHEMES, Comparison, Scheme, Tokens, compare
from attnviz.base.language import _, _m
from attnviz.figures.numerals import weight_text
from attnviz.figures.order_changes import ROUNDING
from attnviz.tokens import isolated
from attnviz.ui import panels, presenting
from attnviz.ui.components import ChartClick
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.kinds.tex import spoken
from attnviz.ui.page import plain
from attnviz.ui.panels import Picture
from attnviz.ui.state import worded_key
from attnviz.ui.views.kinds_positions import HEADS, MOST_TEXT, Positions

WIDTH = 32
"""Numbers of a token, all heads together."""
FEW_WORDS, SHORT_WORD = 6, 8
NAMES: dict[Scheme, str] = {
    "none": _m("none"),
    "sinusoidal": _m("sinusoidal"),
    "learned": _m("learned"),
    "rotary": _m("rotary"),
    "alibi": "ALiBi",
    "relative": _m("relative bias"),
}
FORMULAS: dict[Scheme, str] = {
    "none": r"x_p' = x_p, \qquad S_{ij} = q_i \cdot k_j / \sqrt{d}",
    "sinusoidal": r"x_p' = x_p + \big(\sin(p\,\theta_0), \cos(p\,\theta_0), \sin(p\,\theta_1), \dots\big), \qquad \theta_i = 10000^{-2i/d}",
    "learned": r"x_p' = x_p + P_p, \qquad P \in \mathbb{R}^{n \times d} \text{ (a table)}",
    "rotary": r"S_{ij} = (R_i q_i) \cdot (R_j k_j) / \sqrt{d} = q_i \cdot (R_{j-i} k_j) / \sqrt{d}",
    "alibi": r"S_{ij} = q_i \cdot k_j / \sqrt{d} - 2^{-8h/H}\,|i - j|, \qquad h = 1 \dots H",
    "relative": r"S_{ij} = q_i \cdot k_j / \sqrt{d} + b_{\operatorname{bucket}(j - i)}",
}
TOLD: dict[Scheme, str] = {
    "none": _m("Nothing in the formula knows where a word stands: attention reads a bag of words."),
    "sinusoidal": _m("Waves of different lengths are added to each word, another value at each place (Vaswani et al. 2017)."),
    "learned": _m("A vector for each place is added to the word. Here the table is drawn, as it is before training, but as large as the words' vectors."),
    "rotary": _m("Queries and keys are turned by their place, so that a score depends on the distance (Su et al. 2021)."),
    "alibi": _m("The score falls with the distance, in each head at another rate (Press et al. 2021; here it looks both ways, the paper's models look back)."),
    "relative": _m("A learned number for each bucket of distances is added to the score (T5, Raffel et al. 2019). Here the numbers are drawn."),
}  # fmt: skip


def show(store: KindsStore) -> None:
    """Choose an order and what tells it; see both weight maps and what becomes different."""
    view: Positions = store.view.positions
    presenting.leave_out(lambda: sentence(store))
    order(store)
    scheme(store)
    found = compared(view.words, view.order, view.scheme)
    st.markdown(seen(view, found))
    maps(store, view, found)
    st.caption(
        _(
            "Vectors, projections and tables are drawn at random, none of them learned; the same word has the same vector "
            "wherever it stands. All is computed in float64."
        )
    )


@functools.lru_cache(maxsize=256)
def compared(words: tuple[str, ...], order: tuple[int, ...], scheme: Scheme) -> Comparison:
    """The sentence and its shuffled self."""
    return compare(Tokens.drawn(words, heads=HEADS, width=WIDTH), order, scheme)


def sentence(store: KindsStore) -> None:
    """What is shuffled."""
    st.text_input(
        _("Sentence"), max_chars=MOST_TEXT,
        **store.widget("positions text", store.view.positions.text, lambda text: store.view.positions.with_text(text)),
    )  # fmt: skip


def order(store: KindsStore) -> None:
    """The shuffled sentence, in which two words can be swapped."""
    view: Positions = store.view.positions
    key = worded_key("kinds:positions swap")

    def swap() -> None:
        chosen = st.session_state[key] or []
        if len(chosen) == 2:
            store.change("", store.view.positions.swapped(*chosen))
            st.session_state[key] = []

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            _("Shuffled: click two words and they change places"), range(len(view.words)), selection_mode="multi",
            format_func=lambda place: f"{place + 1} · {store.view.positions.words[store.view.positions.order[place]]}",
            key=key, on_change=swap,
        )  # fmt: skip
        for name, label, icon, made in (
            ("shuffle", _("Another order"), ":material/shuffle:", another),
            ("backwards", _("Backwards"), ":material/swap_horiz:", backwards),
            ("as it was", _("As it was"), ":material/restart_alt:", as_it_was),
        ):
            st.button(
                label, icon=icon, key=f"kinds:positions {name}",
                on_click=lambda made=made: store.change("", made(store.view.positions)),
            )  # fmt: skip


def another(view: Positions) -> dict[str, object]:
    """The fields of the page's view with another order than the one shown, drawn from how often one was asked for."""
    places = list(range(len(view.words)))
    number = view.shuffle
    while True:
        number = (number + 1) % 10_000
        random.Random(number).shuffle(places)  # noqa: S311 - an order to look at, no secret
        if tuple(places) != view.order and places != sorted(places):
            return view.but(order=tuple(places), shuffle=number)
        if len(places) == 2:
            return view.but(order=view.order[::-1])


def backwards(view: Positions) -> dict[str, object]:
    """The last word first."""
    return view.but(order=tuple(reversed(range(len(view.words)))))


def as_it_was(view: Positions) -> dict[str, object]:
    """Every word in its own place."""
    return view.but(order=tuple(range(len(view.words))))


def scheme(store: KindsStore) -> None:
    """What tells the order, its formula, and one head."""
    view: Positions = store.view.positions
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("What tells the order"), list(SCHEMES), required=True, wrap=True,
            format_func=lambda name: _(NAMES[name]) if name != "alibi" else NAMES[name],
            **store.widget("positions scheme", view.scheme, lambda name: store.view.positions.but(scheme=name)),
        )  # fmt: skip
        st.selectbox(
            _("Head"), range(HEADS), width=90, format_func=lambda head: str(head + 1),
            **store.widget("positions head", view.head, lambda head: store.view.positions.but(head=head)),
        )  # fmt: skip
    st.latex(spoken(FORMULAS[view.scheme]))
    st.caption(_(TOLD[view.scheme]))


def name_of(scheme: Scheme) -> str:
    """What it is called, in the current language."""
    return NAMES[scheme] if scheme == "alibi" else _(NAMES[scheme])


def seen(view: Positions, found: Comparison) -> str:
    """One sentence of what is seen."""
    largest = float(found.moved.max())
    sentences = {"before": plain(view.text), "after": plain(view.shuffled)}
    if view.order == tuple(range(len(view.words))):
        return _("This is the order as it was. Click two words, or ask for another order.")
    if view.shuffled.split() == list(view.words):
        return _(
            "Only words that are the same changed places: it is the same sentence. Each takes the output of its new place."
        )
    if largest < ROUNDING and view.scheme == "none":
        return _(
            "To attention without positions “{before}” and “{after}” are the same: every word has the weights and the "
            "output that it had before. The largest difference of any number is **{difference}**, rounding in float64.",
            **sentences, difference=weight_text(largest),
        )  # fmt: skip
    if largest < ROUNDING and view.scheme == "alibi":
        return _(
            "To ALiBi that looks both ways “{before}” and “{after}” are the same: it knows how far words are apart, not "
            "which comes first. The largest difference of any number is **{difference}**.",
            **sentences, difference=weight_text(largest),
        )  # fmt: skip
    if largest < ROUNDING:
        return _(
            "This order changes nothing: the largest difference of any number is **{difference}**.",
            difference=weight_text(largest),
        )
    token = int(found.output_change.argmax())
    change = found.weight_change[view.head]
    query, key = divmod(int(change.abs().argmax()), len(view.words))
    before, after = (float(side.weights[view.head, query, key]) for side in (found.before, found.after))
    return _(
        "Now “{before}” and “{after}” differ. The output of “{token}” moves most, by **{share} %** of its length; in this "
        "head the weight of “{query}” on “{key}” goes from **{was}** to **{becomes}**.",
        **sentences, token=called(view, token),
        share=f"{100 * float(found.output_change[token]):.3g}", query=called(view, query),
        key=called(view, key), was=weight_text(before), becomes=weight_text(after),
    )  # fmt: skip


def called(view: Positions, place: int) -> str:
    """A word of the sentence as it was; one of several that are the same with its place."""
    word = view.words[place]
    said = plain(isolated(word))
    return f"{said} ({place + 1})" if view.words.count(word) > 1 else said


def maps(store: KindsStore, view: Positions, found: Comparison) -> None:
    """Weights before, after and their difference; outputs word by word; and all schemes for this order."""
    head, words = view.head, view.words
    shown = {
        "before": _weights(found.before.weights[head].float(), words, _("As it was")),
        "after": _weights(found.after.weights[head].float(), words, _("Shuffled, put back in order")),
        "difference": _difference(found, head, words),
        "outputs": _outputs(found, words),
        "schemes": _schemes(view),
    }

    def click(event: ChartClick) -> None:
        if event.figure == "schemes" and isinstance(event.custom, int | float) and int(event.custom) < len(SCHEMES):
            store.change("positions scheme", store.view.positions.but(scheme=SCHEMES[int(event.custom)]))

    # Three maps beside each other where their numbers can still be read.
    short = len(words) <= FEW_WORDS and max(map(len, words)) <= SHORT_WORD
    panels.show("kinds-positions", shown, columns_min_width=290 if short else 430, on_click=click)


def _weights(weights: Float[Tensor, "n n"], words: tuple[str, ...], title: str) -> Picture:
    tile = figures.cut(weights, query_tokens=words, key_tokens=words)
    figure = figures.heatmap(tile, title=title)
    figure.layout.title.xref = "container"
    return Picture(
        figure,
        f"{title}: {figures.describe_heatmap(tile)}",
        lambda: figures.table_heatmap(tile),
        int(figure.layout.height),
    )


def _difference(found: Comparison, head: int, words: tuple[str, ...]) -> Picture:
    change = found.weight_change[head]
    # What is rounding is shown as none: colours of 10⁻¹⁷ would look like a change.
    change = change.where(change.abs() >= ROUNDING, 0.0)
    allowed = change == change
    figure = figures.signed_map(change, allowed, words, words, title=_("Shuffled − as it was"))
    figure.layout.title.xref = "container"
    return Picture(
        figure,
        figures.describe_signed_map(change, allowed, words, words),
        lambda: figures.table_signed_map(found.weight_change[head], allowed, words, words),
        int(figure.layout.height),
    )


def _outputs(found: Comparison, words: tuple[str, ...]) -> Picture:
    change = found.output_change
    title, told = _("Outputs, word by word"), _("All heads together; 1 is a change as long as the output.")
    figure = figures.token_changes(change, words, title=title, subtitle=told)
    return Picture(
        figure,
        figures.describe_token_changes(change, words),
        lambda: figures.table_token_changes(change, words),
        int(figure.layout.height),
    )


def _schemes(view: Positions) -> Picture:
    changes = {name_of(one): float(compared(view.words, view.order, one).moved.max()) for one in SCHEMES}
    figure = figures.order_changes(
        changes, chosen=SCHEMES.index(view.scheme), title=_("The same shuffle, told the order in each way")
    )
    return Picture(
        figure,
        figures.describe_order_changes(changes),
        lambda: figures.table_order_changes(changes),
        int(figure.layout.height),
        span=2,
    )
