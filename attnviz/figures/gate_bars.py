"""Gates: one factor between 0 and 1 for every channel. They need not sum to 1, and their sum is printed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy

MOST_NUMBERS = 40
"""With more channels than this, the numbers are told by hovering alone."""

Gates = Float[np.ndarray | Tensor, " channels"]


def gate_bars(gates: Gates, *, names: Sequence[str] = (), title: str = "", height: int = 420) -> go.Figure:
    """A bar from 0 for every channel; the dotted line is one half, the gate of a sigmoid that is told nothing."""
    values = to_numpy(gates).astype(np.float64)
    called = _called(names, len(values))
    bars = plot.bar(
        name="gates", x=np.arange(len(values)), y=values, marker={"color": palette.CATEGORICAL[2]}, width=0.8,
        text=[weight_text(float(one)) for one in values] if len(values) <= MOST_NUMBERS else None,
        textposition="outside", textangle=-90, cliponaxis=False, hovertext=[escaped(name) for name in called],
        hovertemplate="%{hovertext}: <b>%{y:.4~g}</b><extra></extra>",
    )  # fmt: skip
    half = {
        "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.5, "y1": 0.5,
        "line": {"color": palette.NEUTRAL, "width": 1.5, "dash": "dot"},
    }  # fmt: skip
    return plot.figure(
        [bars],
        layout.base(title=title, subtitle=_sum_sentence(values), height=height, left=40, right=12, bottom=44)
        | {
            "shapes": [half],
            "xaxis": layout.token_axis(called, most=12, title=layout.axis_title(_("channel")), fixedrange=True),
            "yaxis": {"range": [0, 1.18], "tickvals": [0, 0.5, 1], "fixedrange": True, "zeroline": False},
        },
    )


def describe_gate_bars(gates: Gates) -> str:
    """How many there are, their sum, the largest and the smallest."""
    values = to_numpy(gates).astype(np.float64)
    most, least = int(values.argmax()), int(values.argmin())
    return " ".join(
        [
            _sum_sentence(values),
            _("The largest is that of channel {most}, {high}, the smallest that of channel {least}, {low}.",
              most=most, high=weight_text(float(values[most])), least=least, low=weight_text(float(values[least]))),
        ]
    )  # fmt: skip


def table_gate_bars(gates: Gates, *, names: Sequence[str] = ()) -> pd.DataFrame:
    """One row for each channel."""
    values = to_numpy(gates).astype(np.float64)
    return pd.DataFrame({_("channel"): _called(names, len(values)), _("gate"): values})


def _called(names: Sequence[str], count: int) -> list[str]:
    return [names[at] if at < len(names) else str(at) for at in range(count)]


def _sum_sentence(values: Float[np.ndarray, " channels"]) -> str:
    return _(
        "{count} gates, independent of each other; they sum to {sum}, not to 1.",
        count=len(values), sum=f"{values.sum():.3f}",
    )  # fmt: skip
