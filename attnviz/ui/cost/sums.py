"""Every number with its formula."""

import streamlit as st

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.base.memory import amount
from attnviz.cost import memory, operations
from attnviz.ui import presenting
from attnviz.ui.cost.store import CostStore, tokens_of
from attnviz.ui.views.cost import CostView, Priced

Row = tuple[str, str, int, bool]
"""What, its formula, the number for one layer, whether it is bytes."""


LLAMA = {
    "source": "number",
    "number": 8_192,
    "priced": Priced(width=4096, heads=32, kv_heads=8, layers=32, causal=True),
}
"""The attention of Llama 3 8B with all of its context."""


def show(store: CostStore) -> None:
    """One row for each number: what it is, by which formula, and how much."""
    view = store.view
    st.subheader(_("The numbers"))
    rows = _rows(view)
    layers = view.priced.layers
    heading = [_("What"), _("Formula"), _("One layer")]
    if layers > 1:
        heading.append(_("All {count} layers", count=layers))
    lines = [heading, ["---", "---"] + ["---:"] * (len(heading) - 2)]
    for said, formula, number, is_bytes in rows:
        cells = [said, f"${formula}$", _written(number, is_bytes)]
        if layers > 1:
            cells.append(
                "" if formula in (_TOKENS, _PAIRS, _CAUSAL) else _written(_of_all(said, number, layers), is_bytes)
            )
        lines.append(cells)
    st.markdown("\n".join("| " + " | ".join(cells) + " |" for cells in lines))
    st.caption(
        _(
            "Estimates by formula. Memory is what is held beyond q, k, v and the output of one sequence; the plain form holds "
            "at least this, the fused one a number in 32 bits for each row and head. The cache is what a generating model keeps. "
            "Layers run one after another: what is held for one is free again for the next, so all of them hold no more at once; "
            "training keeps it for each. 1 KiB = 1,024 bytes."
        )
    )
    presenting.leave_out(
        lambda: st.button(
            _("An example: Llama 3 8B, 8,192 tokens"), icon=":material/experiment:", key="cost:llama",
            help=_(
                "Width 4,096, 32 heads, 8 key heads, 32 layers, causal, 16 bits: its cache is 1 GiB. Its feed-forward part is "
                "built otherwise than the one that is counted here."
            ),
            on_click=lambda: store.change(fields=LLAMA),
        )
    )  # fmt: skip


def _of_all(said: str, number: int, layers: int) -> int:
    """What is held for a moment is free again when the next layer begins; all else adds up."""
    return number if said in (_plain(), _fused()) else number * layers


def _plain() -> str:
    return _("memory, plain: scores and weights")


def _fused() -> str:
    return _("memory, fused")


_TOKENS, _PAIRS, _CAUSAL = "n", "n^2", r"\tfrac{1}{2}\,n\,(n + 1)"


def _rows(view: CostView) -> list[Row]:
    priced, count = view.priced, tokens_of(view)
    layer = priced.layer()
    live = operations.causal_pairs(count) if priced.causal else count * count
    met = live if priced.skips else count * count
    done = operations.block(count, layer, skips=priced.skips)
    pairs = _CAUSAL if priced.causal and priced.skips else _PAIRS
    grouped = layer.kv_heads < layer.heads
    kept = memory.cache(count, layer)
    return [
        (_("tokens, n"), _TOKENS, count, False),
        (_("pairs with a weight"), _CAUSAL if priced.causal else _PAIRS, live, False),
        (_("pairs worked out"), pairs, met, False),
        (_("core"), rf"4\,d \cdot {pairs}", done.core, False),
        (_("projections"), r"4\,n\,d^2\,(1 + h_{kv} / h)" if grouped else r"8\,n\,d^2", done.projections, False),
        (_("feed-forward"), r"16\,n\,d^2", done.feed_forward, False),
        (_("whole block"), rf"4\,d \cdot {pairs} + {'4 (5 + h_{kv} / h)' if grouped else '24'}\,n\,d^2", done.total, False),
        (_plain(), rf"2\,h\,b \cdot {pairs}", memory.plain_peak(met, layer), True),
        (_fused(), r"4\,h\,n", memory.fused_peak(count, layer), True),
        (_("key–value cache"), r"2\,h_{kv}\,(d / h)\,n\,b", kept, True),
        (_("parameters of the attention"), r"2\,d^2\,(1 + h_{kv} / h)" if grouped else r"4\,d^2", operations.parameters(layer), False),
    ]  # fmt: skip


def _written(number: int, is_bytes: bool) -> str:
    if not is_bytes:
        return grouped(number)
    return f"{grouped(number)} B = {amount(number)}" if number >= 1024 else f"{grouped(number)} B"
