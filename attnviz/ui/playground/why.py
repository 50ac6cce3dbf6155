"""Why the scores are divided by √d: what grows, what collapses and what vanishes without it."""

import functools
from typing import get_args

import streamlit as st

from attnviz import figures
from attnviz.attention import scaling
from attnviz.attention.scaling import Sweep
from attnviz.base.language import _
from attnviz.figures.scaling_curve import Measure
from attnviz.ui import panels
from attnviz.ui.panels import Picture

MEASURES: tuple[Measure, ...] = get_args(Measure)


@st.cache_data(show_spinner=False, max_entries=8)
def _sweep(keys: int, samples: int, seed: int) -> Sweep:
    return scaling.sweep(keys=keys, samples=samples, seed=seed)


def why() -> None:
    """Variance of the scores, entropy of the weights and size of the gradient over d, with and without ÷ √d."""
    st.markdown(
        _(
            "If all components are independent with mean 0 and variance 1, the dot product of two vectors of d numbers "
            "has variance d. Undivided, the scores grow with √d, the softmax gives ever more to one key, and its gradient "
            "shrinks: less and less is learnt. Divided by √d, all three stay about where they were "
            "(Vaswani et al. 2017, footnote 4)."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        keys = st.segmented_control(_("Keys"), [4, 16, 64], default=16, required=True, key="why:keys")
        seed = st.number_input(_("Seed"), 0, 9999, 0, width=160, key="why:seed")
    found = _sweep(int(keys or 16), 512, int(seed))
    panels.show("playground-why", {name: _picture(found, name) for name in MEASURES}, columns_min_width=300)
    st.caption(
        _(
            "Measured: for each d, {samples} queries with {keys} keys each, drawn from a standard normal, seed {seed}.",
            samples=found.samples,
            keys=found.keys,
            seed=seed,
        )
    )


def _picture(found: Sweep, measure: Measure) -> Picture:
    figure = figures.scaling_curve(found, measure)
    return Picture(
        figure,
        figures.describe_scaling_curve(found, measure),
        functools.partial(figures.table_scaling_curve, found, measure),
        int(figure.layout.height),
    )
