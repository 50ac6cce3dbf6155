"""What a decoder might have written at one step, and how probable each was."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import short_label, whole_labels
from attnviz.figures.numerals import weight_text
from attnviz.tokens import isolated

_ROW = 26
# Follows the word that was written.
_WRITTEN = "◂"


def next_words(
    words: Sequence[str], probabilities: Sequence[float], *, chosen: int | None, title: str = ""
) -> go.Figure:
    """A bar for each word, its probability beside it; the one that was written is marked. `customdata` is its place."""
    wholes = whole_labels(list(words), len(words))
    shorts = [short_label(label, at) + (f" {_WRITTEN}" if at == chosen else "") for at, label in enumerate(wholes)]
    bars = plot.bar(
        name="probability",
        orientation="h",
        x=[float(share) for share in probabilities],
        y=list(range(len(words))),
        marker={"color": [palette.HIGHLIGHT if at == chosen else palette.CATEGORICAL[0] for at in range(len(words))]},
        text=[weight_text(float(share)) for share in probabilities],
        textposition="outside",
        cliponaxis=False,
        customdata=list(range(len(words))),
        hovertemplate="%{y}: <b>%{text}</b><extra></extra>",
    )
    frame = layout.base(
        title=title,
        height=(44 if title else 14) + _ROW * len(words),
        left=layout.label_room(shorts, most=170.0),
        right=64,
        bottom=8,
    )
    axis = layout.token_axis(shorts, wholes=wholes, reverse=True)
    axis["ticktext"] = [
        f"<b>{text}</b>" if at == chosen else text for at, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
    ]
    return plot.figure(
        [bars], frame | {"xaxis": {"range": [0, 1], "visible": False, "fixedrange": True}, "yaxis": axis}
    )


def describe_next_words(words: Sequence[str], probabilities: Sequence[float], *, chosen: int | None) -> str:
    """All words with their probabilities, and which was written."""
    listed = ", ".join(
        f"{isolated(word)} {weight_text(float(share))}" for word, share in zip(words, probabilities, strict=True)
    )
    said = _("The likeliest next words: {words}.", words=listed)
    return said if chosen is None else f"{said} {_('Written: {word}.', word=isolated(words[chosen]))}"


def table_next_words(words: Sequence[str], probabilities: Sequence[float]) -> pd.DataFrame:
    """One row for each word."""
    return pd.DataFrame({_("word"): list(words), _("probability"): [float(share) for share in probabilities]})
