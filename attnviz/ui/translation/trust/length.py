"""Why attention was invented: the same recurrent model with and without it, over the length of the sentence."""

import streamlit as st

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.language import _, _n
from attnviz.models.translation import shipped
from attnviz.translation import grammar
from attnviz.ui import panels
from attnviz.ui.page import complain, plain
from attnviz.ui.panels import Picture
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import Wanted, grammar_translator, translation

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
    with st.container():
        if store.view.pair != "en-fr":
            st.info(_("A model without attention comes for French alone, so French is what is shown here."))
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
            words = grammar_translator("en-fr").source_words(view.text)
            written = [(label, translation(one).target_text) for label, one in columns]
        except InputError as error:
            complain(error)
            return
        own = grammar.translate("fr", words)
        st.markdown(
            _n("The sentence above has {count} word.", "The sentence above has {count} words.", len(words))
            + "\n"
            + "".join(
                f"\n- {label}: **{plain(text)}**{_verdict(text, own.target_text if own else None)}"
                for label, text in written
            )
        )


def _verdict(text: str, own: str | None) -> str:
    """Whether it is the grammar's own translation, where there is one."""
    if own is None:
        return ""
    return f" ({_('as the grammar has it')})" if text == own else f" ({_('not as the grammar has it')})"
