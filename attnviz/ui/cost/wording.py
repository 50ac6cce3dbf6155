"""What the forms of the attention core are called."""

from attnviz.base.grouping import grouped
from attnviz.base.language import _m
from attnviz.cost.roofline import Form

FORMS: dict[Form, str] = {"fused": _m("fused"), "plain": _m("written out"), "window": _m("window")}


def digits(number: float) -> str:
    """Three digits, never with an exponent: "0.0123", "4.56", "1,880"."""
    if number >= 100:
        return grouped(float(f"{number:.3g}"))
    return f"{number:.3g}" if number >= 1e-4 else f"{number:.7f}"
