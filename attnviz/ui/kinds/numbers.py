"""How many pairs the two kinds look at and compute, what that costs, and what has to be kept."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from attnviz.attention.kinds.kind import SPARSE
from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.base.memory import amount
from attnviz.cost.layer import Layer
from attnviz.cost.price import Price, price, worked_out
from attnviz.figures.numerals import weight_text
from attnviz.ui.kinds.compute import Both, Side
from attnviz.ui.kinds.sources import Looked
from attnviz.ui.views.kinds import WIDTHS, KindsView

BYTES = 2
"""Of a number, where it is kept in 16 bits."""


def numbers(view: KindsView, found: Both) -> None:
    """One column for each kind, and what is assumed."""
    st.table(table(view, found))
    for side in found.sides:
        st.caption(" ".join([f"{side.name}:", _(side.kind.computes), *assumed(view, found.looked, side)]))
    st.caption(
        _(
            "Pairs are counted in the pictures above. FLOPs and bytes are an estimate: one layer of width {width}, 16-bit "
            "numbers, two FLOPs for a multiply-add.",
            width=WIDTHS[view.source],
        )
    )


def table(view: KindsView, found: Both) -> pd.DataFrame:
    """Pairs, price and what is kept, for the tokens that are shown."""
    columns = {
        f"{place} · {side.name}": _pairs(side) | _price(priced(view, found.looked, side), side)
        for place, side in zip("12", found.sides, strict=True)
    }
    return pd.DataFrame(columns)


def priced(view: KindsView, looked: Looked, side: Side) -> Price:
    """What one layer of this kind costs on these tokens. A setting that the kind does not have is left out."""
    settings = view.settings()
    if "causal" not in side.kind.sliders:
        settings = replace(settings, causal=False)
    kv_heads = view.kv_heads if "kv_heads" in side.kind.sliders else view.head_count
    layer = Layer(WIDTHS[view.source], view.head_count, kv_heads, bytes_per_number=BYTES)
    queries, keys = side.outcome.live.shape
    grid = looked.grid if keys == len(looked.labels) else None
    return worked_out(price(side.kind.id, queries, keys, layer, settings, grid=grid), _computed(side))


def assumed(view: KindsView, looked: Looked, side: Side) -> list[str]:
    """What the price takes for granted."""
    said = _(priced(view, looked, side).assumption)
    if _computed(side) in (0, int(side.outcome.live.sum())):
        return [said]
    paid = _("FLOPs and memory are those of all computed pairs: what is thrown away has been paid for.")
    # The closed form of fewer pairs speaks of a kernel that throws nothing away.
    return [paid] if side.kind.group == SPARSE else [said, paid]


def _computed(side: Side) -> int:
    return int(side.outcome.computed.sum())


def _pairs(side: Side) -> dict[str, str]:
    live, computed = side.outcome.live, side.outcome.computed
    total = live.numel()
    return {
        _("pairs n · m"): f"{live.shape[0]} · {live.shape[1]} = {grouped(total)}",
        _("with a weight"): _of(int(live.sum()), total),
        _("computed"): _of(int(computed.sum()), total),
        _("sum of the query's weights"): _sum(side),
    }


def _sum(side: Side) -> str:
    weights = side.weights
    if weights is None:
        return "—"
    # What is rounded to nothing has no sign.
    total = f"{round(float(weights.nan_to_num().sum()), 3) + 0.0:.3f}".replace("-", "−")
    assert side.tile is not None  # noqa: S101 - there are weights
    sunk = float(side.tile.sinks[side.query])
    return _("{total}, the sink takes {mass}", total=total, mass=weight_text(sunk)) if sunk > 0 else total


def _price(found: Price, side: Side) -> dict[str, str]:
    fused = amount(found.fused_bytes) if found.fused_bytes is not None else "—"
    return {
        _("FLOPs of the core"): grouped(found.operations.core),
        _("FLOPs with projections"): grouped(found.operations.attention),
        _("memory: weights written down, fused"): f"{amount(found.plain_bytes)}, {fused}",
        _("kept for the next query"): _(
            "{numbers} numbers, {bytes}", numbers=grouped(side.outcome.state), bytes=amount(BYTES * side.outcome.state)
        ),
    }  # fmt: skip


def _of(count: int, total: int) -> str:
    return f"{grouped(count)} ({100 * count / total:.3g} %)" if total else "0"
