"""Reach over depth: how many layers until one position can know of another, for kinds that look at few."""

from typing import Any

import streamlit as st

from attnviz import figures
from attnviz.attention import reach as reaching
from attnviz.attention.reach import NEVER
from attnviz.base.language import _, _m, _n
from attnviz.ui import panels, presenting
from attnviz.ui.block.layers import counts, layer, reached
from attnviz.ui.block.store import BlockStore
from attnviz.ui.components import ChartClick
from attnviz.ui.panels import Picture
from attnviz.ui.views.block import Depth, Kind

KINDS: dict[Kind, str] = {
    "window": _m("Sliding window"),
    "dilated": _m("Dilated window"),
    "blocks": _m("Blocks"),
    "shifted": _m("Blocks, shifted in every other layer (Swin)"),
    "strided": _m("Strided (Sparse Transformer)"),
    "fixed": _m("Fixed (Sparse Transformer)"),
    "global": _m("Window, global tokens, random keys"),
    "full": _m("Full attention"),
    "convolution": _m("Convolution of 3"),
}
# Which sliders a kind has: field, name, least, greatest.
_SIZES = {
    "window": (_m("Window, positions on each side"), 1, 64),
    "dilation": (_m("Dilation"), 1, 32),
    "block": (_m("Block, positions"), 2, 64),
    "stride": (_m("Stride"), 2, 64),
    "tokens": (_m("Global tokens"), 1, 8),
    "random_keys": (_m("Random keys for each query"), 0, 8),
}
SLIDERS: dict[Kind, tuple[str, ...]] = {
    "window": ("window",),
    "dilated": ("window", "dilation"),
    "blocks": ("block",),
    "shifted": ("block",),
    "strided": ("stride",),
    "fixed": ("stride",),
    "global": ("window", "tokens", "random_keys"),
    "full": (),
    "convolution": (),
}
FORMULAS: dict[Kind, str] = {
    "window": r"R_L = \{\,j : |i-j| \le L\,w\,\} \qquad L_{\min} = \lceil D / w \rceil",
    "dilated": r"R_L = \{\,j : |i-j| = d\,m,\ 0 \le m \le L\,w\,\}",
    "blocks": r"R_L = \{\,j : \lfloor j/b \rfloor = \lfloor i/b \rfloor\,\} \quad \forall L \ge 1",
    "shifted": r"R_L = M_L\,R_{L-1}, \qquad M_L = \{\,(i, j) : \lfloor \tfrac{i + z}{b} \rfloor = \lfloor \tfrac{j + z}{b} \rfloor\,\}, \quad z = \lfloor \tfrac{b}{2} \rfloor\,[\,2 \mid L\,]",
    "strided": r"R_2 = \{\,0, \dots, n-1\,\}: \quad i \to i + k\,s \to j, \quad |j - i - k\,s| \le s",
    "fixed": r"R_2 \supseteq \{\,j < s\,\lfloor n/s \rfloor\,\}: \quad i \to s\,\lfloor j/s \rfloor + s - 1 \to j",
    "global": r"R_2 = \{\,0, \dots, n-1\,\}: \quad i \to t \to j, \quad t < g",
    "full": r"R_1 = \{\,0, \dots, n-1\,\}",
    "convolution": r"R_L = \{\,j : |i-j| \le L\,\tfrac{k-1}{2}\,\} \qquad L_{\min} = \lceil D / \tfrac{k-1}{2} \rceil",
}


POSITIONS = (16, 32, 64, 128, 256)  # an address may hold another number
_CAUSAL = r" \qquad (j \le i)"
# Global tokens stand first: where nobody looks ahead, they know of nothing that comes later.
_CAUSAL_GLOBAL = r"R_L \supseteq \{\,j : 0 \le i-j \le L\,w\,\} \cup \{\,j < g\,\}"
# All of a causal filter lies behind: position i and the k − 1 before it.
_CAUSAL_CONVOLUTION = r"R_L = \{\,j : 0 \le i-j \le L\,(k-1)\,\} \qquad L_{\min} = \lceil D / (k-1) \rceil"
_CAUSAL_FORMULAS: dict[Kind, str] = {"global": _CAUSAL_GLOBAL, "convolution": _CAUSAL_CONVOLUTION}


def formula(found: Depth) -> str:
    """The closed form of what is reached, as TeX."""
    if not found.causal:
        return FORMULAS[found.kind]
    return _CAUSAL_FORMULAS.get(found.kind, FORMULAS[found.kind] + _CAUSAL)


def reach(store: BlockStore) -> None:
    """Choose a kind and its sizes, see how far it reaches, and why."""
    found = store.view.reach
    presenting.leave_out(_introduction)
    _controls(store, found)
    _answer(found)
    _pictures(store, found)
    presenting.leave_out(lambda: _why(found))


def _introduction() -> None:
    st.markdown(
        _(
            "Who looks at few in each layer knows of more with every layer: what a position looked at had looked around "
            "itself before. Choose how each layer looks, and see after how many layers one position can know of another."
        )
    )


def _controls(store: BlockStore, found: Depth) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("How each layer looks"), list(KINDS), width=330, format_func=lambda kind: _(KINDS[kind]),
            **_field(store, found, "kind"),
        )  # fmt: skip
        for name, (label, least, greatest) in _SIZES.items():
            if name in SLIDERS[found.kind]:
                st.slider(_(label), least, greatest, width=210, **_field(store, found, name))
        st.slider(_("Layers"), 1, 32, width=210, **_field(store, found, "depth"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(_("Position that asks"), 0, found.positions - 1, width=210, **_field(store, found, "one"))
        st.slider(_("Position to know of"), 0, found.positions - 1, width=210, **_field(store, found, "other"))
        st.select_slider(
            _("Positions"), sorted({*POSITIONS, found.positions}), width=210, **_field(store, found, "positions")
        )
        st.toggle(_("Nobody looks ahead (causal)"), **_field(store, found, "causal"))


def _field(store: BlockStore, found: Depth, name: str) -> dict[str, Any]:
    return store.widget(f"reach {name}", getattr(found, name), lambda chosen: store.view.reach.but(**{name: chosen}))


def _answer(found: Depth) -> None:
    """The layers it takes, beside full attention and a convolution."""
    st.markdown(f"**{answer(found)}** {beside(found)}")


def answer(found: Depth) -> str:
    """After how many layers the one position can know of the other, and anybody of both."""
    stacked = reached(found)
    seen, met = (count(stacked, found.one, found.other) for count in (reaching.sees, reaching.meets))
    if found.one == found.other:
        return _("Position {one} knows of itself without any layer.", one=found.one)
    if seen == NEVER and found.causal and found.other > found.one:
        return _("Position {one} never knows of position {other}, which comes later.", one=found.one, other=found.other)
    if seen == NEVER:
        said = _n(
            "Position {one} does not know of position {other} after {count} layer.",
            "Position {one} does not know of position {other} after {count} layers.",
            found.depth, one=found.one, other=found.other,
        )  # fmt: skip
    else:
        said = _n(
            "Position {one} can know of position {other} after {count} layer.",
            "Position {one} can know of position {other} after {count} layers.",
            seen, one=found.one, other=found.other,
        )  # fmt: skip
    if met in (NEVER, seen):
        return said
    return (
        said
        + " "
        + _n(
            "Some position can know of both after {count} layer.",
            "Some position can know of both after {count} layers.",
            met,
        )
    )


def beside(found: Depth) -> str:
    """What full attention and a convolution of 3 need for the same two positions; nothing helps to look ahead."""
    distance = abs(found.one - found.other)
    if found.kind in ("full", "convolution") or not distance or (found.causal and found.other > found.one):
        return _("Distance: {distance}.", distance=distance)
    if found.causal:
        return _(
            "They are {distance} apart: full attention needs 1 layer, a causal convolution of 3, which looks at the two "
            "positions before, {layers}.",
            distance=distance, layers=-(-distance // 2),
        )  # fmt: skip
    return _(
        "They are {distance} apart: full attention needs 1 layer, a 3 × 3 convolution {layers}, and {half} until some "
        "position knows of both.",
        distance=distance, layers=distance, half=-(-distance // 2),
    )  # fmt: skip


def _pictures(store: BlockStore, found: Depth) -> None:
    mine = reached(found)[:, found.one]
    title = _("{kind}: what position {one} can know of", kind=_(KINDS[found.kind]), one=found.one)
    map_ = figures.reach_map(mine, one=found.one, other=found.other, title=title)
    curves = _curves(found)
    axis, ticks = _("positions known of"), _("after layers")
    curve = figures.depth_curve(
        curves,
        axis=axis,
        bounds=(0.0, 1.06 * found.positions),
        ticks=ticks,
        title=_("How many positions it knows of"),
    )
    pairs = layer(found, 0)
    one_layer = _("Who may look at whom in the first layer") if found.kind == "shifted" else _("Who may look at whom")
    pattern = figures.pattern_map(pairs, row=found.one, title=one_layer)

    def click(event: ChartClick) -> None:
        if event.figure == "map" and isinstance(event.custom, list) and len(event.custom) == 2:
            store.change(**store.view.reach.but(other=int(event.custom[1])))
        if event.figure == "pattern" and isinstance(event.custom, list) and len(event.custom) == 2:
            store.change(**store.view.reach.but(one=int(event.custom[0])))

    panels.show(
        "block-reach",
        {
            "map": Picture(
                map_, figures.describe_reach_map(mine, one=found.one), lambda: figures.table_reach_map(mine),
                int(map_.layout.height), span=2,
            ),
            "pattern": Picture(
                pattern, figures.describe_pattern_map(pairs, row=found.one), lambda: figures.table_pattern_map(pairs),
                int(pattern.layout.height),
            ),
            "curve": Picture(
                curve, figures.describe_depth_curve(curves, axis=axis, ticks=ticks),
                lambda: figures.table_depth_curve(curves, ticks=ticks), int(curve.layout.height),
            ),
        },
        columns_min_width=400,
        on_click=click,
    )  # fmt: skip


def _curves(found: Depth) -> dict[str, list[float]]:
    """How many positions the one that asks knows of: the chosen kind, full attention, a convolution of 3."""
    kinds: list[Kind] = [found.kind, *(kind for kind in ("full", "convolution") if kind != found.kind)]
    return {_(KINDS[kind]): counts(found.model_copy(update={"kind": kind})).double().tolist() for kind in kinds}


def _why(found: Depth) -> None:
    st.latex(formula(found))
    st.caption(
        _(
            "Reach is what is possible, counted from the masks alone; D is the distance, w the window on each side, b the "
            "block, s the stride, d the dilation, g the number of global tokens, k the filter. The residual connection keeps each position's own vector. "
            "In an image, a 3 × 3 convolution reaches as far along rows and columns. How much arrives is another matter: "
            "in convolutional networks the part that has an effect grows with the root of the depth (Luo et al. 2016)."
        )
    )
