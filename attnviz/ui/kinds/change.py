"""What changes for the query when one kind is put in the place of the other."""

import streamlit as st
import torch

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.tokens import isolated
from attnviz.ui.kinds.compute import Both
from attnviz.ui.page import plain


def change(found: Both) -> None:
    """The largest change of a weight, and how far the output moves; why not, where they cannot be compared."""
    if found.left.kind is found.right.kind:
        st.markdown(_("The same kind stands on both sides: nothing changes."))
        return
    said = [one for one in (weight_sentence(found), output_sentence(found)) if one]
    st.markdown(" ".join(said))
    st.caption(
        _(
            "Nothing was trained for the kind that is put in: this is a picture of the mechanism, not a measure of how "
            "well it would do."
        )
    )


def weight_sentence(found: Both) -> str:
    """Which key's weight changes most from the left to the right."""
    without = next((side.name for side in found.sides if side.weights is None), None)
    if without is not None:
        return _("Weights cannot be compared: {kind} has no weights of keys.", kind=without)
    left, right = found.left.weights, found.right.weights
    if left is None or right is None or not found.same_keys:
        return _("Their weights cannot be compared: they are not weights of the same keys.")
    before, after = (
        torch.where(side.allowed, weights, 0.0) for side, weights in zip(found.sides, (left, right), strict=True)
    )
    difference = (after - before).nan_to_num()
    key = int(difference.abs().argmax())
    if float(difference[key]) == 0:
        return _("No weight of this query changes.")
    return _(
        "For the query “{query}”, the weight on “{key}” changes most: from {before} to {after}.",
        query=plain(isolated(found.left.labels[found.left.query])), key=plain(isolated(found.left.key_labels[key])),
        before=_weight(bool(found.left.allowed[key]), float(before[key])),
        after=_weight(bool(found.right.allowed[key]), float(after[key])),
    )  # fmt: skip


def percent(share: float) -> str:
    """23.4, 113, 1,750: never with an exponent, which nobody reads as a percentage."""
    return f"{share:.3g}" if share < 100 else grouped(share)


def output_sentence(found: Both) -> str:
    """By how much of its length the output moves, and how far it turns."""
    left, right = found.left.output, found.right.output
    if left is None or right is None or left.shape != right.shape:
        return _("Their outputs have different shapes.")
    length, moved = float(left.norm()), float((right - left).norm())
    largest = float((right - left).abs().max())
    if length == 0:
        return ""
    return _(
        "Its output, {numbers} numbers of this head, moves by {share} % of its length; one number of it by {largest}, the most.",
        numbers=len(left), share=percent(100 * moved / length), largest=signed_text(largest),
    )  # fmt: skip


def _weight(allowed: bool, weight: float) -> str:
    return f"**{weight_text(weight)}**" if allowed else _("**absent**")
