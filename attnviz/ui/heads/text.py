"""The weights in the text itself: each token coloured, numbered, and a button."""

import math

import numpy as np
import streamlit as st
from plotly.colors import sample_colorscale

from attnviz.base.language import _
from attnviz.figures import palette
from attnviz.figures.escape import short_label, whole_labels
from attnviz.figures.numerals import weight_text
from attnviz.tokens import isolated
from attnviz.ui.components import ShownToken, TokenClick, tokens
from attnviz.ui.heads.look import Look, mean_received
from attnviz.ui.heads.store import HeadsStore
from attnviz.ui.page import plain

MOST_NUMBERED = 128


def text(store: HeadsStore, look: Look) -> None:
    """The weights in the text itself: of the chosen query, else what each token receives on average."""
    if not look.columns or not look.rows:
        return
    if look.query is not None and look.query in look.rows:
        shown, _hidden = look.weights((look.query,))
        numbers = shown[0]
        said = _(
            "What “{query}” ({position}) looks at.",
            query=plain(isolated(look.queries.label(look.query))),
            position=look.query,
        )
    else:
        numbers = mean_received(look)
        said = _("What each token receives, in the mean over the queries shown. Choose a query to see where it looks.")
    st.markdown(said)

    def click(event: TokenClick) -> None:
        store.change(fields={event.side: event.position})

    tokens(
        "heads-text",
        _shown_tokens(look, numbers.tolist()),
        description=said,
        selected_query=look.query,
        selected_key=look.key,
        on_click=click,
        right_to_left=look.keys.runs_right_to_left(),
    )


def _shown_tokens(look: Look, numbers: list[float]) -> list[ShownToken]:
    keys = look.keys
    labels = whole_labels(keys, len(keys))
    linear = len(numbers) <= palette.LINEAR_KEYS
    shown, end = [], 0
    for position, number in zip(look.columns, numbers, strict=True):
        span = keys.spans[position] if keys.spans else None
        before = ""
        if span and keys.source is not None:
            # What the tokenizer left out between two tokens, spaces mostly.
            before, end = keys.source[end : span[0]] if span[0] > end else "", max(end, span[1])
        else:
            before = " "
        shown.append(
            ShownToken(
                position,
                short_label(labels[position], position),
                before,
                _colour(number, linear),
                weight_text(number) if len(numbers) <= MOST_NUMBERED else "",
                bool(keys.generated and keys.generated[position]),
                labels[position],
            )
        )
    return shown


def _colour(number: float, linear: bool) -> str:
    """The colour that the matrix gives this weight; none where there is no weight."""
    if math.isnan(number):
        return ""
    exponent = math.log10(number) if number > 0 else -math.inf
    place = number if linear else float(palette.place_on_log_scale(np.array(exponent)))
    return str(sample_colorscale(palette.SEQUENTIAL, [min(max(place, 0.0), 1.0)])[0])
