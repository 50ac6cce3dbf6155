"""What a decoder might have written at one step, and how probable each was."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped, whole_labels
from attnviz.figures.numerals import weight_text

_ROW = 26


def next_words(
    words: Sequence[str], probabilities: Sequence[float], *, chosen: int | None, title: str = ""
) -> go.Figure:
    """A bar for each word, its probability beside it; the one that was written is marked."""
    labels = [
        f"<b>{escaped(word)}</b> ◂" if at == chosen else escaped(word)
        for at, word in enumerate(whole_labels(list(words), len(words)))
    ]
    bars = plot.bar(
        orientation="h",
        x=list(probabilities),
        y=list(range(len(words))),
        marker={"color": [palette.HIGHLIGHT if at == chosen else palette.CATEGORICAL[0] for at in range(len(words))]},
        text=[weight_text(float(share)) for share in probabilities],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{text}<extra></extra>",
    )
    frame = layout.base(
        title=title,
        height=60 + _ROW * len(words),
        left=layout.label_room(list(words), most=150.0) + 14,
        right=56,
        bottom=8,
    )
    axis = layout.token_axis(list(words), reverse=True) | {"ticktext": labels}
    return plot.figure([bars], frame | {"xaxis": {"range": [0, 1], "visible": False}, "yaxis": axis})


def describe_next_words(words: Sequence[str], probabilities: Sequence[float], *, chosen: int | None) -> str:
    """All words with their probabilities, and which was written."""
    listed = ", ".join(f"{word} {weight_text(float(share))}" for word, share in zip(words, probabilities, strict=True))
    said = _("The likeliest next words: {words}.", words=listed)
    return said if chosen is None else f"{said} {_('Written: {word}.', word=words[chosen])}"


def table_next_words(words: Sequence[str], probabilities: Sequence[float]) -> pd.DataFrame:
    """One row for each word."""
    return pd.DataFrame({_("word"): list(words), _("probability"): [float(share) for share in probabilities]})
