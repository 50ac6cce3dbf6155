"""Follow a vector: choose a token and a layer, see what passes on, what is added, and what a part does."""

import math

import streamlit as st

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures.block_shares import percent
from attnviz.figures.numerals import signed_text
from attnviz.figures.part_colours import COLOURS, WHOLE, part_name
from attnviz.models.following import Followed
from attnviz.recording.blocks import Layer
from attnviz.tokens import isolated
from attnviz.ui import panels, presenting
from attnviz.ui.block import diagram, off, switched
from attnviz.ui.block.followed import Way, followed, stream_of, way
from attnviz.ui.block.store import BlockStore
from attnviz.ui.block.switched import Switched
from attnviz.ui.components import ChartClick
from attnviz.ui.page import complain, plain
from attnviz.ui.panels import Picture
from attnviz.ui.source import panel
from attnviz.ui.views.block import Off

OFFS: dict[Off, str] = {
    "none": _m("nothing"),
    "attention": _m("attention"),
    "cross-attention": _m("cross-attention"),
    "feed-forward": _m("feed-forward"),
}


def follow(store: BlockStore) -> None:
    """The model and its text, then one token's way."""
    presenting.leave_out(_introduction, lambda: panel.controls(store))
    try:
        found = followed(store.view)
        presenting.leave_out(lambda: _origin(found))
        _controls(store, found)
        there = way(store.view, found)
        layer = there.layers[store.view.layer]
        run = _switched(store, found, layer)
    except InputError as error:
        complain(error)
        return
    _sentence(store, there)
    _pictures(store, there, run)
    _lengths(store, there)
    off.off(store, found, there, run)
    presenting.leave_out(_why)


def _introduction() -> None:
    st.markdown(
        _(
            "Every token has a vector that runs through all layers. In each, attention adds what it found elsewhere and "
            "the feed-forward part what it made of that; the rest is passed on. Choose a token and a layer; click a box "
            "to switch that part off."
        )
    )


def _origin(found: Followed) -> None:
    """What was followed, how exactly, and what could not be."""
    kept = max(len(tokens) for tokens in found.tokens.values())
    st.caption(
        _(
            "Followed in the model as it ran (layers: {layers}; tokens, from the first on: {tokens}). The parts add up to "
            "what the model computed, but for {error} of its length at most.",
            layers=len(found.stream), tokens=kept, error=signed_text(found.stream.error),
        )
    )  # fmt: skip
    for note in found.stream.notes:
        st.info(plain(str(note)))


def _controls(store: BlockStore, found: Followed) -> None:
    names = found.stream.names
    stream = stream_of(store.view, found)
    layers, tokens = found.layers(stream), found.tokens[stream]
    # A link may ask for what this model does not have; what is wrong is said below, and the controls still offer.
    layer, token = min(store.view.layer, len(layers) - 1), min(store.view.token, len(tokens) - 1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(names) > 1:
            st.selectbox(
                _("Side"), range(len(names)), width=200, format_func=lambda at: _side(names[at]),
                **store.widget("stream", store.view.stream, lambda at: {"stream": at, "layer": 0, "off": "none", "token": 0}),
            )  # fmt: skip
        labels = [f"{at} · {isolated(tokens.label(at))}" for at in range(len(tokens))]
        st.selectbox(
            _("Token"), range(len(tokens)), width=200, format_func=lambda at: labels[at],
            **store.widget("token", token, lambda at: {"token": at}),
        )  # fmt: skip
        if len(layers) > 1:
            st.slider(
                _("Layer"), 0, len(layers) - 1, width=260, **store.widget("layer", layer, lambda at: {"layer": at})
            )
        there: list[Off] = [
            kind for kind in OFFS if kind == "none" or any(part.kind == kind for part in layers[0].parts)
        ]
        st.segmented_control(
            _("Switch off in this layer"), there, required=True, format_func=lambda kind: _(OFFS[kind]),
            **store.widget("off", store.view.off if store.view.off in there else "none", lambda kind: {"off": kind}),
        )  # fmt: skip


def _side(stream: str) -> str:
    """The side of the model, or what its layers are in where it has no sides."""
    sides = {"decoder": _("decoder"), "encoder": _("encoder")}
    return next((said for side, said in sides.items() if side in stream.lower()), stream)


def _switched(store: BlockStore, found: Followed, layer: Layer) -> Switched | None:
    if store.view.off == "none":
        return None
    return switched.switched(store.view, found, layer.stream, layer.part(store.view.off))


def _sentence(store: BlockStore, there: Way) -> None:
    """The chosen layer in one sentence: what was passed on, what was added."""
    layer = store.view.layer
    parts = ", ".join(f"{part_name(kind)} **{percent(there.shares(kind)[layer])}**" for kind in there.kinds)
    st.markdown(
        _(
            "What leaves layer {layer} for “{token}” is made of: {parts}.",
            layer=layer, token=plain(isolated(there.tokens.label(there.token))), parts=parts,
        )
    )  # fmt: skip


def _pictures(store: BlockStore, there: Way, run: Switched | None) -> None:
    view = store.view
    layer = there.layers[view.layer] if run is None else run.layer
    came, stages = diagram.stages(layer, there.token, view.off)
    title = _("Layer {layer} as it is wired", layer=view.layer)
    wired = figures.block_diagram(came, stages, title=title)
    series = {part_name(kind): there.shares(kind) for kind in there.kinds}
    bars = figures.block_shares(
        series, chosen=view.layer, colours=[COLOURS[kind] for kind in there.kinds],
        title=_("What it is made of, layer by layer"),
    )  # fmt: skip
    # As high as the diagram beside it.
    bars.layout.height = max(int(wired.layout.height), int(bars.layout.height))

    def click(event: ChartClick) -> None:
        if event.figure == "bars" and isinstance(event.custom, int):
            store.change(layer=event.custom)
        if event.figure == "wired" and event.custom in OFFS:
            store.change(off="none" if event.custom == store.view.off else event.custom)

    panels.show(
        "block-follow",
        {
            "wired": Picture(
                wired, figures.describe_block_diagram(came, stages), lambda: figures.table_block_diagram(came, stages),
                int(wired.layout.height),
            ),
            "bars": Picture(
                bars, figures.describe_block_shares(series, layer=view.layer), lambda: figures.table_block_shares(series),
                int(bars.layout.height),
            ),
        },
        columns_min_width=400,
        on_click=click,
    )  # fmt: skip
    with st.container():
        if run is not None:
            st.caption(_("The diagram shows the run without the part; the other pictures here show the one with it."))


def _lengths(store: BlockStore, there: Way) -> None:
    """Lengths and directions over depth; 0 is what came into the first layer."""
    lengths = {_("whole vector"): there.lengths} | {
        part_name(kind): [float("nan"), *there.sizes(kind)] for kind in there.kinds if kind != "carried"
    }
    turns = {
        _("with what came in"): there.towards(0),
        _("with what leaves the last layer"): there.towards(-1),
    }
    chosen = store.view.layer + 1
    colours = [WHOLE, *(COLOURS[kind] for kind in there.kinds if kind != "carried")]
    ticks = _("after layers")
    long = figures.depth_curve(
        lengths, axis=_("length"), chosen=chosen, colours=colours, ticks=ticks, title=_("How long it is, and its parts")
    )  # fmt: skip
    turned = figures.depth_curve(
        turns, axis=_("cosine"), chosen=chosen, bounds=_bounds(turns), ticks=ticks, title=_("How far it has turned")
    )  # fmt: skip

    points = {part_name(kind): there.directions(kind) for kind in there.kinds}
    part_colours = [COLOURS[kind] for kind in there.kinds]
    pointed = figures.depth_curve(
        points, axis=_("cosine"), chosen=store.view.layer, colours=part_colours, bounds=_bounds(points),
        title=_("Which way the parts point: along what leaves their layer (1), across (0) or against it (−1)"),
    )  # fmt: skip

    def click(event: ChartClick) -> None:
        if not isinstance(event.custom, int):
            return
        if event.figure == "points":
            store.change(layer=event.custom)
        elif event.custom > 0:
            store.change(layer=event.custom - 1)

    panels.show(
        "block-depth",
        {
            "lengths": Picture(
                long, figures.describe_depth_curve(lengths, axis=_("length"), ticks=ticks),
                lambda: figures.table_depth_curve(lengths, ticks=ticks), int(long.layout.height),
            ),
            "turns": Picture(
                turned, figures.describe_depth_curve(turns, axis=_("cosine"), ticks=ticks),
                lambda: figures.table_depth_curve(turns, ticks=ticks), int(turned.layout.height),
            ),
            "points": Picture(
                pointed, figures.describe_depth_curve(points, axis=_("cosine")),
                lambda: figures.table_depth_curve(points), int(pointed.layout.height), span=2,
            ),
        },
        columns_min_width=400,
        on_click=click,
    )  # fmt: skip


def _bounds(turns: dict[str, list[float]]) -> tuple[float, float]:
    lowest = min((number for numbers in turns.values() for number in numbers if not math.isnan(number)), default=0.0)
    return (-1.05 if lowest < 0 else -0.02, 1.05)


def _why() -> None:
    st.latex(r"s(a) = \frac{a \cdot y}{\lVert y \rVert^2}, \quad y = \sum_a a \;\Rightarrow\; \sum_a s(a) = 1")
    st.latex(
        r"\mathrm{LN}(x + f) = \gamma \odot \frac{x - \bar{x}}{\sigma} + \gamma \odot \frac{f - \bar{f}}{\sigma} + \beta"
    )
    st.caption(
        _(
            "The share s of a part a is how far it reaches along what leaves, y. It is negative where the part points "
            "against it. Of the vector at hand a norm is linear, since mean and σ are those of the sum: each part is "
            "divided by the same σ, and β is a part of its own. A share is no reason: switch the part off to see what it does."
        )
    )
