"""How far each token's output moved, as a share of its length, bar by bar."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import labels
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import isolated

_ROW = 34
Changes = Float[np.ndarray | Tensor, " n"]


def token_changes(changes: Changes, names: Sequence[str], *, title: str = "", subtitle: str = "") -> go.Figure:
    """changes: one for each token, 1 for a change as long as the output itself. `customdata` is the token's position."""
    values = to_numpy(changes).astype(np.float64)
    shown = labels(list(names), len(names))
    most = palette.ceiling(values, 1.0)
    traces = [
        plot.bar(
            name="", orientation="h", x=values, y=np.arange(len(values)), customdata=np.arange(len(values)), width=0.62,
            marker={"color": palette.CATEGORICAL[0]}, hovertemplate="%{y}: <b>%{x:.4~g}</b><extra></extra>",
        ),
        plot.scatter(
            name="", x=values, y=np.arange(len(values)), mode="text", text=[f" {weight_text(float(x))}" for x in values],
            textposition="middle right", hoverinfo="skip", cliponaxis=False,
        ),
    ]  # fmt: skip
    return plot.figure(traces, _layout(shown, most, title, subtitle))


def describe_token_changes(changes: Changes, names: Sequence[str]) -> str:
    """Every token with its number."""
    values = to_numpy(changes).astype(np.float64).tolist()
    listed = ", ".join(f"{isolated(name)} {weight_text(value)}" for name, value in zip(names, values, strict=True))
    return _("Change of each token's output, as a share of its length: {numbers}.", numbers=listed)


def table_token_changes(changes: Changes, names: Sequence[str]) -> pd.DataFrame:
    """One row for each token."""
    return pd.DataFrame(
        {_("position"): range(len(names)), _("token"): list(names), _("change"): to_numpy(changes).astype(np.float64)}
    )


def _layout(names: Sequence[str], most: float, title: str, subtitle: str) -> dict[str, Any]:
    shared = layout.from_the_edge(
        layout.base(
            title=title, subtitle=subtitle, height=58 + len(names) * _ROW + 56, left=layout.label_room(names, most=130.0),
            right=64, bottom=48,
        )
    )  # fmt: skip
    return shared | {
        "bargap": 0.3,
        "xaxis": {
            "range": [0, most], "zeroline": False, "fixedrange": True, "nticks": 6,
            "title": layout.axis_title(_("change, as a share of the output's length")),
        },
        "yaxis": layout.token_axis(list(names), reverse=True, fixedrange=True),
    }  # fmt: skip
