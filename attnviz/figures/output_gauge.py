"""An output of one number as a gauge: what each key puts into it, and what it would be if something were otherwise."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped, labels
from attnviz.figures.numerals import signed_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import Tokens

ROW_HEIGHT = 44
LONGEST_LINE = 26
# The width in pixels for which it is decided whether a name fits into its piece of the bar.
_USUAL_WIDTH = 380.0
# Neighbours differ, so that pieces can be counted; both are read on light and on dark.
_TINTS = (palette.CATEGORICAL[0], "#8CC0E0")


@dataclass(frozen=True, eq=False)
class GaugeRow:
    """One state of affairs: what it is called, and weight · value of every key (NaN for a key that is not there)."""

    name: str
    contributions: Float[np.ndarray | Tensor, " m"]

    @property
    def output(self) -> float:
        """The sum of what is there; NaN where nothing is."""
        parts = to_numpy(self.contributions).astype(np.float64)
        return float(np.nansum(parts)) if np.isfinite(parts).any() else float("nan")


def output_gauge(
    rows: Sequence[GaugeRow],
    *,
    key_labels: Tokens | Sequence[str] | None = None,
    key: int | None = None,
    title: str = "",
    subtitle: str = "",
) -> go.Figure:
    """A bar for each row, pieced together from the contributions, its sum as a number at its end.

    key: the position of the key to highlight. The axis runs from 0 to 1, or as far as the numbers need.
    A piece's `customdata` is its key's position.
    """
    names = labels(key_labels, len(rows[0].contributions))
    least, most = _range(rows)
    pieces = [_piece(rows, position, name, position == key, most - least) for position, name in enumerate(names)]
    return plot.figure([*pieces, _sums(rows)], _layout(rows, least, most, title, subtitle))


def describe_output_gauge(rows: Sequence[GaugeRow], *, key_labels: Tokens | Sequence[str] | None = None) -> str:
    """Each row's output, and for the first what it is made of."""
    names = labels(key_labels, len(rows[0].contributions))
    parts = ", ".join(
        f"{name} {signed_text(part)}"
        for name, part in zip(names, to_numpy(rows[0].contributions).tolist(), strict=True)
        if part == part
    )
    said = [_("{name}: output {output}, made of {parts}.", name=rows[0].name, output=_sum(rows[0]), parts=parts)]
    said += [_("{name}: output {output}.", name=row.name, output=_sum(row)) for row in rows[1:]]
    return " ".join(said)


def table_output_gauge(rows: Sequence[GaugeRow], *, key_labels: Tokens | Sequence[str] | None = None) -> pd.DataFrame:
    """One row for every row and key with its exact contribution; absent keys are missing values."""
    names = labels(key_labels, len(rows[0].contributions))
    return pd.DataFrame(
        [
            {
                _("case"): row.name,
                _("key position"): position,
                _("key"): name,
                _("contribution"): float(part),
                _("output"): row.output,
            }
            for row in rows
            for position, (name, part) in enumerate(zip(names, to_numpy(row.contributions), strict=True))
        ]
    )


def _piece(rows: Sequence[GaugeRow], position: int, name: str, marked: bool, reach: float) -> plot.Trace:
    parts = np.array([float(to_numpy(row.contributions)[position]) for row in rows])
    fits = [abs(part) / reach * _USUAL_WIDTH > layout.text_width(name, 11.0) + 8 for part in parts]
    colour = palette.HIGHLIGHT if marked else _TINTS[position % 2]
    return plot.bar(
        name=name,
        orientation="h",
        x=parts,
        y=np.arange(len(rows)),
        customdata=np.full(len(rows), position),
        # With an edge the thinnest piece is still a line.
        marker={"color": colour, "line": {"color": colour, "width": 1}},
        width=0.62,
        text=[escaped(name) if fit else "" for fit in fits],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        textfont={"size": 11},
        hovertemplate=f"{escaped(name)}: <b>%{{x:.4~g}}</b><extra></extra>",
    )


def _sums(rows: Sequence[GaugeRow]) -> plot.Trace:
    """The outputs at the ends of their bars."""
    ends = [
        float(np.nansum(np.maximum(np.nan_to_num(to_numpy(row.contributions).astype(np.float64)), 0))) for row in rows
    ]
    return plot.scatter(
        name="",
        x=ends,
        y=np.arange(len(rows)),
        mode="text",
        text=[f"<b> {_sum(row)}</b>" for row in rows],
        textposition="middle right",
        textfont={"size": 14},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _sum(row: GaugeRow) -> str:
    return signed_text(row.output)


def _lines(name: str) -> list[str]:
    """A name on two lines where it is long; what is longer still is cut."""
    return textwrap.wrap(name, LONGEST_LINE, max_lines=2, placeholder=" …") or [name]


def _range(rows: Sequence[GaugeRow]) -> tuple[float, float]:
    stacked = np.stack([np.nan_to_num(to_numpy(row.contributions).astype(np.float64)) for row in rows])
    most = float(np.maximum(stacked, 0).sum(1).max())
    least = float(np.minimum(stacked, 0).sum(1).min())
    return (-palette.ceiling([least]) if least < 0 else 0.0), palette.ceiling([most], 1)


def _layout(rows: Sequence[GaugeRow], least: float, most: float, title: str, subtitle: str) -> dict[str, Any]:
    shared = layout.base(
        title=title,
        subtitle=subtitle,
        height=(58 if title and subtitle else 38) + len(rows) * ROW_HEIGHT + 30,
        left=layout.label_room([line for row in rows for line in _lines(row.name)], most=240.0),
        right=16,
        bottom=30,
    )
    return shared | {
        "barmode": "relative",
        "bargap": 0.3,
        "xaxis": {
            # Room for the number behind the longest bar.
            "range": [least, most + 0.16 * (most - least)],
            "tickvals": sorted({least, 0.0, most / 2, most}),
            "fixedrange": True,
            "automargin": False,
            "zeroline": True,
        },
        "yaxis": layout.token_axis([row.name for row in rows], reverse=True, fixedrange=True)
        | {"ticktext": ["<br>".join(map(escaped, _lines(row.name))) for row in rows]},
    }
