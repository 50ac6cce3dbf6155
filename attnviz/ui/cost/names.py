"""What kinds of attention are called on this page."""

from attnviz.attention.kinds.catalogue import KINDS
from attnviz.base.language import _
from attnviz.cost.price import PRICES

_NAMES = {kind.id: kind.name for kind in KINDS}

OFFERED = (
    "self", "causal", "grouped", "additive", "window", "block", "strided", "fixed", "global_window_random", "linear",
    "deformable", "squeeze",
)  # fmt: skip
"""The kinds whose costs differ from one another; the others cost what self-attention does, give or take a bias."""

BOTH_WAYS = ("additive", "global_window_random", "deformable", "squeeze")
"""Those of them that a causal layer leaves as they are: no causal form of them is priced."""

SAME_AS_SELF = tuple(kind for kind in PRICES if kind not in OFFERED and kind != "cross")


def name(kind: str) -> str:
    """In the current language."""
    return _(_NAMES[kind])
