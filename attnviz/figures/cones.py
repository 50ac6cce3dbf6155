"""How far two positions are felt, layer by layer: cones that widen until they meet."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _, _n
from attnviz.figures import layout, palette, plot

HEIGHT = 400
_COLOURS = (palette.CATEGORICAL[0], palette.CATEGORICAL[1])


@dataclass(frozen=True)
class Cones:
    """distance: between A and B. radius: positions by which each layer widens. effective: by layer, how far on each side
    it is felt noticeably. met: layers until some unit sees both; seen: until the unit at A sees B."""

    distance: int
    radius: int
    effective: Sequence[float]
    met: int
    seen: int


def cones(shown: Cones, *, title: str = "") -> go.Figure:
    """Positions across, layers upwards; the cones of A and of B, and attention's one layer as a line from A to B."""
    top = len(shown.effective) - 1
    reach = shown.radius * top
    traces = [_cone(shown, place, top) for place in (0, 1)]
    traces += [_felt(shown, place) for place in (0, 1)]
    traces.append(_attention(shown))
    traces.append(_marks(shown))
    edge = min(reach, 0.75 * shown.distance) + 1
    frame = layout.base(title=title, height=HEIGHT, left=52, right=14, bottom=92)
    frame |= {
        "xaxis": {
            "title": layout.axis_title(_("position; A at 0, B at {distance}", distance=shown.distance)),
            "range": [-edge, shown.distance + edge], "fixedrange": True, "showgrid": False, "zeroline": False, "nticks": 8,
        },
        "yaxis": {
            "title": layout.axis_title(_("layer")), "range": [-0.04 * top, top * 1.06], "fixedrange": True,
            "gridcolor": palette.PLAIN, "zeroline": False, "nticks": 7, "rangemode": "nonnegative",
        },
        "showlegend": True,
        "legend": {
            "orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "font": {"size": 11},
            "itemclick": False, "itemdoubleclick": False,
        },
        "annotations": _names(shown),
    }  # fmt: skip
    return plot.figure(traces, frame)


def describe_cones(shown: Cones) -> str:
    """Both numbers of layers in words."""
    return " ".join(
        [
            _n(
                "After {count} layer some unit between them sees both A and B.",
                "After {count} layers some unit between them sees both A and B.",
                shown.met,
            ),
            _n(
                "After {count} layer the unit at A sees B.", "After {count} layers the unit at A sees B.", shown.seen
            ),
            _("Full attention: after one layer."),
        ]
    )  # fmt: skip


def table_cones(shown: Cones) -> pd.DataFrame:
    """One row for each layer: how far the cone reaches on each side, how far it is felt noticeably, who sees whom."""
    layers = range(len(shown.effective))
    return pd.DataFrame(
        {
            _("layer"): list(layers),
            _("sees, positions on each side"): [shown.radius * layer for layer in layers],
            _("felt noticeably, positions on each side"): [round(one, 2) for one in shown.effective],
            _("some unit sees both"): [layer >= shown.met for layer in layers],
            _("A sees B"): [layer >= shown.seen for layer in layers],
        }
    )


def _cone(shown: Cones, place: int, top: int) -> plot.Trace:
    at, reach = place * shown.distance, shown.radius * top
    return plot.scatter(
        x=[at, at - reach, at + reach, at], y=[0, top, top, 0], mode="lines", fill="toself", hoverinfo="skip",
        fillcolor=palette.with_alpha(_COLOURS[place], 0.16), line={"color": _COLOURS[place], "width": 1.5},
        name=_("units that see {name}", name="AB"[place]),
    )  # fmt: skip


def _felt(shown: Cones, place: int) -> plot.Trace:
    at, layers = place * shown.distance, list(range(len(shown.effective)))
    sides = [*(at - one for one in reversed(shown.effective)), *(at + one for one in shown.effective)]
    return plot.scatter(
        x=sides, y=[*reversed(layers), *layers], mode="lines", hoverinfo="skip", showlegend=not place,
        line={"color": palette.NEUTRAL, "width": 1.5, "dash": "dot"}, name=_("felt noticeably, even weights"),
    )  # fmt: skip


def _attention(shown: Cones) -> plot.Trace:
    return plot.scatter(
        x=[0, shown.distance], y=[1, 1], mode="lines+markers", name=_("full attention: one layer"),
        line={"color": palette.HIGHLIGHT, "width": 3}, marker={"size": 7, "color": palette.HIGHLIGHT},
        hovertemplate=_("Full attention: after one layer.") + "<extra></extra>",
    )  # fmt: skip


def _marks(shown: Cones) -> plot.Trace:
    return plot.scatter(
        x=[shown.distance / 2, 0], y=[shown.met, shown.seen], mode="markers", showlegend=False, name="",
        marker={"size": 11, "symbol": ["diamond", "circle"], "color": palette.CATEGORICAL[2], "line": {"width": 1, "color": "#FFFFFF"}},
        text=[
            _n("After {count} layer some unit between them sees both A and B.",
               "After {count} layers some unit between them sees both A and B.", shown.met),
            _n("After {count} layer the unit at A sees B.", "After {count} layers the unit at A sees B.", shown.seen),
        ],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _names(shown: Cones) -> list[dict[str, object]]:
    written = [
        (shown.distance / 2, shown.met, _("both: {layers}", layers=shown.met), "left"),
        (0, shown.seen, _("A sees B: {layers}", layers=shown.seen), "left"),
    ]
    return [
        {
            "x": x, "y": y, "text": text, "showarrow": False, "xanchor": side, "xshift": 10, "yanchor": "middle",
            "font": {"size": 12, "color": palette.CATEGORICAL[2]},
        }
        for x, y, text, side in written
    ]  # fmt: skip
