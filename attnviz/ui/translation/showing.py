"""What of the attention is shown: layer, head or mean, which rows, what is hidden, gold links."""

import streamlit as st

from attnviz.base.language import _
from attnviz.ui import presenting
from attnviz.ui.translation.columns import Column
from attnviz.ui.translation.store import TranslationStore

MEAN = -1


def showing(store: TranslationStore, found: list[Column]) -> None:
    """The row of controls above the pictures."""
    if not any(column.looked for column in found):
        return
    heads = _heads(found)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width="content"):
            if sum(heads) > 1:
                _layer_and_head(store, heads)
        st.toggle(
            _("Gold alignment"), **store.field("gold"),
            help=_("Which word translates which, as the grammar knows it: sure links and possible ones."),
        )  # fmt: skip
        presenting.leave_out(lambda: _reading(store))


def _heads(found: list[Column]) -> tuple[int, ...]:
    """Of the model with most heads: how many each of its layers has."""
    return max((column.looked.heads for column in found if column.looked), key=sum, default=())


def _layer_and_head(store: TranslationStore, heads: tuple[int, ...]) -> None:
    view = store.view
    layer = view.layer if view.layer is not None and view.layer < len(heads) else None
    of_layer = heads[layer] if layer is not None else 0
    head = view.head if view.head is not None and view.head < of_layer else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Layer"), range(MEAN, len(heads)), width=280,
            format_func=lambda at: _("mean of all {count} heads", count=sum(heads)) if at == MEAN else str(at),
            **store.widget("layer", MEAN if layer is None else layer,
                           lambda at: {"layer": None, "head": None} if at == MEAN else {"layer": at}),
        )  # fmt: skip
        st.selectbox(
            _("Head"), range(MEAN, of_layer), width=250, disabled=layer is None,
            format_func=lambda at: _("mean of {count} heads", count=of_layer or sum(heads)) if at == MEAN else str(at),
            **store.widget("head", MEAN if head is None else head,
                           lambda at: {"head": None if at == MEAN else at}),
        )  # fmt: skip


def _reading(store: TranslationStore) -> None:
    view = store.view
    with st.popover(_("How weights are read"), icon=":material/tune:", width="content"):
        st.segmented_control(
            _("A word's row is the one that"), ["predict", "consume"], required=True,
            format_func=lambda rows: _("predicts it") if rows == "predict" else _("consumes it"), **store.field("rows"),
            help=_("A decoder writes a word in one row and reads it in the next. Which of the two aligns better depends on "
                   "the model and on the layer."),
        )  # fmt: skip
        st.toggle(_("Hide the end of the sentence"), **store.field("hide_special"))
        st.toggle(_("Hide punctuation"), **store.field("hide_punctuation"))
        st.toggle(
            _("Renormalise"), disabled=not (view.hide_special or view.hide_punctuation), **store.field("renormalise"),
            help=_("Divide what is left of each row by its sum. The numbers are then no longer the model's weights."),
        )  # fmt: skip
        st.toggle(
            _("Raw pieces"), **store.field("pieces"),
            help=_("The tokens as the model has them. Otherwise a word's weight is the sum over its source tokens and the "
                   "mean over its target tokens."),
        )  # fmt: skip
