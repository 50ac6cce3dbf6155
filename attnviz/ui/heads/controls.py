"""What is looked at: item and run, layer, head, and what is hidden."""

import functools

import streamlit as st

from attnviz.attention import Attention
from attnviz.base.language import _
from attnviz.tokens import Tokens, cut, isolated
from attnviz.trace import Trace
from attnviz.ui.heads.checked import WARNING, disagreement, disagrees
from attnviz.ui.heads.look import of_run, runs
from attnviz.ui.heads.store import HeadsStore
from attnviz.ui.page import plain
from attnviz.ui.source.panel import said
from attnviz.ui.source.source import Source

MOST_SAID = 40


def controls(store: HeadsStore, source: Source) -> None:
    """The row of controls below the overview. Raises `InputError` where there is nothing to choose from."""
    view = store.view
    attentions = of_run(source.trace, view.role, view.run)
    attention = Trace(attentions, origin=source.trace.origin).select(view.selection())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _item_and_run(store, source, attention)
        st.selectbox(_("Layer"), [one.layer for one in attentions], width=110, **store.field("layer"))
        heads = attention.heads
        st.selectbox(
            _("Head"), [*range(heads), "mean", "maximum"], width=240, format_func=functools.partial(_head, heads),
            **store.field("head"),
        )  # fmt: skip
        st.toggle(_("Hide special tokens"), **store.field("hide_special"))
        if any(any(one.padding or ()) for one in _tokens(attention, view.item)):
            st.toggle(_("Show padding"), **store.field("show_padding"))
        st.toggle(
            _("Renormalise"), disabled=not view.hide_special, **store.field("renormalise"),
            help=_("Divide what is left of each row by its sum. The numbers are then no longer the model's weights."),
        )  # fmt: skip
        st.button(
            _("Choose no token"), icon=":material/deselect:", on_click=store.change, kwargs={"query": None, "key": None},
            disabled=view.query is None and view.key is None,
        )  # fmt: skip
    with st.container():
        _say(source.trace, attentions, attention, view.item)


def _item_and_run(store: HeadsStore, source: Source, attention: Attention) -> None:
    view = store.view
    if attention.items > 1:
        st.selectbox(
            _("Item of the batch"), range(attention.items), width=300,
            format_func=lambda item: f"{item}: {_beginning(attention.key_tokens_of(item))}",
            **store.widget("item", view.item, lambda item: {"item": item, "query": None, "key": None}),
        )  # fmt: skip
    count = len(runs(source.trace, view.role))
    if count > 1:
        st.selectbox(
            _("Run"), range(count), width=100,
            **store.widget("run", view.run, lambda run: _of_run(source, view.role, run)),
        )  # fmt: skip


def _of_run(source: Source, role: str, run: int) -> dict[str, object]:
    layers = [one.layer for one in of_run(source.trace, role, run)]  # type: ignore[arg-type]  # the view's own role
    return {"run": run, "layer": layers[0], "query": None, "key": None}


def _tokens(attention: Attention, item: int) -> tuple[Tokens, Tokens]:
    return attention.query_tokens_of(item), attention.key_tokens_of(item)


def _beginning(tokens: Tokens) -> str:
    words = (tokens.label(position) for position in tokens.shown(hide_special=True)[:MOST_SAID])
    return isolated(cut(" ".join(words), MOST_SAID))


def _head(heads: int, head: int | str) -> str:
    if head == "mean":
        return _("mean of {count} heads", count=heads)
    return _("maximum of {count} heads", count=heads) if head == "maximum" else str(head)


def _say(trace: Trace, attentions: list[Attention], attention: Attention, item: int) -> None:
    """Which numbers have no layer, what the layer is called, which item is shown, and what its note says."""
    sentences = []
    layers = [one.layer for one in attentions]
    gaps = sorted(set(range(layers[-1])) - set(layers))
    if gaps:
        sentences.append(_("Layers without attention of this kind: {numbers}.", numbers=_ranges(gaps)))
    if attention.items > 1:
        sentences.append(
            _("Item {item} of {count} is shown, counted from 0; the others are not.", item=item, count=attention.items)
        )
    if attention.form != "dot-product":
        sentences.append(_form_sentence(attention.form))
    if attention.note:
        sentences.append(said(trace, plain(_(attention.note))))
    if any(any(one.generated or ()) for one in _tokens(attention, item)):
        sentences.append(_("✎ marks what the model wrote itself."))
    if disagrees(attention):
        sentences.insert(0, f"{WARNING} {said(trace, plain(disagreement(attention)))}")
    if sentences:
        st.caption(" ".join(sentences))


def _form_sentence(form: str) -> str:
    return {
        "stored": _("These weights were stored as they are; there are no queries and keys to compute them from."),
        "additive": _("Additive attention: the scores come from a small network and not from a dot product."),
        "linear": _("Linear attention has no softmax; these are the weights that it implies."),
        "deformable": _("Deformable attention looks at a few points only; everything else has no weight."),
    }[form]


def _ranges(numbers: list[int]) -> str:
    """1, 2, 4–6."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}–{group[-1]}" for group in groups)
