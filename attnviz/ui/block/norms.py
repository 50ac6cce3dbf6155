"""Norm before or after: the same untrained stack three times, and how lengths, shares and gradients grow with depth."""

from typing import Any

import streamlit as st

from attnviz import figures
from attnviz.attention.block import NORM_PLACES, NormPlace
from attnviz.attention.summands import SummandKind
from attnviz.base.language import _, _m
from attnviz.figures.block_shares import percent
from attnviz.figures.numerals import signed_text
from attnviz.figures.part_colours import COLOURS, part_name
from attnviz.ui import panels, presenting
from attnviz.ui.block.stacks import HEADS, POSITIONS, Measured, measured
from attnviz.ui.block.store import BlockStore
from attnviz.ui.components import ChartClick
from attnviz.ui.panels import Picture
from attnviz.ui.views.block import Stack

NAMES: dict[NormPlace, str] = {
    "before": _m("norm before the parts"),
    "after": _m("norm after the sums"),
    "none": _m("no norm"),
}
FORMULAS: dict[NormPlace, str] = {
    "before": r"x_{l+1} = x_l + F(\mathrm{LN}(x_l))",
    "after": r"x_{l+1} = \mathrm{LN}(x_l + F(x_l))",
    "none": r"x_{l+1} = x_l + F(x_l)",
}
_KINDS: tuple[SummandKind, ...] = ("carried", "attention", "feed-forward")


def norms(store: BlockStore) -> None:
    """Move the depth, see the three stacks part, and why."""
    stack = store.view.stack
    presenting.leave_out(_introduction)
    _controls(store, stack)
    found = measured(stack)
    _answer(stack, found)
    _pictures(store, stack, found)
    presenting.leave_out(_why)


def _introduction() -> None:
    st.markdown(
        _(
            "A block adds what its parts F give to what came in, so vectors grow with depth unless something keeps them "
            "short. The first Transformer normalised each sum (2017); most models today normalise what each part reads. "
            "Move the depth and compare."
        )
    )


def _controls(store: BlockStore, stack: Stack) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(_("Layers"), 1, 48, width=260, **_field(store, stack, "depth"))
        st.segmented_control(_("Numbers in a vector"), (32, 64, 128), required=True, **_field(store, stack, "width"))
        st.number_input(_("Seed"), 0, 9999, width=110, **_field(store, stack, "seed"))
        st.segmented_control(
            _("Shares of"), list(NORM_PLACES), required=True, format_func=lambda place: _(NAMES[place]),
            **_field(store, stack, "place"),
        )  # fmt: skip


def _field(store: BlockStore, stack: Stack, name: str) -> dict[str, Any]:
    return store.widget(f"stack {name}", getattr(stack, name), lambda chosen: store.view.stack.but(**{name: chosen}))


def _answer(stack: Stack, found: dict[NormPlace, Measured]) -> None:
    said = [
        _(
            "**{name}**: length {first} → {last}; gradient of the first layer {early}, of the last {late}; passed on in "
            "the last layer {share}.",
            name=_(NAMES[place]), first=signed_text(float(one.lengths[0]), 2), last=signed_text(float(one.lengths[-1]), 2),
            early=signed_text(float(one.gradients[0])), late=signed_text(float(one.gradients[-1])),
            share=percent(float(one.shares[0, -1])),
        )
        for place, one in found.items()
    ]  # fmt: skip
    st.markdown("\n".join(f"- {one}" for one in said))
    st.caption(
        _(
            "Computed here, untrained: {positions} random vectors, the same random weights for all three, {heads} heads, "
            "seed {seed}; lengths and shares are means over positions, gradients those of the mean squared distance to random "
            "targets. With the norm before, a last norm closes the stack, for the gradients alone.",
            positions=POSITIONS, heads=HEADS, seed=stack.seed,
        )
    )  # fmt: skip


def _pictures(store: BlockStore, stack: Stack, found: dict[NormPlace, Measured]) -> None:
    lengths = {_(NAMES[place]): one.lengths.tolist() for place, one in found.items()}
    series = {part_name(kind): found[stack.place].shares[at].tolist() for at, kind in enumerate(_KINDS)}
    shown = {
        "lengths": _curve(lengths, _("length"), _("after layers"), _("How long the vectors get")),
        "gradients": _curve(shown_gradients(found), _("size of the gradient"), "", _("How much training would move each layer")),
        "shares": _shares(series, _("What leaves each layer is made of: {name}", name=_(NAMES[stack.place]))),
    }  # fmt: skip

    def click(event: ChartClick) -> None:
        if event.figure != "shares" and 0 <= event.trace < len(NORM_PLACES):
            store.change(**store.view.stack.but(place=NORM_PLACES[event.trace]))

    panels.show("block-norm", shown, columns_min_width=400, on_click=click)


def shown_gradients(found: dict[NormPlace, Measured]) -> dict[str, list[float]]:
    """Of the stacks with a norm: without one, gradients are larger by powers of ten, and the other two were one line."""
    return {_(NAMES[place]): found[place].gradients.tolist() for place in NORM_PLACES if place != "none"}


def _curve(series: dict[str, list[float]], axis: str, ticks: str, title: str) -> Picture:
    figure = figures.depth_curve(series, axis=axis, log=True, ticks=ticks, title=title)
    return Picture(
        figure, figures.describe_depth_curve(series, axis=axis, ticks=ticks),
        lambda: figures.table_depth_curve(series, ticks=ticks), int(figure.layout.height),
    )  # fmt: skip


def _shares(series: dict[str, list[float]], title: str) -> Picture:
    figure = figures.block_shares(series, colours=[COLOURS[kind] for kind in _KINDS], title=title)
    last = len(next(iter(series.values()))) - 1
    return Picture(
        figure, figures.describe_block_shares(series, layer=last), lambda: figures.table_block_shares(series),
        int(figure.layout.height), span=2,
    )  # fmt: skip


def _why() -> None:
    for place in NORM_PLACES:
        st.latex(r"\text{" + _(NAMES[place]) + r"}: \quad " + FORMULAS[place])
    st.caption(
        _(
            "With the norm before, lengths grow with depth, and each layer adds less of what there is already. With the norm "
            "after, every layer scales what was passed on down again. Add layers and watch the last one's gradient: with the "
            "norm before it shrinks as one over the root of their number; with the norm after it does not, which is a reason "
            "why such models need a slow start (Xiong et al. 2020, arXiv 2002.04745, theorem 1). Without a norm, lengths and "
            "gradients multiply. Untrained stacks say how training begins, not how good a model gets."
        )
    )
