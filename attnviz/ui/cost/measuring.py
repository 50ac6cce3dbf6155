"""A measurement on the machine that serves the page: a button, progress, Stop, and what came of it."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import streamlit as st

from attnviz.base import device as devices
from attnviz.base.errors import InputError
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _n
from attnviz.cost import quantiles
from attnviz.cost.measure import Measuring, Plan, Timed
from attnviz.figures.numerals import three_digits
from attnviz.ui import going, presenting
from attnviz.ui.cost.wording import FORMS
from attnviz.ui.page import complain, is_public
from attnviz.ui.state import Store
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.cost_time import REPEATS, SIZES, TimeBudget

_MEASURING = "cost:measuring"
_QUANTILES = (0.99, 0.95, 0.9)


def measuring(store: Store[CostView]) -> None:
    """Choose, press, watch; the table of what was measured, and what it does not say."""
    st.subheader(_("Measured on this machine"))
    if is_public():
        st.markdown(_("Where others may connect, nothing is measured: it would take the machine from all of them."))
        return
    plan = store.view.time.plan()
    done = going.share_done(plan)
    presenting.leave_out(lambda: _choices(store))
    st.button(
        _("Go on measuring ({share} % done)", share=f"{100 * done:.0f}") if done and not going.is_going(plan) else _("Measure"),
        icon=":material/timer:", type="primary", key="cost:measure", on_click=_begin, args=(plan,),
        disabled=going.is_going(plan),
    )  # fmt: skip
    going.show(plan, _("Measuring …"), lambda: _results(store.view.time))
    # An empty place is empty at once; what a container no longer holds stays until a pause in the goes.
    place = st.empty()
    if not going.is_going(plan):
        with place.container():
            _results(store.view.time)


def found() -> Measuring | None:
    """The last measurement of this session."""
    return st.session_state.get(_MEASURING)


def is_of(plan: Plan, time: TimeBudget) -> bool:
    """Whether a measurement is of the layer that is shown."""
    return (plan.width, plan.heads, plan.window) == (time.width, time.heads, time.window)


def _choices(store: Store[CostView]) -> None:
    time = store.view.time

    def field(name: str) -> dict[str, Any]:
        return store.widget(
            f"time {name}", getattr(store.view.time, name), lambda chosen: store.view.inside("time", **{name: chosen})
        )

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            _("What is measured"), list(FORMS), selection_mode="multi", format_func=lambda form: _(FORMS[form]),
            **store.widget("time measured", list(time.measured), lambda chosen: _measured(store, chosen)),
        )  # fmt: skip
        st.select_slider(
            _("Tokens up to"),
            sorted({*SIZES[2:], time.upto}),
            width=200,
            format_func=grouped,
            **field("upto"),
        )
        st.select_slider(
            _("Runs of each"), sorted({*REPEATS, time.repeats}), width=160,
            help=_(
                "So many runs bound a quantile from above with 95 % confidence: 29 the 90th of a hundred, 59 the 95th, 299 the 99th. "
                "With fewer there is only the largest of them."
            ),
            **field("repeats"),
        )  # fmt: skip
        st.toggle(
            _("One core"), help=_("Steadier where other programs work on this machine, too. A GPU is not concerned."),
            **field("one_core"),
        )  # fmt: skip


def _measured(store: Store[CostView], chosen: list[str]) -> dict[str, Any]:
    # The last one stays: nothing is no measurement.
    return store.view.inside("time", measured=tuple(chosen) or store.view.time.measured)


def _begin(plan: Plan) -> None:
    def fresh() -> Iterator[float]:
        made = st.session_state[_MEASURING] = Measuring(plan)
        return made.run()

    try:
        going.begin(plan, fresh)
    except InputError as error:
        st.session_state[f"{_MEASURING}:wrong"] = error


def _results(time: TimeBudget) -> None:
    measured = found()
    complain(st.session_state.pop(f"{_MEASURING}:wrong", None))
    with st.container():
        if measured is None or not measured.found:
            st.caption(
                _(
                    "Nothing was measured yet. Press Measure: the same attention core runs here again and again, {warm_up} runs to "
                    "warm up that do not count, then those that do. The dots then stand in the chart above.",
                    warm_up=3,
                )
            )
            return
        st.table(
            pd.DataFrame(
                [_row(timed, time.milliseconds) for form in measured.plan.forms for timed in measured.of(form)]
            ).set_index(_("form, tokens"))
        )
        st.markdown(" ".join([_where(measured), *_exponents(measured)]))
        if not is_of(measured.plan, time):
            st.caption(_("The settings have changed since: press Measure for this layer."))
        st.caption(
            _(
                "Runs one after another on a machine at somebody's desk are not a worst case in a vehicle: other heat, other "
                "load, other clocks. The bounds take the runs as independent and alike. p95 ≤ 3 says that 95 of a hundred "
                "such runs take at most 3 ms; that and “at most” hold with 95 % confidence. Without a miss in N runs about 3/N is "
                "still to be reckoned with, never nothing."
            )
        )


def _row(timed: Timed, budget: float) -> dict[str, str]:
    spread = timed.spread()
    start = {_("form, tokens"): f"{_(FORMS[timed.form])}, {grouped(timed.n)}"}
    columns = (_("median (quartiles), ms"), _("the slow ones, ms"), _("over the budget"))
    if spread is None:
        said = _("left out: {reason}", reason=str(timed.left_out)) if timed.left_out else "…"
        return start | dict(zip(columns, (said, "", ""), strict=True))
    middle = (
        f"{three_digits(1000 * spread.median)} ({three_digits(1000 * spread.low)} – {three_digits(1000 * spread.high)})"
    )
    return start | dict(zip(columns, (middle, tail(timed.seconds), misses(timed.seconds, budget)), strict=True))


def tail(seconds: list[float]) -> str:
    """A bound on the highest quantile for which there are runs enough; else the largest of them."""
    for quantile in _QUANTILES:
        bound = quantiles.upper_bound(seconds, quantile)
        if bound is not None:
            return _(
                "p{percent} ≤ {milliseconds}", percent=f"{100 * quantile:.0f}", milliseconds=three_digits(1000 * bound)
            )
    return _("largest of {count}: {milliseconds}", count=len(seconds), milliseconds=three_digits(1000 * max(seconds)))


def misses(seconds: list[float], budget: float) -> str:
    """How many runs took longer than so many milliseconds, and which share is still to be reckoned with."""
    missed = sum(1000 * second > budget for second in seconds)
    most = quantiles.most_misses(missed, len(seconds))
    return _("{missed} of {count}; at most {most} %", missed=missed, count=len(seconds), most=f"{100 * most:.3g}")


def _where(measured: Measuring) -> str:
    said = _("Measured here: {device}, {precision}.", device=devices.describe(measured.device), precision=str(measured.precision).removeprefix("torch."))  # fmt: skip
    if measured.device.type == "cpu":
        said += " " + _n("{count} thread.", "{count} threads.", measured.threads)
        if measured.load is not None and measured.load > 1:
            said += " " + _(
                "When it began, {load} programs wanted each core: the times are longer and more scattered than they would be on "
                "a quiet machine.",
                load=f"{measured.load:.1f}",
            )
    return said


def _exponents(measured: Measuring) -> list[str]:
    said = []
    for form in measured.plan.forms:
        grown = measured.growth(form)
        if grown is not None:
            said.append(
                _(
                    "{form}: the medians of {sizes} sizes grow like the tokens to the power **{exponent}** (95 % interval {low} to {high}).",
                    form=_(FORMS[form]).capitalize(), sizes=grown.sizes, exponent=f"{grown.exponent:.2f}".replace("-", "−"), low=f"{grown.low:.2f}".replace("-", "−"),
                    high=f"{grown.high:.2f}",
                )
            )  # fmt: skip
    return said
