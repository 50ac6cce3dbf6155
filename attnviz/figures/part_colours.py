"""One name and one colour for each part of a block, in every figure that shows it."""

from attnviz.attention.summands import SummandKind
from attnviz.base.language import _, _m
from attnviz.figures import palette

NAMES: dict[SummandKind, str] = {
    "carried": _m("passed on"),
    "attention": _m("attention"),
    "cross-attention": _m("cross-attention"),
    "feed-forward": _m("feed-forward"),
    "other": _m("another part"),
    "bias": _m("bias of the norms"),
}
COLOURS: dict[SummandKind, str] = {
    "carried": palette.CATEGORICAL[0],
    "attention": palette.CATEGORICAL[1],
    "cross-attention": palette.CATEGORICAL[4],
    "feed-forward": palette.CATEGORICAL[2],
    "other": palette.CATEGORICAL[5],
    "bias": palette.CATEGORICAL[7],
}
WHOLE = palette.CATEGORICAL[3]
"""The vector itself, which is none of its parts."""


def part_name(kind: SummandKind) -> str:
    """What a part is called, in the current language."""
    return _(NAMES[kind])
