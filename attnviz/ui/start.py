"""The Start page's picture and its doors."""

from typing import Any

import streamlit as st
import torch

from attnviz import figures
from attnviz.attention import by_hand
from attnviz.base.language import _
from attnviz.figures.numerals import weight_text
from attnviz.models.examples import intersection
from attnviz.ui import navigation, panels
from attnviz.ui.panels import Picture

PARKED = 2


def picture() -> None:
    """The intersection's weights as lines, computed now; one slider turns the parked car's key."""
    made = intersection()
    left, right = st.columns([2, 1], gap="large", vertical_alignment="center")
    with right:
        second = st.slider(
            _("Second number of the parked car's key"), -2.0, 3.0, 0.0, 0.05, key="start:parked",
            help=_("In the example it is 0. Raise it, as if a child might step out from behind the car."),
        )  # fmt: skip
        keys = torch.tensor(made.key)
        keys[PARKED, 1] = second
        found = by_hand.steps(torch.tensor(made.query), keys, torch.tensor(made.value))
        weight = float(found.weights[0, 0, PARKED])
        st.markdown(
            _(
                "The parked car gets **{weight}**; an even share of three would be 0.333. "
                "The output, how much stands in the way, is **{output}**.",
                weight=weight_text(weight),
                output=f"{float(found.output[0, 0, 0]):.3f}",
            )
        )
        st.markdown(
            _(
                "A small weight is not a reason to ignore something: who says that nobody steps out from behind that car?"
            )
        )
        st.caption(
            _(
                "Computed now from typed-in vectors: query (1, 2), keys (2, 1), (1, 2) and (−1, {second:.2f}).",
                second=second,
            )
        )
    with left:
        options: dict[str, Any] = {"query_tokens": made.query_tokens, "key_tokens": made.key_tokens, "query": 0}
        figure = figures.token_lines(found.weights[0], title="", **options)
        described = figures.describe_token_lines(found.weights[0], **options)
        panels.show(
            "start-lines",
            {
                "lines": Picture(
                    figure,
                    described,
                    lambda: figures.table_token_lines(found.weights[0], **options),
                    int(figure.layout.height),
                )
            },
        )


def doors() -> None:
    """Three ways in: explore, present, inspect."""
    explore, present, inspect = st.columns(3, gap="medium")
    with explore.container(border=True):
        st.subheader(_("Explore"))
        st.markdown(_("Move the vectors yourself: queries, keys, values, heads, masks. Every step shows its numbers."))
        st.page_link(navigation.page("playground"), label=_("Open the Playground"), icon=":material/tune:")
    with present.container(border=True):
        st.subheader(_("Present"))
        st.markdown(
            _("A crossing seen from above: lines from the ego car to everybody around it, as thick as their weights.")
        )
        st.page_link(navigation.page("intersection"), label=_("Open the intersection"), icon=":material/co_present:")
        st.page_link(navigation.page("stories"), label=_("Open the stories"), icon=":material/slideshow:")
    with inspect.container(border=True):
        st.subheader(_("Inspect"))
        st.markdown(
            _("A trained language model on your own text: every layer, every head, every weight; your own model too.")
        )
        st.page_link(navigation.page("heads"), label=_("Open the heads"), icon=":material/grid_view:")
