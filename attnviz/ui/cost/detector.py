"""Where a convolutional detector places attention, over how many tokens, and how much of the network it is."""

import functools
from typing import Any

import pandas as pd
import streamlit as st

from attnviz import figures
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _n
from attnviz.cost import detectors
from attnviz.cost.detectors import WIDE_STRIDE, Family
from attnviz.figures import RowLayer, palette
from attnviz.ui import panels, presenting
from attnviz.ui.cost import detector_live
from attnviz.ui.panels import Picture
from attnviz.ui.state import Store
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.cost_detector import LONGEST, Detector


def show(store: Store[CostView]) -> None:
    """Choose a network and an image; see the row of layers, the shares, the sizes; what to bear in mind."""
    st.markdown(
        _(
            "A detector that runs in real time is convolution nearly all through. Attention, whose cost grows with the square of "
            "the tokens, stands where the map is smallest: at stride 32, where an image of 640 × 640 pixels is 400 tokens."
        )
    )
    presenting.leave_out(lambda: _choices(store))
    chosen = store.view.detector
    family = detectors.families()[chosen.family]
    st.markdown(_verdict(chosen, family))
    _row(chosen, family)
    _shares(chosen, family)
    st.caption(
        _(
            "Counted, not measured: networks of their own architecture files, batch normalisation not folded in, 2 operations for a "
            "multiplication and its addition. Dotted: earlier layers that come in a second time. The wide pale bar is attention with the feed-forward layer behind it, the middle one "
            "attention with its projections, the narrow one q kᵀ and weights × values alone."
        )
    )
    st.table(_sizes(chosen, family))
    presenting.leave_out(_qualified, lambda: detector_live.live(store))


def _choices(store: Store[CostView]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Detector"), list(detectors.families()), required=True, format_func=lambda name: detectors.families()[name].name,
            **_field(store, "family"),
        )  # fmt: skip
        st.segmented_control(_("Size"), ["n", "s", "m", "l", "x"], required=True, **_field(store, "scale"))
        st.number_input(_("Image, pixels across"), 32, 8192, step=32, width=170, **_field(store, "width"))
        st.number_input(_("Image, pixels down"), 32, 8192, step=32, width=170, **_field(store, "height"))
        st.select_slider(
            _("Longer side scaled to"),
            sorted({*LONGEST, store.view.detector.longest}),
            width=200,
            **_field(store, "longest"),
        )
        st.toggle(
            _("Padded to a square"),
            help=_(
                "Training, validation and most exports pad to a square. Predicting with weights of torch pads to the next "
                "multiple of 32 alone."
            ),
            **_field(store, "square"),
        )


def _field(store: Store[CostView], name: str) -> dict[str, Any]:
    return store.widget(
        f"detector {name}",
        getattr(store.view.detector, name),
        lambda value: store.view.inside("detector", **{name: value}),
    )


def _verdict(chosen: Detector, family: Family) -> str:
    width, height = chosen.given()
    count = detectors.tokens(width, height)
    scale = family.scales[chosen.scale]
    across, down = chosen.given(WIDE_STRIDE)
    said = [
        _(
            "{name}{scale} is given {width} × {height} pixels: **{tokens} tokens** at stride 32, {pairs} pairs in each head.",
            name=family.name, scale=chosen.scale, width=width, height=height, tokens=grouped(count), pairs=grouped(count * count),
        ),
        _n(
            "It computes {count} softmax over them, with {heads} heads.", "It computes {count} softmaxes over them, with {heads} heads each.",
            scale.calls, heads=scale.heads,
        ),
    ]  # fmt: skip
    if chosen.family == "yolo26":
        wide = detectors.tokens(across, down, WIDE_STRIDE)
        said.append(_("In its variant p6 attention stands at stride 64 (tokens: {tokens}).", tokens=grouped(wide)))
    return " ".join(said)


def _row(chosen: Detector, family: Family) -> None:
    width, height = chosen.given()
    scale = family.scales[chosen.scale]
    layers = [
        RowLayer(
            kind,
            strides,
            joins,
            f"{kind}, " + _n("{count} head", "{count} heads", scale.heads) if number in family.attention else "",
        )
        for number, (kind, strides, joins) in enumerate(family.layers)
    ]
    positions = {
        stride: detectors.tokens(width, height, stride)
        for stride in sorted({one for layer in layers for one in layer.strides})
    }
    title = _("{name}{scale}: its layers, the deeper the fewer positions", name=family.name, scale=chosen.scale)
    figure = figures.layer_row(layers, positions, title=title)
    panels.show(
        "cost-detector-row",
        {
            "row": Picture(
                figure,
                figures.describe_layer_row(layers, positions),
                lambda: figures.table_layer_row(layers, positions),
                int(figure.layout.height),
            )
        },
    )


def _shares(chosen: Detector, family: Family) -> None:
    width, height = chosen.given()
    names = list(family.scales)
    found = [detectors.shares(scale, width, height) for scale in family.scales.values()]
    block, attention, core = _("with its feed-forward"), _("attention"), _("q kᵀ and weights × values")
    parameters = {
        block: [one.block_parameters for one in found],
        attention: [one.attention_parameters for one in found],
    }
    operations = {
        block: [one.block for one in found],
        attention: [one.attention for one in found],
        core: [one.core for one in found],
    }
    most = palette.ceiling([100 * share for part in (*parameters.values(), *operations.values()) for share in part])
    place = list(family.scales).index(chosen.scale)
    titled = {
        "parameters": (parameters, _("Share of the parameters")),
        "operations": (operations, _("Share of the operations, {width} × {height} pixels", width=width, height=height)),
    }
    panels.show(
        "cost-detector-shares",
        {
            name: Picture(
                figures.share_bars(names, shares, chosen=place, most=most, axis=family.name, title=title),
                f"{title}. {figures.describe_share_bars(names, shares)}",
                functools.partial(figures.table_share_bars, names, shares),
                320,
            )
            for name, (shares, title) in titled.items()
        },
    )


def _sizes(chosen: Detector, family: Family) -> pd.DataFrame:
    width, height = chosen.given()
    positions = detectors.tokens(width, height)
    rows = []
    for letter, scale in family.scales.items():
        found = detectors.shares(scale, width, height)
        rows.append(
            {
                _("network"): f"{family.name}{letter}",
                _("heads"): str(scale.heads),
                _("softmaxes"): str(scale.calls),
                _("channels in attention"): str(scale.width),
                _("tokens, n"): grouped(positions),
                _(
                    "parameters, attention's share"
                ): f"{scale.parameters / 1e6:.2f} M, {100 * found.attention_parameters:.2f} %",
                _("GFLOP, attention's share"): f"{found.operations / 1e9:.1f}, {100 * found.attention:.2f} %",
            }
        )
    return pd.DataFrame(rows).set_index(_("network"))


def _qualified() -> None:
    with st.expander(_("What to bear in mind"), icon=":material/info:"):
        st.markdown(
            "\n".join(
                f"- {sentence}"
                for sentence in (
                    _(
                        "The number of tokens depends on how the image is padded: 1920 × 1080 at 640 becomes 640 × 640 and 400 tokens, or "
                        "640 × 384 and 240 where ultralytics predicts with weights of torch."
                    ),
                    _(
                        "It grows with the image: 1,600 tokens at 1280 × 1280, 2,040 at 1920 × 1088, where q kᵀ and weights × values "
                        "alone are 9.5 % of YOLO26n's operations."
                    ),
                    _(
                        "Other variants place it elsewhere: p6 at stride 64, classification and semantic segmentation in layer 10's kind alone; "
                        "instance segmentation, poses, oriented boxes and depth as here."
                    ),
                    _(
                        "“Convolutional” here means free of attention: the other layers also pool, enlarge and concatenate."
                    ),
                    _(
                        "C2PSA sends just half of its channels through attention; in the sizes l and x it does so twice, one after the other. "
                        "A head's queries and keys have 32 numbers, its values 64, and where a token stands it learns from a 3 × 3 "
                        "convolution of the values."
                    ),
                    _(
                        "YOLO11 has one more softmax, over 16 places of a box's edge: it decodes boxes and is no attention. It is not counted."
                    ),
                )
            )
        )
