"""Attention beside a convolution: how far each sees, whose weights depend on the picture, what each costs."""

import streamlit as st

from attnviz import figures
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m, _n
from attnviz.cost import convolution, operations, two_pictures
from attnviz.cost.crossings import evenly_apart
from attnviz.figures import Cones, Crossing, Looked
from attnviz.ui import panels
from attnviz.ui.components import ChartClick
from attnviz.ui.cost.store import CostStore, tokens_of
from attnviz.ui.panels import Picture
from attnviz.ui.views.cost import KERNELS, CostView

_NAMES = {"bar": _m("A bar"), "corner": _m("A corner")}
_LEAST, _MOST = 16, 131_072


def show(store: CostStore) -> None:
    """Three differences, one below the other."""
    _far(store)
    _dependent(store)
    _dear(store)


def _far(store: CostStore) -> None:
    st.subheader(_("How far one layer sees"))
    filtered = store.view.filtered
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Filter, k × k"), KERNELS, required=True,
            **store.widget("kernel", filtered.kernel, lambda kernel: store.view.inside("filtered", kernel=kernel)),
        )  # fmt: skip
        st.slider(
            _("Distance between two patches, D"), 1, 200, width=320,
            **store.widget("distance", filtered.distance, lambda one: store.view.inside("filtered", distance=one)),
        )  # fmt: skip
    shown = _cones(store.view)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        panels.show(
            "cost-cones",
            {"cones": Picture(figures.cones(shown), figures.describe_cones(shown), lambda: figures.table_cones(shown), height=400)},
        )  # fmt: skip
    with right:
        st.markdown(_meeting(store.view, shown))


def _cones(view: CostView) -> Cones:
    kernel, distance = view.filtered.kernel, view.filtered.distance
    seen = convolution.layers_until_seen(distance, kernel)
    top = max(seen + 1, 3)
    return Cones(
        distance, (kernel - 1) // 2, [convolution.effective_size(layers, kernel) / 2 for layers in range(top + 1)],
        convolution.layers_until_met(distance, kernel), seen,
    )  # fmt: skip


def _meeting(view: CostView, shown: Cones) -> str:
    kernel = view.filtered.kernel
    side = 2 * shown.radius * shown.seen + 1
    share = convolution.effective_size(shown.seen, kernel) / side
    said = [
        _n(
            "Some unit between A and B sees both after **{count}** layer: $\\lceil D / 2p \\rceil$ with $p = (k - 1)/2$.",
            "Some unit between A and B sees both after **{count}** layers: $\\lceil D / 2p \\rceil$ with $p = (k - 1)/2$.",
            shown.met,
        ),
        _n(
            "The unit at A sees B after **{count}** layer: $\\lceil D / p \\rceil$.",
            "The unit at A sees B after **{count}** layers: $\\lceil D / p \\rceil$.",
            shown.seen,
        ),
        _(
            "By then the receptive field is {side} positions wide, but with even weights only about {share} % of it are felt "
            "noticeably: it grows with the layers, what is felt with their root (Luo et al. 2016). Training widens it; strides "
            "and dilation shorten the way.",
            side=side, share=f"{100 * share:.0f}",
        ),
        _("Full attention: after **1**, whatever D is. Attention in a window of w needs $\\lceil D / w \\rceil$ layers."),
    ]  # fmt: skip
    return "\n\n".join(said)


def _dependent(store: CostStore) -> None:
    st.subheader(_("Whose weights depend on the picture"))
    st.markdown(
        _(
            "The same filter is laid on both pictures: **nine weights, the same at every place and in every picture**. The place "
            "that is framed asks both pictures, too: **its weights are other ones in each**, and reach across the whole picture. "
            "Click another place."
        )
    )
    filtered = store.view.filtered
    looked = [_looked(name, filtered.row, filtered.column) for name in two_pictures.PICTURES]

    def clicked(click: ChartClick) -> None:
        if isinstance(click.custom, list) and len(click.custom) == 2:
            store.change(fields=store.view.inside("filtered", row=int(click.custom[0]), column=int(click.custom[1])))

    left, right = st.columns([5, 2], gap="medium")
    with left:
        picture = Picture(
            figures.fixed_and_asked(looked, row=filtered.row, column=filtered.column),
            figures.describe_fixed_and_asked(looked, row=filtered.row, column=filtered.column),
            lambda: figures.table_fixed_and_asked(looked),
            height=560,
        )
        panels.show("cost-pictures", {"pictures": picture}, on_click=clicked)
    with right:
        rows = r" \\ ".join(" & ".join(f"{number:g}" for number in row) for row in two_pictures.FILTER)
        st.markdown(_("The filter, Sobel's for upright edges:"))
        st.latex(rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}")
        st.markdown(_("The weights, a softmax over all 64 places:"))
        st.latex(r"a_j = \operatorname{softmax}_j \frac{4\,x_i \cdot x_j}{\sqrt{9}}")
        st.caption(
            _(
                "Computed here, nothing learnt: each place's vector is its 3 × 3 surroundings less their mean; it is the key, and "
                "four times it the query. An ordinary convolution is meant; dynamic and deformable ones depend on their input. Colours of weights "
                "are logarithmic; uniform would be 1/64 = 0.016."
            )
        )


def _looked(name: two_pictures.Picture, row: int, column: int) -> Looked:
    image = two_pictures.picture(name)
    weights = two_pictures.attention(image, row, column)
    return Looked(_(_NAMES[name]), image.numpy(), two_pictures.filtered(image).numpy(), weights.numpy())


def _dear(store: CostStore) -> None:
    st.subheader(_("What each costs"))
    view = store.view
    width, kernel, count = view.priced.width, view.filtered.kernel, tokens_of(view)
    layer = view.priced.layer()
    tokens = tuple(sorted({*evenly_apart(min(_LEAST, count), max(_MOST, 2 * count), 90), count}))
    filter_name = _("convolution {k} × {k}", k=kernel)
    attention_name, core_name = _("attention"), _("its core alone")
    curves = {
        attention_name: [float(operations.block(n, layer, skips=view.priced.skips).attention) for n in tokens],
        core_name: [float(operations.block(n, layer, skips=view.priced.skips).core) for n in tokens],
        filter_name: [float(convolution.operations(n, width, kernel)) for n in tokens],
    }
    met = convolution.layer_crossovers(layer, kernel, skips=view.priced.skips)
    crossed = [
        Crossing(at, float(convolution.operations(1, width, kernel)) * at, name, filter_name)
        for at, name in zip(met, (attention_name, core_name), strict=True)
        if tokens[0] < at < tokens[-1]
    ]  # fmt: skip
    st.markdown(_dearer(view, count))
    axis = _("operations of one layer")
    picture = Picture(
        figures.cost_over_tokens(
            tokens, curves, unit="operations", axis=axis, log=view.filtered.log, at=count,
            at_label=_("yours: {tokens}", tokens=grouped(count)), crossings=crossed,
        ),
        figures.describe_cost_over_tokens(tokens, curves, unit="operations", axis=axis, at=count, crossings=crossed),
        lambda: figures.table_cost_over_tokens(tokens, curves),
        height=430,
    )  # fmt: skip
    panels.show("cost-filter-curves", {"curves": picture})
    st.toggle(
        _("Logarithmic axes"),
        **store.widget("filter log", view.filtered.log, lambda on: store.view.inside("filtered", log=on)),
    )
    st.caption(
        _(
            "A convolution from d to d channels with stride 1: 2 k² n d² operations; multi-head attention 8 n d² + 4 n² d. Tokens and "
            "width are those of “What it costs”."
        )
    )


def _dearer(view: CostView, count: int) -> str:
    kernel, width, layer = view.filtered.kernel, view.priced.width, view.priced.layer()
    whole, core = convolution.crossover(width, kernel), convolution.core_crossover(width, kernel)
    said = [
        _(
            "At width {width} attention costs at least as much as a convolution of {k} × {k} from $n^* = (k^2 - 4)\\,d / 2$ = **{whole}** tokens "
            "on, its core alone from $k^2 d / 2$ = **{core}** on.",
            width=width, k=kernel, whole=grouped(whole), core=grouped(core),
        )
    ]  # fmt: skip
    own, own_core = convolution.layer_crossovers(layer, kernel, skips=view.priced.skips)
    if (own, own_core) != (whole, core):
        said.append(
            _(
                "That is for as many key heads as heads and no mask; with your layer it is **{whole}**, for the core alone **{core}**.",
                whole=grouped(own), core=grouped(own_core),
            )
        )  # fmt: skip
    spent = operations.block(count, layer, skips=view.priced.skips).attention
    filtering = convolution.operations(count, width, kernel)
    if spent > filtering:
        said.append(
            _("What you have (tokens: {tokens}) is {times} × as much: here attention is the dearer one.", tokens=grouped(count), times=f"{count / own:.3g}")
        )  # fmt: skip
    elif spent == filtering:
        said.append(_("With what you have (tokens: {tokens}) both cost the same.", tokens=grouped(count)))
    else:
        said.append(_("With what you have (tokens: {tokens}) attention is the cheaper one.", tokens=grouped(count)))
    return " ".join(said)
