"""What a person moves on the Playground: example, switches, sliders, tables, tokens and dimensions."""

import functools
from typing import Any

import pandas as pd
import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures.palette import ceiling
from attnviz.models.examples import EXAMPLES, Matrix
from attnviz.ui import presenting
from attnviz.ui.page import plain
from attnviz.ui.playground.editable import Editable, editables
from attnviz.ui.state import Store
from attnviz.ui.views.playground import (
    LEAST_TEMPERATURE,
    MOST_DIMENSIONS,
    MOST_TEMPERATURE,
    MOST_TOKENS,
    PlaygroundView,
    Projection,
    Side,
    Vectors,
)

PlaygroundStore = Store[PlaygroundView]


def choices(store: PlaygroundStore) -> None:
    """Where to start from, and how the attention is built: what is chosen once and then left alone."""
    view = store.view
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Start from"), list(EXAMPLES), width=230, format_func=lambda name: _(EXAMPLES[name][0]),
            **store.widget("example", view.example, lambda name: dict(PlaygroundView.start(name))),
        )  # fmt: skip
        _heads(store)
        st.toggle(
            _("Causal mask"), disabled=view.cross, **store.field("causal"),
            help=_("A token may look at itself and at those before it. Only where queries and keys are the same tokens."),
        )  # fmt: skip


def switches(store: PlaygroundStore) -> None:
    """What the formula does with the dot products, and the way back."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            _("Temperature"), LEAST_TEMPERATURE, MOST_TEMPERATURE, step=0.05, width=230, **store.field("temperature")
        )
        st.toggle(_("÷ √d"), **store.field("scale"))
        undo = st.button(_("Undo"), icon=":material/undo:", disabled=not store.can_undo, key="playground:undo")
        reset = st.button(_("Reset"), icon=":material/restart_alt:", key="playground:reset")
        if undo or reset:
            store.undo() if undo else _reset(store)
            # What is chosen above and below this fragment changes too.
            st.rerun(scope="app")


def _reset(store: PlaygroundStore) -> None:
    store.show(PlaygroundView.start(store.view.example))


def _heads(store: PlaygroundStore) -> None:
    view = store.view
    possible = view.possible_heads() if view.projection is None else (view.heads,)
    if len(possible) > 1:
        st.segmented_control(
            _("Heads"), possible, required=True,
            **store.widget("heads", view.heads, lambda heads: {"heads": heads, "head": 0}),
        )  # fmt: skip
    if view.heads > 1:
        st.segmented_control(
            _("Head shown"), range(view.heads), format_func=lambda head: str(head + 1), required=True,
            **store.field("head"),
        )  # fmt: skip


def vector(store: PlaygroundStore) -> None:
    """One vector at a time, each component a slider; or the whole matrix as a table."""
    view = store.view
    parts = editables(view)
    st.segmented_control(
        _("Change"), list(parts), format_func=lambda name: parts[name].title, required=True, wrap=True,
        **store.widget("part", view.part, lambda part: {"part": part, "row": 0}),
    )  # fmt: skip
    editable = parts[view.part]
    if not presenting.is_on() and st.toggle(_("As a table"), key="playground:as-table", persist_state="session"):
        _table(store, editable)
        return
    if len(editable.rows) > 1:
        st.pills(
            _("Vector"), range(len(editable.rows)), format_func=lambda row: _name(editable.rows[row], row),
            required=True, wrap=True, **store.field("row"),
        )  # fmt: skip
    _sliders(store, editable)


def _sliders(store: PlaygroundStore, editable: Editable) -> None:
    view = store.view
    with st.container(horizontal=True):
        for column, number in enumerate(editable.matrix[view.row]):
            # The range is the view's, so that it does not change under the hand that moves the slider.
            edge = max(float(view.limit), abs(number))
            st.slider(
                f"{editable.title} · {_name(editable.rows[view.row], view.row)} · {column + 1}",
                -edge, edge, step=edge / 400, format="%.2f", width=250,
                **store.widget(
                    f"{editable.name}[{view.row}][{column}]",
                    float(number),
                    functools.partial(_with_number, store, editable.name, view.row, column),
                ),
            )  # fmt: skip


def _with_number(store: PlaygroundStore, name: str, row: int, column: int, number: float) -> dict[str, Any]:
    # The view of this moment: another slider may have moved since the page was drawn.
    return editables(store.view)[name].with_number(row, column, float(number))


def _table(store: PlaygroundStore, editable: Editable) -> None:
    """The matrix as a table. The editor keeps its own edits, so it is given the numbers that they were made on."""
    memory = f"playground:table:{editable.name}:{store.view.head}"
    base, revision = st.session_state.get(memory, (editable.matrix, 0))
    edits = st.session_state.get(f"{memory}:{revision}", {}).get("edited_rows", {})
    try:
        followed = _edited(editable, base, edits)
    except InputError:
        followed = None
    if followed != editable.matrix:  # changed elsewhere, or refused: begin again from the view
        base, revision = editable.matrix, revision + 1
    st.session_state[memory] = (base, revision)
    key = f"{memory}:{revision}"

    def apply() -> None:
        try:
            matrix = _edited(editable, base, st.session_state[key]["edited_rows"])
            limit = ceiling([abs(number) for row in matrix for number in row], least=store.view.limit)
            store.change(**editables(store.view)[editable.name].fields(matrix), limit=limit)
        except InputError as error:
            store.complaint = error

    columns = [str(column + 1) for column in range(len(base[0]))]
    names = [name or str(row) for row, name in enumerate(editable.rows)]
    st.data_editor(
        pd.DataFrame(base, columns=columns, index=pd.Index(names, name=editable.title)),
        key=key,
        on_change=apply,
        column_config={column: st.column_config.NumberColumn(format="%.4g", step=0.0001) for column in columns},
    )


def _edited(editable: Editable, base: Matrix, edits: dict[int, dict[str, Any]]) -> Matrix:
    rows = [list(row) for row in base]
    for row, changed in edits.items():
        for column, number in changed.items():
            if not isinstance(number, int | float) or number != number or abs(number) > 1e6:
                raise InputError(
                    _m("In “{name}”, row {row}, column {column}: a number from −1,000,000 to 1,000,000 was expected."),
                    name=editable.title,
                    row=int(row) + 1,
                    column=column,
                )
            rows[int(row)][int(column) - 1] = float(number)
    return tuple(map(tuple, rows))


def sizes(store: PlaygroundStore) -> None:
    """Tokens and dimensions: more or fewer. New ones are zero."""
    view = store.view
    if view.cross:
        _tokens(store, "query", _("Queries"), len(view.query))
        _tokens(store, "key", _("Keys and values"), len(view.key))
    else:
        _tokens(store, "both", _("Tokens"), len(view.query))
    if view.projection is None:
        _dimensions(store, "query and key", _("Dimensions of query and key"), len(view.query[0]))
        _dimensions(store, "value", _("Dimensions of value"), len(view.value[0]))


def _tokens(store: PlaygroundStore, side: Side, label: str, count: int) -> None:
    def changed(wanted: int) -> dict[str, Any]:
        return store.view.with_tokens(wanted, side, lambda index: _("token {index}", index=index))

    st.number_input(label, 1, MOST_TOKENS, width=220, **store.widget(f"count {side}", count, changed))


def _dimensions(store: PlaygroundStore, kind: Vectors, label: str, count: int) -> None:
    st.number_input(
        label, 1, MOST_DIMENSIONS, width=220,
        **store.widget(f"dimensions {kind}", count, lambda wanted: store.view.with_dimensions(wanted, kind)),
    )  # fmt: skip


def source(store: PlaygroundStore) -> None:
    """Whether the vectors are typed in, or one step further back made from features."""
    view = store.view

    def changed(on: bool) -> dict[str, Any]:
        if not on:
            return {"projection": None, "part": "query", "row": 0, "heads": 1, "head": 0}
        made = Projection.start(len(view.query))
        return {"projection": made, "part": "x", "row": 0, "heads": len(made.query), "head": 0}

    st.toggle(
        _("Make the vectors from features"), disabled=view.cross, **store.widget("source", view.projection is not None, changed),
        help=_("x with W_Q, W_K and W_V for each head; then concatenation and W_O. Only where queries and keys are the same tokens."),
    )  # fmt: skip


def _name(label: str, row: int) -> str:
    return plain(label) or str(row)
