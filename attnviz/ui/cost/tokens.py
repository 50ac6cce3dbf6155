"""What it costs: from tokens to pairs, operations and bytes, and the kinds beside each other over the number of tokens."""

import streamlit as st

from attnviz import figures
from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.cost import operations
from attnviz.cost.crossings import core_equals_projections, core_equals_rest
from attnviz.ui import panels, presenting
from attnviz.ui.cost import curves, given, sums
from attnviz.ui.cost.store import CostStore, tokens_of
from attnviz.ui.panels import Picture
from attnviz.ui.views.cost import CostView


def show(store: CostStore) -> None:
    """Choose what you have and a layer; see what it costs; see how it grows."""
    left, right = st.columns([1, 1], gap="large")
    with left:
        given.have(store)
        presenting.leave_out(lambda: given.layer(store))
    with right:
        _spent(store.view)
    curves.show(store)
    sums.show(store)


def _spent(view: CostView) -> None:
    count, layer = tokens_of(view), view.priced.layer()
    st.markdown(given.tokens_sentence(view))
    rows = _rows(view, count)
    made = [operations.block(tokens, layer, skips=view.priced.skips) for tokens in rows.values()]
    parts = {
        _("core, Q Kᵀ and A V"): [float(one.core) for one in made],
        _("projections"): [float(one.projections) for one in made],
        _("feed-forward"): [float(one.feed_forward) for one in made],
    }
    picture = Picture(
        figures.cost_parts(list(rows), parts, axis=_("operations of one layer"), title=_("Where the operations go")),
        figures.describe_cost_parts(list(rows), parts),
        lambda: figures.table_cost_parts(list(rows), parts),
        height=126 + 46 * len(rows),
    )
    panels.show("cost-parts", {"parts": picture})
    core, block = (made[1].core / made[0].core, made[1].total / made[0].total)
    st.markdown(
        _(
            "Twice the tokens cost **{core} ×** in the core and **{block} ×** in the whole block. The core costs as much as "
            "the projections at {projections} tokens, as much as all the rest at {rest}.",
            core=f"{core:.4g}", block=f"{block:.3f}",
            projections=grouped(core_equals_projections(layer, skips=view.priced.skips)),
            rest=grouped(core_equals_rest(layer, skips=view.priced.skips)),
        )
    )  # fmt: skip


def _rows(view: CostView, count: int) -> dict[str, int]:
    rows = {
        _("now: {tokens}", tokens=grouped(count)): count,
        _("twice: {tokens}", tokens=grouped(2 * count)): 2 * count,
    }
    if view.source == "image" and 2 * view.image.stride <= min(view.image.width, view.image.height, 256):
        coarser = view.image.model_copy(update={"stride": 2 * view.image.stride}).tokens().count
        rows[_("twice the stride: {tokens}", tokens=grouped(coarser))] = coarser
    return rows
