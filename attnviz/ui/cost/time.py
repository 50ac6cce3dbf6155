"""How long attention takes: at least on a chip, against a frame's time, and as measured on this machine."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _n
from attnviz.cost import roofline
from attnviz.cost.chips import Chip, chips
from attnviz.cost.measure import Measuring
from attnviz.cost.roofline import Form
from attnviz.figures import TimeDots, TimeLine
from attnviz.figures.numerals import three_digits
from attnviz.ui import panels, presenting
from attnviz.ui.cost import measuring
from attnviz.ui.cost.store import tokens_of
from attnviz.ui.cost.wording import FORMS
from attnviz.ui.panels import Picture
from attnviz.ui.state import Store
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.cost_time import ENDS, HEADS, RATES, SHARES, WIDTHS, WINDOWS, TimeBudget

LEAST = 100
"""Tokens at the beginning of the axis."""
STEPS = 60
"""Places at which a line is computed."""


def show(store: Store[CostView]) -> None:
    """The budget, the chart, what it leaves out; a measurement; the table of chips."""
    presenting.leave_out(_introduction)
    _frame(store)
    presenting.leave_out(lambda: _layer(store))
    time = store.view.time
    st.markdown(" ".join([_verdict(time), *_of_given(store.view)]))
    _chart(store)
    st.caption(
        _(
            "A lower bound, not a measurement: the attention core of one layer in fp16, without a causal mask, with as many key heads as heads: "
            "max(operations ÷ rate, bytes ÷ bandwidth). "
            "Dotted where memory decides, solid where computing does. Left out: starting each kernel (some microseconds), the "
            "softmax itself, projections and feed-forward, everything else that runs on the chip. Expect 2 to 4 times as much. Below "
            "about 1,600 tokens the starts alone take longer on data-centre GPUs."
        )
    )
    measuring.measuring(store)
    presenting.leave_out(_table_of_chips)


def _introduction() -> None:
    st.markdown(
        _(
            "A camera sends a frame, and before the next one comes the answer must be there. No chip can be faster than its "
            "operations and its memory allow: below each line lies what is impossible, above it what may be possible."
        )
    )


def field(store: Store[CostView], name: str) -> dict[str, Any]:
    """What ties a widget to one field of this part."""
    return store.widget(
        f"time {name}", getattr(store.view.time, name), lambda chosen: store.view.inside("time", **{name: chosen})
    )


def _frame(store: Store[CostView]) -> None:
    """The chip, and what of a frame attention may take."""
    time = store.view.time
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Chip"), list(chips()), width=230, format_func=lambda name: chips()[name].name, **field(store, "chip")
        )
        st.segmented_control(
            _("Frames a second"), RATES, required=True, format_func=lambda rate: f"{rate} Hz", **field(store, "rate")
        )
        st.select_slider(
            _("Share of a frame for attention"), _with(SHARES, time.share), width=210, format_func=lambda share: f"{share} %",
            help=_("Images must be received, decoded, convolved and answered in the same time; an even share is nobody's right."),
            **field(store, "share"),
        )  # fmt: skip
        st.number_input(_("Layers of attention"), 1, 200, width=150, **field(store, "layers"))


def _layer(store: Store[CostView]) -> None:
    """What one of the layers computes, and how."""
    time = store.view.time
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Form"), list(FORMS), required=True, format_func=lambda form: _(FORMS[form]), **field(store, "form")
        )
        st.selectbox(_("Width d"), _with(WIDTHS, time.width), width=110, **field(store, "width"))
        st.selectbox(_("Heads"), _with(HEADS, time.heads), width=100, **field(store, "heads"))
        if time.form == "window" or "window" in time.measured:
            st.selectbox(_("Window on each side"), _with(WINDOWS, time.window), width=160, **field(store, "window"))
        st.select_slider(
            _("Tokens up to"), _with(ENDS, time.end), width=180, format_func=grouped, **field(store, "end")
        )


def _with(offered: tuple[int, ...], chosen: int) -> list[int]:
    """What is offered, and what an address brought along."""
    return sorted({*offered, chosen})


def _verdict(time: TimeBudget) -> str:
    chip = chips()[time.chip]
    frame, most = 1000 / time.rate, _most(time, chip, time.form)
    said = [
        _n(
            "At {rate} Hz a frame lasts {frame} ms; {share} % of it for one layer is **{budget} ms a layer**.",
            "At {rate} Hz a frame lasts {frame} ms; {share} % of it over {layers} layers is **{budget} ms a layer**.",
            time.layers, rate=time.rate, frame=three_digits(frame), share=time.share, layers=time.layers,
            budget=three_digits(time.milliseconds),
        )
    ]  # fmt: skip
    if not most:
        said.append(_("On {chip} not even one token fits into it.", chip=chip.name))
        return " ".join(said)
    by = roofline.bound(roofline.work(most, time.core()), chip).by
    decides = _("computing decides there") if by == "compute" else _("memory decides there")
    said.append(
        _(
            "On {chip} more than **{most} tokens** cannot fit ({form}; {decides}); whether that many do, only a measurement "
            "on the chip tells.",
            chip=chip.name, most=grouped(most), form=_(FORMS[time.form]), decides=decides,
        )
    )  # fmt: skip
    if chip.proxy_for:
        said.append(
            _("It also stands in for {others}, of which no dense figures were found.", others=", ".join(chip.proxy_for))
        )
    return " ".join(said)


def _of_given(view: CostView) -> list[str]:
    """What it means for the tokens that somebody has."""
    tokens, time = _given(view), view.time
    if tokens is None:
        return []
    seconds = roofline.bound(roofline.work(tokens, time.core()), chips()[time.chip]).seconds
    if 1000 * seconds > time.milliseconds:
        said = _(
            "What you have (tokens: {tokens}) takes at least {milliseconds} ms a layer: **it cannot fit**.",
            tokens=grouped(tokens),
            milliseconds=three_digits(1000 * seconds),
        )
    else:
        said = _(
            "What you have (tokens: {tokens}) takes at least {milliseconds} ms a layer: the bound does not rule it out.",
            tokens=grouped(tokens),
            milliseconds=three_digits(1000 * seconds),
        )
    return [said]


def _most(time: TimeBudget, chip: Chip, form: Form) -> int:
    return roofline.most_tokens(time.core(form), chip, time.milliseconds / 1000)


def _chart(store: Store[CostView]) -> None:
    time = store.view.time
    lines = [_line(time, name, chip) for name, chip in chips().items()]
    dots = measured_dots(measuring.found(), time)
    title = _("The least time of one layer: {form}, d = {width}, {heads} heads", form=_(FORMS[time.form]), width=time.width, heads=time.heads)  # fmt: skip
    figure = figures.time_curve(
        lines, dots, budget=time.milliseconds, least=LEAST, most=time.end, given=_given(store.view), title=title
    )
    panels.show(
        "cost-time",
        {
            "time": Picture(
                figure,
                figures.describe_time_curve(lines, dots, budget=time.milliseconds),
                lambda: figures.table_time_curve(lines, dots),
                int(figure.layout.height),
            )
        },
    )


def _given(view: CostView) -> int | None:
    """How many tokens somebody has; None where that cannot be told, which another part of the page says."""
    try:
        return tokens_of(view)
    except InputError:
        return None


def _line(time: TimeBudget, name: str, chip: Chip) -> TimeLine:
    tokens = sorted({round(float(n)) for n in np.geomspace(LEAST, time.end, STEPS)})
    bounds = [roofline.bound(roofline.work(n, time.core()), chip) for n in tokens]
    most = _most(time, chip, time.form)
    return TimeLine(
        name=chip.name + (" *" if chip.derived else ""),
        tokens=tokens,
        milliseconds=[1000 * found.seconds for found in bounds],
        by_compute=[found.by == "compute" for found in bounds],
        crosses=most if LEAST <= most < time.end else None,
        chosen=name == time.chip,
    )


def measured_dots(found: Measuring | None, time: TimeBudget) -> list[TimeDots]:
    """What was measured with the numbers of the layer that is shown; nothing, where it was another layer."""
    if found is None or not measuring.is_of(found.plan, time):
        return []
    dots = []
    for form in found.plan.forms:
        known = [(timed.n, spread) for timed in found.of(form) if timed.n <= time.end and (spread := timed.spread())]
        if known:
            dots.append(
                TimeDots(
                    name=_("measured here, {form}", form=_(FORMS[form])),
                    tokens=[n for n, _spread in known],
                    median=[1000 * spread.median for _n, spread in known],
                    low=[1000 * spread.low for _n, spread in known],
                    high=[1000 * spread.high for _n, spread in known],
                )
            )
    return dots


def _table_of_chips() -> None:
    with st.expander(_("Where the figures of the chips come from"), icon=":material/memory:"):
        rows = [
            {
                _("chip"): chip.name + (" *" if chip.derived else ""),
                _("TFLOP/s, dense fp16"): f"{chip.tflops:g}",
                _("GB/s"): grouped(chip.gigabytes, decimals=0 if chip.gigabytes.is_integer() else 1),
                _("operations a byte"): f"{chip.ridge:.0f}",
                _("source"): chip.source + (f" ({chip.derived})" if chip.derived else ""),
            }
            for chip in chips().values()
        ]
        st.table(pd.DataFrame(rows).set_index(_("chip")))
        st.caption(
            _(
                "A star marks what is derived: no sheet states it; the arithmetic stands beside the source. Data sheets advertise sparse matrices, INT8 "
                "or FP4, which are 2 to 8 times as many; none of those figures is used here. Operations a byte: from there on "
                "computing decides, below it memory."
            )
        )
