"""Layers × heads at a glance: small maps of all heads, or one number for each."""

import csv
import io
import math
from typing import Any

import numpy as np
import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz import figures
from attnviz.attention import Attention, Overview, Role, statistics
from attnviz.base.language import _, _m
from attnviz.figures.atlas import Atlas, atlas, beyond_codes
from attnviz.ui import panels, presenting
from attnviz.ui.components import ChartClick, MatrixClick, matrix
from attnviz.ui.heads.checked import marked
from attnviz.ui.heads.look import ROWS_AT_ONCE, of_run
from attnviz.ui.heads.store import HeadsStore
from attnviz.ui.panels import Picture
from attnviz.ui.source.source import Source

MAP_SIZE = 40
"""Cells along a side of one head's map; 144 of them are a quarter of a megabyte."""

# Identifier → (what it is, unit). Both are message ids.
STATISTICS = {
    "entropy": (_m("Entropy of the weights, mean over queries"), _m("bits")),
    "largest": (_m("Largest weight of a query, mean over queries"), ""),
    "distance": (_m("Distance looked, mean over queries"), _m("tokens")),
    "special": (_m("Mass on special tokens, mean over queries"), ""),
}
TITLES = {
    "maps": _m("maps"),
    "entropy": _m("entropy"),
    "largest": _m("largest weight"),
    "distance": _m("distance"),
    "special": _m("special tokens"),
}


def glance(store: HeadsStore, source: Source) -> None:
    """All heads of one role; a click chooses layer and head."""
    view = store.view
    with st.container(horizontal=True, vertical_alignment="bottom"):
        roles = source.trace.roles()
        if len(roles) > 1:
            st.segmented_control(
                _("Part of the model"), roles, required=True, format_func=_role,
                **store.widget("role", view.role, lambda role: _of_role(source, role)),
            )  # fmt: skip
        st.segmented_control(
            _("All heads as"),
            list(TITLES),
            required=True,
            format_func=lambda name: _(TITLES[name]),
            **store.field("glance"),
        )
    # An item of a batch may be missing in layers that split the input.
    attentions = [one for one in of_run(source.trace, view.role, view.run) if view.item < one.items]
    if not attentions:
        return
    if view.glance == "maps":
        _maps(store, source, attentions)
    else:
        _numbers(store, source, attentions)


def _of_role(source: Source, role: Role) -> dict[str, Any]:
    return {"role": role, "layer": source.trace.layers(role)[0], "head": 0, "run": 0, "query": None, "key": None}


def _role(role: str) -> str:
    return {"encoder": _("encoder"), "decoder": _("decoder"), "cross": _("cross-attention"), "ego": _("ego")}[role]


def _maps(store: HeadsStore, source: Source, attentions: list[Attention]) -> None:
    part = _part(store, source)
    found = _atlas(part, store.view.item, attentions)
    layers = [attention.layer for attention in attentions]

    def click(event: MatrixClick) -> None:
        place, head = found.head_at(event.row, event.column)
        if place < len(layers) and head < attentions[place].heads:
            store.change(layer=layers[place], head=head)

    heads = max(attention.heads for attention in attentions)
    matrix(
        "heads-atlas",
        found.codes,
        tile=(found.rows_per_tile, found.cols_per_tile),
        tile_labels=(
            [_("layer {layer}", layer=layer) + mark for layer, mark in zip(layers, marked(attentions), strict=True)],
            [str(head) for head in range(heads)],
        ),
        selected_tile=_selected(store, layers),
        description=_(
            "Maps of all heads: one row of maps for each of {layers} layers, one column for each of {heads} heads. "
            "Within a map, queries run down and keys run to the right; a cell is the largest weight in its part.",
            layers=len(layers),
            heads=heads,
        ),
        on_click=click,
        height=min(640, 60 + 66 * len(layers)),
    )
    overviews = _overviews(part, store.view.item, attentions)
    with st.container():
        if any(beyond_codes(overview) for overview in overviews):
            st.caption(_("Some weights are below 0 or above 1: the maps show their sizes up to 1, without the sign."))
    presenting.leave_out(lambda: _save(layers, overviews))


def _part(store: HeadsStore, source: Source) -> str:
    """What is looked at as a whole, for the caches."""
    view = store.view
    return f"{source.key}\n{view.role}\n{view.run}"


def _save(layers: list[int], overviews: list[Overview]) -> None:
    st.download_button(
        _("Save the maps as CSV"), data=lambda: _csv(layers, overviews), file_name="maps.csv", mime="text/csv",
        on_click="ignore", type="tertiary", icon=":material/download:",
    )  # fmt: skip


def _csv(layers: list[int], overviews: list[Overview]) -> bytes:
    """One line for each cell of each map: the exact largest weight of its queries and keys, empty where there is none."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["layer", "head", "first_query", "first_key", "largest_weight"])
    for layer, overview in zip(layers, overviews, strict=True):
        tall, wide = overview.cell
        for head, cells in enumerate(overview.maximum.tolist()):
            for row, weights in enumerate(cells):
                for column, weight in enumerate(weights):
                    number = "" if math.isnan(weight) else f"{weight:.9g}"
                    writer.writerow([layer, head, row * tall, column * wide, number])
    return out.getvalue().encode()


def _selected(store: HeadsStore, layers: list[int]) -> tuple[int, int] | None:
    view = store.view
    if view.layer not in layers or not isinstance(view.head, int):
        return None
    return layers.index(view.layer), view.head


@st.cache_resource(max_entries=16, show_spinner=False)
def _overviews(part: str, item: int, _attentions: list[Attention]) -> list[Overview]:  # noqa: ARG001 - names the entry
    """One pass over every layer. The progress bar is also where a superseded run stops."""
    done = []
    bar = st.progress(0.0, text=_("Looking through all heads …"))
    for count, attention in enumerate(_attentions, start=1):
        done.append(attention.overview(size=MAP_SIZE, item=item))
        bar.progress(count / len(_attentions), text=_("Looking through all heads …"))
    bar.empty()
    return done


@st.cache_resource(max_entries=16, show_spinner=False)
def _atlas(part: str, item: int, _attentions: list[Attention]) -> Atlas:
    return atlas(_overviews(part, item, _attentions), size=MAP_SIZE)


def _numbers(store: HeadsStore, source: Source, attentions: list[Attention]) -> None:
    view = store.view
    name, unit = STATISTICS[view.glance]
    numbers = _statistic(_part(store, source), view.item, view.glance, attentions)
    layers = [attention.layer for attention in attentions]
    named: dict[str, Any] = {"name": _(name), "unit": _(unit) if unit else "", "layers": layers}
    chosen = (view.layer, view.head) if isinstance(view.head, int) else None
    figure = figures.head_grid(numbers, **named, selected=chosen, marks=marked(attentions))

    def click(event: ChartClick) -> None:
        if isinstance(event.custom, list) and len(event.custom) == 2:
            store.change(layer=int(event.custom[0]), head=int(event.custom[1]))

    picture = Picture(
        figure,
        figures.describe_head_grid(numbers, **named),
        lambda: figures.table_head_grid(numbers, **named),
        int(figure.layout.height),
    )
    panels.show("heads-numbers", {"heads": picture}, on_click=click)


@st.cache_resource(max_entries=32, show_spinner=False)
def _statistic(
    part: str,  # noqa: ARG001 - names the entry
    item: int,
    name: str,
    _attentions: list[Attention],
) -> Float[np.ndarray, "layers heads"]:
    rows = []
    for attention in _attentions:
        rows.append(_of_layer(name, attention, item))
    heads = max(map(len, rows))
    return np.stack([np.pad(row, (0, heads - len(row)), constant_values=np.nan) for row in rows])


def _of_layer(name: str, attention: Attention, item: int) -> Float[np.ndarray, " heads"]:
    """One number for each head, head by head and in strips of rows, so that no n × m is held."""
    keys = attention.key_tokens_of(item)
    one_sequence = attention.role in ("encoder", "decoder")
    if (name == "special" and keys.special is None) or (name == "distance" and not one_sequence):
        return np.full(attention.heads, np.nan, dtype=np.float32)
    special = [position for position in range(len(keys)) if keys.is_special(position)]
    strips = _strips(attention.query_tokens_of(item).shown())
    # With a cache the last query stands at the last key.
    offset = attention.shape[1] - attention.shape[0]
    numbers = []
    for head in range(attention.heads):
        found = [_of_rows(name, attention.weights(head, item, rows=rows), rows[0] + offset, special) for rows in strips]
        numbers.append(float(torch.nanmean(torch.cat(found))) if found else np.nan)
    return np.array(numbers, dtype=np.float32)


def _strips(rows: tuple[int, ...]) -> list[list[int]]:
    """The rows in groups of neighbours, none of them long."""
    strips: list[list[int]] = []
    for row in rows:
        if not strips or row != strips[-1][-1] + 1 or len(strips[-1]) == ROWS_AT_ONCE:
            strips.append([])
        strips[-1].append(row)
    return strips


def _of_rows(name: str, weights: Float[Tensor, "n m"], first: int, special: list[int]) -> Float[Tensor, " n"]:
    if name == "entropy":
        return statistics.entropy(weights)
    if name == "largest":
        return weights.amax(-1)
    if name == "distance":
        return statistics.mean_distance(weights, offset=first)
    return weights[:, special].sum(-1)
