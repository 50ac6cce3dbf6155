"""What a layer's operations are spent on: stacked bars, one for each number of tokens."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, magnitudes, palette, plot
from attnviz.figures.escape import escaped

_ROW = 46


def cost_parts(rows: Sequence[str], parts: Mapping[str, Sequence[float]], *, axis: str, title: str = "") -> go.Figure:
    """rows: what each bar is. parts: by name, its size in each row. Printed are those that have room for it."""
    most = max((sum(sizes) for sizes in zip(*parts.values(), strict=True)), default=1.0) or 1.0
    names = [escaped(row) for row in rows]
    traces = [
        plot.bar(
            x=list(sizes), y=list(range(len(rows))), orientation="h", name=escaped(name), width=0.62,
            marker={"color": palette.category(place)},
            text=[magnitudes.count_text(size) if size > 0.09 * most else "" for size in sizes],
            textposition="inside", insidetextanchor="middle", textangle=0,
            textfont={"color": "#FFFFFF", "size": 12}, constraintext="none",
            customdata=[
                [row, magnitudes.count_text(size), f"{100 * size / max(total, 1):.1f}"]
                for row, size, total in zip(names, sizes, _totals(parts), strict=True)
            ],
            hovertemplate="%{customdata[0]}<br>%{fullData.name}: <b>%{customdata[1]}</b> (%{customdata[2]} %)<extra></extra>",
        )
        for place, (name, sizes) in enumerate(parts.items())
    ]  # fmt: skip
    ticks = magnitudes.linear_ticks(most, is_bytes=False, count=4)
    frame = layout.base(
        title=escaped(title), height=96 + _ROW * len(rows) + (30 if title else 0), left=layout.label_room(rows, most=210.0), right=22, bottom=78
    )  # fmt: skip
    frame |= {
        "barmode": "stack",
        "xaxis": {
            "range": [0, most * 1.02], "fixedrange": True, "zeroline": False, "gridcolor": palette.PLAIN,
            "tickmode": "array", "tickvals": ticks[0], "ticktext": ticks[1], "title": layout.axis_title(escaped(axis)),
        },
        "yaxis": {
            "tickvals": list(range(len(rows))), "ticktext": names, "range": [len(rows) - 0.5, -0.5],
            "fixedrange": True, "showgrid": False, "zeroline": False, "automargin": False,
        },
        "showlegend": True,
        "legend": {
            "orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "traceorder": "normal",
            "itemclick": False, "itemdoubleclick": False,
        },
    }  # fmt: skip
    return plot.figure(traces, frame)


def describe_cost_parts(rows: Sequence[str], parts: Mapping[str, Sequence[float]]) -> str:
    """Every bar in words: its parts and their sum."""
    said = []
    for place, row in enumerate(rows):
        listed = ", ".join(f"{name} {magnitudes.count_text(sizes[place])}" for name, sizes in parts.items())
        total = magnitudes.count_text(sum(sizes[place] for sizes in parts.values()))
        said.append(_("{row}: {parts}; together {total}.", row=row, parts=listed, total=total))
    return " ".join(said)


def table_cost_parts(rows: Sequence[str], parts: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """One row for each bar, exact."""
    return pd.DataFrame({name: list(sizes) for name, sizes in parts.items()}, index=list(rows))


def _totals(parts: Mapping[str, Sequence[float]]) -> list[float]:
    return [sum(sizes) for sizes in zip(*parts.values(), strict=True)]
