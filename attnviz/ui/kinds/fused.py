"""Fused kernels: the same numbers as the formula, which one ran here, and what the plain form took beside it."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from attnviz import figures
from attnviz.base import device
from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.base.memory import amount
from attnviz.figures.numerals import weight_text
from attnviz.ui import going, panels, presenting
from attnviz.ui.kinds import measured
from attnviz.ui.kinds.measured import HEADS, WIDTH, Measured, Spec
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.panels import Picture
from attnviz.ui.views.kinds import LENGTHS

AT_ONCE = 512
"""Up to so many positions are measured without being asked."""


def show(store: KindsStore) -> None:
    """How many positions, a button; the memory of both forms, the backend, the difference."""
    presenting.leave_out(_introduction)
    spec = Spec(store.view.length, store.view.causal_fused)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider(
            _("Up to so many positions"), LENGTHS, width=300, format_func=grouped,
            **store.field("length"),
        )  # fmt: skip
        st.toggle(_("Causal mask"), **store.field("causal_fused"))
        if not going.is_going(spec):
            st.button(
                _("Measure here"), icon=":material/speed:", type="primary", key="kinds:measure",
                on_click=going.begin, args=(spec, lambda: measured.steps(spec)),
            )  # fmt: skip
    going.show(spec, _("Measuring …"), lambda: drawn(spec, "kinds-measuring"))
    with st.container():
        if not going.is_going(spec):
            if not measured.of(spec):
                # Something true before anything is pressed: short lengths take a few milliseconds.
                list(measured.steps(Spec(min(AT_ONCE, spec.length), spec.causal)))
            drawn(spec, "kinds-fused")
    st.caption(
        _(
            "{heads} heads of {width} numbers, float32, drawn from a standard normal; device: {device}. Memory: the most that "
            "PyTorch's allocator held at once beyond the inputs, the output among it; what a kernel takes past the allocator "
            "is not in it.",
            heads=HEADS, width=WIDTH, device=device.describe(device.choose()),
        )
    )  # fmt: skip


def _introduction() -> None:
    st.markdown(
        _(
            "A fused kernel goes through the keys in blocks and keeps a running maximum and sum, so the n × n weights are "
            "never all in memory (FlashAttention, [Dao et al. 2022](https://arxiv.org/abs/2205.14135)). It is exact: the "
            "same sum in another order. Whether one runs depends on the device, the number type and the shapes; here it is "
            "measured, not assumed."
        )
    )


def drawn(spec: Spec, key: str) -> None:
    """What was measured so far."""
    found = measured.of(spec)
    with st.container():
        if not found:
            return
        st.markdown(sentence(found[-1]))
        counted = [one.length for one in found]
        peaks = {
            _("the formula as written"): [one.plain_bytes for one in found],
            "scaled_dot_product_attention": [one.fused_bytes for one in found],
        }
        figure = figures.peak_curve(counted, peaks, last=spec.length, title=_("Memory at the peak"))
        panels.show(
            key,
            {"peaks": Picture(
                figure, figures.describe_peak_curve(counted, peaks), lambda: figures.table_peak_curve(counted, peaks),
                int(figure.layout.height),
            )},
        )  # fmt: skip
        st.dataframe(table(found), hide_index=True)
        missing = [length for length in measured.lengths(spec) if length not in counted]
        if missing:
            st.caption(_("Not measured yet: {lengths} positions.", lengths=", ".join(grouped(one) for one in missing)))


def sentence(one: Measured) -> str:
    """Which kernel ran for the longest that was measured, how its numbers differ, and how much less memory it took."""
    ran = f"**{one.backend}** (`{one.operation}`)" if one.backend else _("an operation that is not known here")
    kept = (
        _("The weights were never all in memory.")
        if one.is_fused
        else _("That is no fused kernel: it writes the weights down.")
    )
    return " ".join(
        [
            _("For {count} positions PyTorch ran {backend}.", count=grouped(one.length), backend=ran),
            kept,
            _(
                "Its numbers and the formula's differ by at most **{difference}**, where the largest is {largest}; "
                "its peak is **{fused}**, the formula's **{plain}**, {times} times as much.",
                difference=weight_text(one.difference), largest=f"{one.largest:.2f}", fused=amount(one.fused_bytes),
                plain=amount(one.plain_bytes), times=f"{one.plain_bytes / max(one.fused_bytes, 1):.3g}",
            ),
        ]
    )  # fmt: skip


def table(found: Sequence[Measured]) -> pd.DataFrame:
    """One row for each length."""
    return pd.DataFrame(
        {
            _("positions"): [one.length for one in found],
            _("backend that ran"): [one.backend or "—" for one in found],
            _("backends that would run"): [", ".join(one.willing) for one in found],
            _("largest difference"): [weight_text(one.difference) for one in found],
            _("formula"): [amount(one.plain_bytes) for one in found],
            _("fused"): [amount(one.fused_bytes) for one in found],
            _("times"): [f"{one.plain_bytes / max(one.fused_bytes, 1):.3g}" for one in found],
        }
    )
