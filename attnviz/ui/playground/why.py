"""Why the scores are divided by √d: what grows, what collapses and what vanishes without it."""

import streamlit as st

from attnviz import figures
from attnviz.attention import scaling
from attnviz.attention.scaling import Sweep
from attnviz.base.language import _
from attnviz.ui import panels
from attnviz.ui.panels import Picture


@st.cache_data(show_spinner=False, max_entries=8)
def _sweep(keys: int, samples: int, seed: int) -> Sweep:
    return scaling.sweep(keys=keys, samples=samples, seed=seed)


def why() -> None:
    """Variance of the scores, entropy of the weights and size of the gradient over d, with and without ÷ √d."""
    st.markdown(
        _(
            "The dot product of two random vectors of d numbers has variance d. Undivided, the scores grow with √d, "
            "the softmax gives nearly everything to one key, and its gradient vanishes: nothing is learnt any more. "
            "Divided by √d, all three stay where they were (Vaswani et al. 2017, footnote 4)."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        keys = st.segmented_control(_("Keys"), [4, 16, 64], default=16, required=True, key="why:keys")
        seed = st.number_input(_("Seed"), 0, 9999, 0, width=160, key="why:seed")
    found = _sweep(int(keys or 16), 512, int(seed))
    names = {"variance": _("Variance of the scores"), "entropy": _("Entropy of the weights"), "gradient": _("Gradient")}
    shown = {}
    for name in names:
        figure = figures.scaling_curve(found, name)
        shown[name] = Picture(
            figure,
            figures.describe_scaling_curve(found, name),
            lambda name=name: figures.table_scaling_curve(found, name),
            int(figure.layout.height),
        )
    panels.show("playground-why", shown, columns_min_width=300)
    st.caption(
        _(
            "Measured now: for each d, {samples} queries with {keys} keys each, drawn from a standard normal, seed {seed}.",
            samples=found.samples,
            keys=found.keys,
            seed=seed,
        )
    )
