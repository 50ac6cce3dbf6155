"""Target words by source words: what removing each source word does to each target word; gold links over it."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.base.language import _
from attnviz.figures import gold, layout, palette, plot
from attnviz.figures.alignment_map import MOST_MARKED, Matrix, largest_marks, largest_of, table_alignment_map
from attnviz.figures.cells import outline, printed
from attnviz.figures.escape import tick_labels, whole_labels
from attnviz.figures.gold import Link
from attnviz.figures.numerals import brief_text, signed_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import isolated

# More cells in a line than this, and their numbers have two digits; still more, and they are told by hovering alone.
_WIDE = 6
_MOST_COLUMNS = 16
_MOST_ROWS = 32
_ABSENT = "—"


def effect_map(
    effect: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
    row: int | None = None,
    column: int | None = None,
    title: str | None = None,
) -> go.Figure:
    """By how much each target word's log-probability falls when a source word is removed, in nats; orange: it falls.

    The colours are symmetric about 0 and end at the next round number, which the subtitle tells. NaN: not measured.
    The largest fall of each target word is marked. `customdata` is [row, column, nats].
    """
    found = to_numpy(effect).astype(np.float64)
    most = palette.ceiling(found, 0.1)
    traces = [_cells(found, most)]
    if found.shape[1] <= _MOST_COLUMNS and found.shape[0] <= _MOST_ROWS:
        traces += [*printed(_texts(found), (found / most + 1) / 2, palette.DIVERGING), _not_measured(found)]
    if max(found.shape, default=0) <= MOST_MARKED:
        traces += largest_marks(largest_of(found), _("largest fall of its row"))
    shapes = [
        *gold.frames(sure, possible, rows=len(target), columns=len(source)),
        *([] if row is None else [outline(0.0, len(source) - 1.0, float(row), float(row))]),
        *([] if column is None else [outline(float(column), float(column), 0.0, len(target) - 1.0)]),
    ]
    shown = _layout(source, target, title, most, gold.legend_room(sure, possible)) | {"shapes": shapes}
    return plot.figure([*traces, *gold.legend(sure, possible)], shown)


def describe_effect_map(effect: Matrix, source: Sequence[str], target: Sequence[str]) -> str:
    """Without which word each target word loses most; those that lose nothing are said to."""
    found = to_numpy(effect).astype(np.float64)
    said = []
    for at, most in largest_of(found):
        nats, word = float(found[at, most]), isolated(target[at])
        said.append(
            _(
                "“{target}” loses most without “{source}”: {nats} nats.",
                target=word,
                source=isolated(source[most]),
                nats=signed_text(nats),
            )
            if nats > 0
            else _("“{target}” loses nothing, whichever word is removed.", target=word)
        )
    return " ".join(said) or _("No effect was measured.")


def table_effect_map(
    effect: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
) -> pd.DataFrame:
    """One row for each cell: both words with their places, the nats by which the target word falls, and gold."""
    return table_alignment_map(
        effect, source, target, sure=sure, possible=possible, value=_("fall of the log-probability (nats)")
    )


def _cells(found: Float[np.ndarray, "target source"], most: float) -> plot.Trace:
    told = [
        _("without “{word}”", word="<b>%{x}</b>"),
        _("log-probability of “{word}” falls by {nats} nats", word="<b>%{y}</b>", nats="<b>%{z:.4~g}</b>"),
    ]
    return plot.heatmap(
        name="effect",
        z=found,
        zmin=-most,
        zmax=most,
        colorscale=[list(stop) for stop in palette.DIVERGING],
        customdata=np.stack([*np.indices(found.shape), found], -1),
        hovertemplate="<br>".join(told) + "<extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar=layout.colour_bar(_("nats")),
        showscale=found.shape[1] > _MOST_COLUMNS or found.shape[0] > _MOST_ROWS,
    )


def _texts(found: Float[np.ndarray, "target source"]) -> list[list[str]]:
    written = signed_text if found.shape[1] <= _WIDE else brief_text
    return [["" if np.isnan(value) else written(float(value)) for value in line] for line in found]


def _not_measured(found: Float[np.ndarray, "target source"]) -> plot.Trace:
    at = np.argwhere(np.isnan(found))
    return plot.scatter(
        name="",
        x=at[:, 1],
        y=at[:, 0],
        mode="text",
        text=[_ABSENT] * len(at),
        hoverinfo="skip",
        showlegend=False,
    )


def _layout(
    source: Sequence[str], target: Sequence[str], title: str | None, most: float, legend_room: int
) -> dict[str, Any]:
    wholes = [whole_labels(list(words), len(words)) for words in (source, target)]
    ticks = [tick_labels(list(words), whole) for words, whole in zip((source, target), wholes, strict=True)]
    room = min(layout.label_room(ticks[0]), 130)
    slanted = len(source) > _WIDE or room > 90
    bottom = (room * 0.75 + 14 if slanted else 26) + 50 + legend_room
    tall = len(target) <= _MOST_ROWS
    base = layout.base(
        title=_("Effect of removing a source word") if title is None else title,
        subtitle=_("Fall of the log-probability in nats; colours to ±{most}", most=f"{most:g}"),
        height=round(58 + max(120, min((30 if tall else 14) * len(target), 960)) + bottom),
        left=layout.label_room(ticks[1]) + 22,
        right=16 if len(source) <= _MOST_COLUMNS and tall else 76,
        bottom=round(bottom),
    )
    return base | {
        "dragmode": "zoom",
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "itemclick": False},
        "xaxis": layout.token_axis(
            ticks[0],
            wholes=wholes[0],
            tickangle=-45 if slanted else 0,
            most=36,
            title=layout.axis_title(_("removed source word"), 4),
        ),
        "yaxis": layout.token_axis(ticks[1], wholes=wholes[1], reverse=True, title=layout.axis_title(_("target"), 4)),
    }
