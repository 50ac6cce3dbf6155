"""What a person chooses on the Kinds page: what is looked at, by which kinds, with which settings."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from attnviz.attention import kinds
from attnviz.base.language import _, _m
from attnviz.figures.palette import Number
from attnviz.ui.kinds.sources import Looked
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.views.kinds import (
    LAYERS,
    LEAST_TEMPERATURE,
    MOST_SEED,
    MOST_TEMPERATURE,
    MOST_TEXT,
    NATIVE_HEADS,
    REDUCTIONS,
    WIDTHS,
    KindsView,
    Source,
)

SOURCES: dict[Source, str] = {
    "sentence": _m("A sentence"),
    "picture": _m("A picture"),
    "scene": _m("A crossing"),
}
PICTURE_HEADS = (_m("colour"), _m("brightness"), _m("edges"), _m("place"))


def source(store: KindsStore) -> None:
    """Sentence, picture or crossing, which layer and head of it."""
    view = store.view
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("What is looked at"), list(SOURCES), required=True, format_func=lambda name: _(SOURCES[name]),
            **store.widget("source", view.source, lambda name: store.view.with_source(name)),
        )  # fmt: skip
        if view.source == "sentence":
            st.text_input(
                _("Sentence"), max_chars=MOST_TEXT, width=330,
                **store.widget("text", view.text, lambda text: {"text": text.strip()} if text.strip() else {}),
            )  # fmt: skip
        if LAYERS[view.source] > 1:
            st.selectbox(
                _("Layer"), range(LAYERS[view.source]), width=90,
                format_func=lambda layer: str(layer if store.view.source == "sentence" else layer + 1),
                **store.field("layer"),
            )  # fmt: skip
        st.selectbox(
            _("Head"), range(view.head_count), width=130, format_func=lambda head: _head_name(store.view, head),
            **store.field("head"),
        )  # fmt: skip


def _head_name(view: KindsView, head: int) -> str:
    if view.source == "picture" and view.head_count == NATIVE_HEADS["picture"]:
        return _(PICTURE_HEADS[head])
    # In the models the layers and heads of a sentence are counted from 0; those of the crossing from 1 on their page.
    return str(head if view.source == "sentence" else head + 1)


def kind(store: KindsStore, field: str) -> None:
    """Which kind stands on this side."""
    st.selectbox(
        _("On the left") if field == "left" else _("On the right"), [one.id for one in kinds.KINDS],
        format_func=lambda name: _(kinds.kind(name).name), **store.field(field),
    )  # fmt: skip


def swap(store: KindsStore) -> None:
    """Left becomes right."""
    st.button(
        "", icon=":material/swap_horiz:", key="kinds:swap", type="tertiary", help=_("Swap sides"),
        on_click=lambda: store.change(left=store.view.right, right=store.view.left),
    )  # fmt: skip


def query(store: KindsStore, looked: Looked) -> None:
    """Whose row is followed."""
    count = looked.tokens
    st.selectbox(
        _("Query"), range(count), width=150,
        format_func=lambda at: f"{at} · {looked.labels[at]}" if at < count else str(at),
        **store.widget("query", min(store.view.query, count - 1), lambda at: {"query": at}),
    )  # fmt: skip


def sliders(store: KindsStore) -> None:
    """The settings that the two kinds have; one slider moves both where both have it."""
    view = store.view
    wanted = {name for side in (view.left, view.right) for name in kinds.kind(side).sliders}
    for name, draw in _SLIDERS.items():
        if name in wanted:
            draw(store)


def _slider(
    name: str, label: str, least: Number, most: Number, step: Number, told: str = ""
) -> Callable[[KindsStore], None]:
    def draw(store: KindsStore) -> None:
        st.slider(_(label), least, most, step=step, width=165, help=_(told) or None, **store.field(name))

    return draw


def _heads(store: KindsStore) -> None:
    view = store.view
    st.select_slider(
        _("Heads"), view.possible_heads(), width=165,
        help=_(
            "The {width} numbers of every query and key are cut into so many heads. They came in {native}; another "
            "number cuts them where nothing was meant to be cut.",
            width=WIDTHS[view.source], native=NATIVE_HEADS[view.source],
        ),
        **store.widget("heads", view.head_count, lambda heads: store.view.with_heads(heads)),
    )  # fmt: skip


def _kv_heads(store: KindsStore) -> None:
    view = store.view
    possible = [count for count in range(1, view.head_count + 1) if view.head_count % count == 0]
    if len(possible) > 1:
        st.select_slider(
            _("Key heads"), possible, width=165,
            help=_("So many heads of keys and values, each shared by several heads of queries; 1 is multi-query attention."),
            **store.field("kv_heads"),
        )  # fmt: skip


def _reduction(store: KindsStore) -> None:
    st.select_slider(
        _("Reduction"), REDUCTIONS, width=165, help=_("By what the gates' hidden layer is narrower."),
        **store.field("reduction"),
    )  # fmt: skip


def _causal(store: KindsStore) -> None:
    st.toggle(_("Looks back alone"), **store.field("causal"))


_SLIDERS: dict[str, Callable[[KindsStore], Any]] = {
    "window": _slider("window", _m("Window"), 0, 16, 1, _m("Positions on each side; the query's own is counted once more.")),
    "stride": _slider("stride", _m("Stride"), 1, 16, 1),
    "block": _slider("block", _m("Block"), 1, 16, 1, _m("Positions in a block that looks at itself, or in one that a block-sparse kernel works out whole.")),
    "global_tokens": _slider("global_tokens", _m("Global tokens"), 0, 8, 1, _m("The first positions: they see all, and all see them.")),
    "random_keys": _slider("random_keys", _m("Random keys"), 0, 8, 1),
    "seed": _slider("seed", _m("Seed"), 0, MOST_SEED, 1),
    "points": _slider("points", _m("Points"), 1, 8, 1, _m("For each query and head.")),
    "heads": _heads,
    "kv_heads": _kv_heads,
    "slope": _slider("slope", _m("Slope"), 0.0, 4.0, 0.1, _m("What the slope of each head is multiplied by.")),
    "softcap": _slider("softcap", _m("Softcap"), 0.5, 20.0, 0.5, _m("No score is larger than this, before the temperature.")),
    "sink": _slider("sink", _m("Score of the sink"), -5.0, 10.0, 0.25),
    "lambda_": _slider("lambda_", _m("λ, what is taken away"), 0.0, 1.0, 0.05),
    "reduction": _reduction,
    "temperature": _slider(
        "temperature", _m("Temperature"), LEAST_TEMPERATURE, MOST_TEMPERATURE, 0.05,
        _m("Scores are divided by it just before the softmax, in each of the two kinds that has one."),
    ),
    "causal": _causal,
}  # fmt: skip
