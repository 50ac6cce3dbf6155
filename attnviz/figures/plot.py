"""Figures from plain dictionaries, in one step.

Plotly checks every attribute that it is given, which takes four times as long as all the rest and shows when a
slider redraws seven figures. So the check is left to the tests, which do it for every figure they make.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from attnviz.base.grouping import separators

Trace = dict[str, Any]


def heatmap(**attributes: Any) -> Trace:
    """A heatmap trace."""
    return {"type": "heatmap", **attributes}


def scatter(**attributes: Any) -> Trace:
    """A scatter trace: lines, markers or text."""
    return {"type": "scatter", **attributes}


def bar(**attributes: Any) -> Trace:
    """A bar trace."""
    return {"type": "bar", **attributes}


def figure(traces: Sequence[Trace], layout: Mapping[str, Any]) -> go.Figure:
    """The figure of these traces."""
    return go.Figure(data=list(traces), layout={"separators": separators(), **layout}, _validate=False)
