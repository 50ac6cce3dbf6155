"""How some numbers grow while a model is trained."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

_HEIGHT = 300
_DASHES = ("solid", "dash", "dot", "dashdot")


def growth(
    steps: Sequence[int],
    series: Mapping[str, Sequence[float]],
    *,
    last: int,
    level: tuple[str, float] | None = None,
    title: str = "",
) -> go.Figure:
    """Lines from 0 to 1 over the steps. last: the end of the axis, so that it does not move while lines grow.

    level: the name and height of a line to compare with.
    """
    traces = [
        plot.scatter(
            x=list(steps), y=list(numbers), mode="lines", name=escaped(name),
            line={"color": palette.category(place), "width": 2.5, "dash": _DASHES[place % len(_DASHES)]},
            hovertemplate="%{x}: %{y:.3f}<extra>%{fullData.name}</extra>",
        )
        for place, (name, numbers) in enumerate(series.items())
    ]  # fmt: skip
    if level is not None:
        traces.append(
            plot.scatter(
                x=[0, last], y=[level[1], level[1]], mode="lines", name=escaped(level[0]), hoverinfo="skip",
                line={"color": palette.NEUTRAL, "width": 1.5, "dash": "dash"},
            )
        )  # fmt: skip
    described = layout.base(title=escaped(title), height=_HEIGHT, left=46, right=12, bottom=72)
    described |= {
        "xaxis": {
            "title": layout.axis_title(_("training step")),
            "range": [0, last],
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": {"range": [-0.02, 1.02], "fixedrange": True, "zeroline": False, "gridcolor": palette.PLAIN},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
    }
    return plot.figure(traces, described)


def describe_growth(steps: Sequence[int], series: Mapping[str, Sequence[float]]) -> str:
    """The same in words: from what to what each number went."""
    if not steps:
        return _("Nothing was trained yet.")
    said = [
        _("{name}: from {first} to {last}.", name=name, first=f"{numbers[0]:.3f}", last=f"{numbers[-1]:.3f}")
        for name, numbers in series.items()
    ]
    return " ".join([_("After {count} training steps.", count=steps[-1]), *said])


def table_growth(steps: Sequence[int], series: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """One row for each look."""
    return pd.DataFrame({_("training step"): list(steps)} | {name: list(numbers) for name, numbers in series.items()})
