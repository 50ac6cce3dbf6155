"""What somebody has, an image, a text, a scene or a number, and the layer that is priced."""

from typing import Any

import streamlit as st

from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m, _n
from attnviz.ui import presenting
from attnviz.ui.cost.store import CostStore, sets, tokens_of
from attnviz.ui.views.cost import MOST_TEXT, MOST_TOKENS, STRIDES, WIDTHS, CostView

SOURCES = {"image": _m("An image"), "text": _m("A text"), "scene": _m("A scene"), "number": _m("A number")}
PADDINGS = {"cut": _m("cut off"), "pad": _m("filled up")}
MOST_HEADS = 64


def have(store: CostStore) -> None:
    """Where the tokens come from."""
    st.segmented_control(
        _("What you have"), list(SOURCES), required=True, wrap=True, format_func=lambda name: _(SOURCES[name]),
        **store.field("source"),
    )  # fmt: skip
    with st.container():
        {"image": _image, "text": _text, "scene": _scene, "number": _number}[store.view.source](store)


def _image(store: CostStore) -> None:
    image = store.view.image
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, said in (("width", _("Width, pixels")), ("height", _("Height, pixels"))):
            st.number_input(
                said, 1, 16_384, step=32, width=150,
                **store.widget(name, getattr(image, name), sets(store, "image", name)),
            )  # fmt: skip
        st.number_input(
            _("Extra tokens"), 0, 64, step=1, width=130,
            help=_("Class or register tokens: they meet every other token and are counted everywhere."),
            **store.widget("extra", image.extra, lambda extra: store.view.inside("image", extra=extra)),
        )  # fmt: skip
    strides = sorted({*STRIDES, image.stride})
    st.select_slider(
        _("Patch size or stride, pixels"), strides,
        **store.widget("stride", image.stride, lambda stride: store.view.inside("image", stride=stride)),
    )  # fmt: skip
    presenting.leave_out(lambda: _padding(store))


def _padding(store: CostStore) -> None:
    image = store.view.image
    st.segmented_control(
        _("A rest at the edge is"), list(PADDINGS), required=True, format_func=lambda name: _(PADDINGS[name]),
        **store.widget("padding", image.padding, lambda padding: store.view.inside("image", padding=padding)),
    )  # fmt: skip


def _text(store: CostStore) -> None:
    st.text_area(_("Text"), max_chars=MOST_TEXT, height=120, **store.field("text"))
    st.caption(_("Pieces of MiniLM's own tokenizer, [CLS] and [SEP] included. Other tokenizers cut otherwise."))


def _scene(store: CostStore) -> None:
    st.slider(_("Objects, the ego included"), 1, 1_000, **store.field("objects"))


def _number(store: CostStore) -> None:
    st.number_input(_("Tokens"), 1, MOST_TOKENS, step=100, **store.field("number"))


def layer(store: CostStore, *, asks_for_skipping: bool = True) -> None:
    """The layer: widths, heads, numbers, masks."""
    priced = store.view.priced
    widths = sorted({*WIDTHS, priced.width})
    st.select_slider(
        _("Width d of a token"),
        widths,
        **store.widget("model width", priced.width, lambda width: _resized(store.view, width)),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = divisors(priced.width, MOST_HEADS, priced.heads)
        st.selectbox(
            _("Heads"), heads, width=110,
            **store.widget("model heads", priced.heads, lambda count: store.view.inside("priced", heads=count, kv_heads=_shared(store.view, count))),
        )  # fmt: skip
        st.selectbox(
            _("Key heads"), divisors(priced.heads, MOST_HEADS, priced.kv_heads), width=110,
            help=_("Fewer key and value heads than heads: grouped attention; one: multi-query."),
            **store.widget("key heads", priced.kv_heads, lambda count: store.view.inside("priced", kv_heads=count)),
        )  # fmt: skip
        st.number_input(
            _("Layers"), 1, 512, width=120,
            **store.widget("layers", priced.layers, lambda count: store.view.inside("priced", layers=count)),
        )  # fmt: skip
        st.selectbox(
            _("Numbers"), (1, 2, 4), width=130, format_func=lambda size: _n("{count} bit", "{count} bits", 8 * size),
            **store.widget("bytes", priced.bytes, lambda size: store.view.inside("priced", bytes=size)),
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            _("Causal"), help=_("A token sees itself and those before it alone."),
            **store.widget("causal", priced.causal, lambda on: store.view.inside("priced", causal=on)),
        )  # fmt: skip
        if asks_for_skipping:
            st.toggle(
                _("Masked pairs are skipped"),
                help=_(
                    "A kernel that knows the mask leaves out what it hides. A mask laid over all pairs saves nothing: they "
                    "are worked out and thrown away."
                ),
                **store.widget("skips", priced.skips, lambda on: store.view.inside("priced", skips=on)),
            )  # fmt: skip


def tokens_sentence(view: CostView) -> str:
    """From what somebody has to tokens and pairs, in words."""
    count = tokens_of(view)
    if view.source != "image":
        return _n(
            "**{tokens}** token; every query with every key: **{pairs}** pair.",
            "**{tokens}** tokens; every query with every key: **{pairs}** pairs.",
            count, tokens=grouped(count), pairs=grouped(count * count),
        )  # fmt: skip
    found = view.image.tokens()
    fields = {
        "columns": grouped(found.columns), "rows": grouped(found.rows), "extra": found.extra, "tokens": grouped(count), "pairs": grouped(found.pairs),
    }  # fmt: skip
    if found.extra:
        said = _(
            "{columns} × {rows} patches and {extra} extra: **{tokens}** tokens; every query with every key: **{pairs}** pairs.",
            **fields,
        )
    else:
        said = _n(
            "{columns} × {rows} patch: **{tokens}** token; every query with every key: **{pairs}** pair.",
            "{columns} × {rows} patches: **{tokens}** tokens; every query with every key: **{pairs}** pairs.",
            count, **fields,
        )  # fmt: skip
    return f"{said} {_rest(found.rest_right, found.rest_below)}".strip()


def _rest(right: int, below: int) -> str:
    if right == below == 0:
        return ""
    fields = {"columns": abs(right), "rows": abs(below)}
    if min(right, below) < 0:
        return _("{columns} columns and {rows} rows of pixels are cut off: they are seen by nobody.", **fields)
    return _("{columns} columns and {rows} rows of pixels were added to fill the last patches.", **fields)


def _resized(view: CostView, width: int) -> dict[str, Any]:
    heads = max(count for count in divisors(width, MOST_HEADS, 1) if count <= view.priced.heads)
    kv_heads = max(count for count in divisors(heads, MOST_HEADS, 1) if count <= view.priced.kv_heads)
    return view.inside("priced", width=width, heads=heads, kv_heads=kv_heads)


def _shared(view: CostView, heads: int) -> int:
    """The key heads that go with so many heads: as many where there were as many."""
    if view.priced.kv_heads == view.priced.heads:
        return heads
    return max(count for count in divisors(heads, MOST_HEADS, 1) if count <= view.priced.kv_heads)


def divisors(number: int, most: int, shown: int) -> list[int]:
    """What divides a number evenly, up to `most`, and what is shown."""
    return sorted({count for count in range(1, min(number, most) + 1) if number % count == 0} | {shown})
