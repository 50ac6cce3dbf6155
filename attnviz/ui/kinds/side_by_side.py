"""Two kinds of attention on the same queries, keys and values."""

from functools import partial

import streamlit as st

from attnviz.attention import kinds
from attnviz.base.errors import InputError
from attnviz.ui import presenting
from attnviz.ui.kinds import card, change, controls, numbers, pictures, sources
from attnviz.ui.kinds.compute import both
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.page import complain, let_paint

SIDES = ("left", "right")


def show(store: KindsStore) -> None:
    """Choose what is looked at and by which kinds; see; why."""
    presenting.leave_out(lambda: controls.source(store), lambda: st.caption(sources.said(store.view)))
    _choose(store)
    view = store.view
    try:
        found = both(view)
    except InputError as error:
        complain(error)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # Before an audience the pictures come first: a click on them chooses the query.
        if not presenting.is_on():
            pictures.choice(store)
            controls.query(store, found.looked)
        controls.sliders(store)
    pictures.pictures(store, found)
    let_paint()
    change.change(found)
    _meanings(store)
    pictures.bars(found)
    numbers.numbers(view, found)
    presenting.leave_out(lambda: _sources(store))


def _choose(store: KindsStore) -> None:
    """Both kinds with their formulas, and between them what swaps them. On a projector the pictures come first."""
    left, between, right = st.columns([12, 1, 12])
    for column, field in ((left, "left"), (right, "right")):
        with column:
            controls.kind(store, field)
            presenting.leave_out(partial(card.formula, kinds.kind(getattr(store.view, field)), field))
    with between:
        controls.swap(store)


def _meanings(store: KindsStore) -> None:
    for column, field in zip(st.columns(2, gap="medium"), SIDES, strict=True):
        with column:
            card.meaning(kinds.kind(getattr(store.view, field)), causal=store.view.causal)


def _sources(store: KindsStore) -> None:
    for column, field in zip(st.columns(2, gap="medium"), SIDES, strict=True):
        with column:
            kind = kinds.kind(getattr(store.view, field))
            card.sources(kind, sources.other(store.view) if kind is kinds.kind("cross") else "")
