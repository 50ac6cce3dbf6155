"""Why attention was invented: the same recurrent model with and without it, over the length of the sentence."""

import streamlit as st

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.models.translation import shipped
from attnviz.ui import panels
from attnviz.ui.page import complain, plain
from attnviz.ui.panels import Picture
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import Wanted, translation

WITH, WITHOUT = f"{shipped.PREFIX}en-fr/gru", f"{shipped.PREFIX}en-fr/bottleneck"


def length(store: TranslationStore) -> None:
    """The curve, and what the model without attention makes of the sentence above."""
    st.markdown(
        _(
            "The same recurrent model was trained twice on the same sentences. Without attention the encoder has to "
            "squeeze the whole sentence into one vector, whatever its length (Cho et al. 2014); with attention each "
            "step of the decoder looks back (Bahdanau, Cho and Bengio 2014)."
        )
    )
    with_it, without = shipped.facts(WITH), shipped.facts(WITHOUT)
    curves = {_("with attention"): with_it.shipped.by_length, _("without attention"): without.shipped.by_length}
    figure = figures.length_curve(curves)
    picture = Picture(
        figure,
        figures.describe_length_curve(curves),
        lambda: figures.table_length_curve(curves),
        int(figure.layout.height),
    )
    panels.show("translation-length", {"length": picture})
    st.markdown(
        _(
            "Measured after training on {count} held-out sentences, English to French, seed {seed}: word for word right "
            "are {with_it} % with attention and {without} % without. Whiskers: 95 % intervals (Wilson 1927).",
            count=with_it.held_out_sentences,
            seed=with_it.shipped.seed,
            with_it=f"{100 * with_it.shipped.exact['test']:.1f}",
            without=f"{100 * without.shipped.exact['test']:.1f}",
        )
    )
    _of_this_sentence(store)


def _of_this_sentence(store: TranslationStore) -> None:
    view = store.view
    with st.container():
        try:
            columns = (
                (_("with attention"), Wanted("gru", "en-fr", WITH, view.text, "", 1)),
                (_("without attention"), Wanted("bottleneck", "en-fr", WITHOUT, view.text, "", 1)),
            )
            said = [f"{label}: **{plain(translation(one).target_text)}**" for label, one in columns]
        except InputError as error:
            complain(error)
            return
        for line in said:
            st.markdown(line)
