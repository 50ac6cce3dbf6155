"""Beside the street: the same numbers as gauge, bars, table and formula."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
import torch

from attnviz import figures
from attnviz.base.language import _
from attnviz.figures import GaugeRow
from attnviz.figures.formula import row_formula
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.ui import panels
from attnviz.ui.intersection.compute import Looked
from attnviz.ui.intersection.street import exact
from attnviz.ui.intersection.vectors import chosen
from attnviz.ui.page import plain
from attnviz.ui.panels import Picture
from attnviz.ui.views.intersection import IntersectionView

FORMAT = "%.6g"
"""Six significant digits: with six decimals a small weight would read 0.000000."""
EVEN = 0.005
"""Within half a per cent, a weight is told as an even share."""


def pictures(view: IntersectionView, looked: Looked) -> None:
    """The output as a gauge with what it is made of, and the weights as bars with their even share."""
    panels.show(
        "intersection-pictures", {"gauge": _gauge(view, looked), "bars": _bars(view, looked)}, columns_min_width=1000
    )


def gauge_rows(view: IntersectionView, looked: Looked) -> list[GaugeRow]:
    """The output as it is, without the chosen road user, and with its value changed."""
    head, position = view.head, looked.position(view.selected)
    parts = looked.contributions[head]
    rows = [GaugeRow(_("as it is"), parts)]
    if position is None:
        return rows
    name = _called(view)
    changed = parts.clone()
    changed[position] = looked.weights[head, position] * view.value_if
    if len(parts) > 1:
        gone = looked.others[head, position] * looked.steps.value[head, :, 0]
        gone[position] = torch.nan
        rows.append(GaugeRow(_("without {name}", name=name), gone))
    return [
        *rows,
        GaugeRow(_("{name} with value {value}", name=name, value=signed_text(view.value_if, 2)), changed),
    ]


def _called(view: IntersectionView) -> str:
    found = chosen(view)
    return found[0] if found else ""


def _gauge(view: IntersectionView, looked: Looked) -> Picture:
    rows = gauge_rows(view, looked)
    given: dict[str, Any] = {"key_labels": looked.labels}
    figure = figures.output_gauge(
        rows,
        key=looked.position(view.selected),
        title=_("Output: how much is in the way"),
        subtitle=_("Each piece is weight · value"),
        **given,
    )
    return Picture(
        figure,
        figures.describe_output_gauge(rows, **given),
        lambda: figures.table_output_gauge(rows, **given),
        int(figure.layout.height),
    )


def _bars(view: IntersectionView, looked: Looked) -> Picture:
    weights = looked.weights[view.head]
    given: dict[str, Any] = {"key_labels": looked.labels}
    # Of an output of 0 nothing is a share.
    if looked.output[view.head] != 0:
        given["shares"] = looked.steps.shares[view.head, 0]
    figure = figures.weight_bars(weights, key=looked.position(view.selected), title=_("Weights"), **given)
    return Picture(
        figure,
        figures.describe_weight_bars(weights, **given),
        lambda: figures.table_weight_bars(weights, **given),
        int(figure.layout.height),
    )


def table(view: IntersectionView, looked: Looked) -> pd.DataFrame:
    """One row for each key: its weight, beside its baseline, and what it does to the output."""
    head = view.head
    weights, output = looked.weights[head], looked.output[head]
    value = signed_text(view.value_if, 2)
    return pd.DataFrame(
        {
            _("road user"): looked.labels,
            _("weight"): weights,
            _("× 1/N"): weights * len(weights),
            _("value"): looked.steps.value[head, :, 0],
            _("weight · value"): looked.contributions[head],
            _("without it"): looked.without[head],
            _("change"): looked.without[head] - output,
            _("value {value}", value=value): looked.valued[head],
            _("change (value {value})", value=value): looked.valued[head] - output,
        }
    )


def effects(view: IntersectionView, looked: Looked) -> None:
    """The table; its own menu saves it as CSV."""
    shown = table(view, looked)
    numbers = {name: st.column_config.NumberColumn(format=FORMAT) for name in shown.columns[1:]}
    st.dataframe(shown, hide_index=True, column_config=numbers, key="intersection:effects")
    st.caption(
        _(
            "× 1/N: the weight as a multiple of the even share. Without it: the output when its key is masked, the other "
            "weights scaled up to sum to 1; there is only this one attention, so that is the road user removed "
            "everywhere. Value {value}: the output when its value is that and its weight stays.",
            value=signed_text(view.value_if, 2),
        )
    )


def formula(view: IntersectionView, looked: Looked) -> None:
    """The formula with this moment's numbers filled in."""
    st.markdown(row_formula(looked.steps, view.head, 0, looked.labels))


def _times(ratio: float) -> str:
    """0.0286, 1.99, 12: three significant digits."""
    return f"{ratio:.3g}" if 0.001 <= ratio < 1000 else weight_text(ratio)


def _known(number: float) -> str:
    return "—" if np.isnan(number) else exact(number)


def hides_people(view: IntersectionView, name: str) -> bool:
    """Whether somebody can stand behind this road user without being seen."""
    user = view.user(name)
    return user is not None and user.kind in ("car", "parked-car", "van", "bus", "truck")


def meaning(view: IntersectionView, looked: Looked) -> None:
    """What the chosen road user's weight says, and what it does not."""
    head, position = view.head, looked.position(view.selected)
    if position is None:
        return
    weight, output = float(looked.weights[head, position]), float(looked.output[head])
    without, valued = float(looked.without[head, position]), float(looked.valued[head, position])
    count = len(looked.ids)
    st.markdown(
        _(
            "**{name}** has the weight **{weight}**: {times} × the even share 1/{count} = {share}. "
            "The output is **{output}**; without it, the other weights scaled up, **{without}**; "
            "with the value {value} instead, **{valued}**.",
            name=plain(looked.labels[position]),
            weight=weight_text(weight),
            count=count,
            times=_times(weight * count),
            share=weight_text(1 / count),
            output=_known(output),
            without=_known(without),
            value=signed_text(view.value_if, 2),
            valued=_known(valued),
        )
    )
    if count == 1:
        text = _(
            "It is alone. A softmax over a single key is 1 whatever the vectors say: this weight says nothing about it."
        )
    elif abs(weight * count - 1) < EVEN:
        text = _(
            "Its weight is an even share: the query neither singles it out nor passes it by. That is no judgement on "
            "how much it matters."
        )
    elif weight * count > 1:
        text = _(
            "Much weight does not mean “used more in the judgement”. Look at what changes without it. And this output is "
            "not yet a decision: nothing here says from which number on the car would wait."
        )
    elif hides_people(view, looked.ids[position]):
        text = _(
            "Little weight is not a reason to ignore it. The weight says how much of its value is taken along, here "
            "and now. It does not say what the value will be when a child runs out from behind it."
        )
    else:
        text = _(
            "Little weight is not a reason to ignore it. The weight says how much of its value is taken along, here "
            "and now. It does not say what the value will be in a moment."
        )
    st.info(text, icon=":material/lightbulb:")
