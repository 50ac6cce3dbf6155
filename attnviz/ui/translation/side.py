"""The columns on the screen: side by side where there is room."""

from itertools import groupby

import streamlit as st

from attnviz.base.language import _
from attnviz.tokens import isolated
from attnviz.translation import pharaoh
from attnviz.ui import presenting
from attnviz.ui.page import complain, plain
from attnviz.ui.translation import saying
from attnviz.ui.translation.columns import Column
from attnviz.ui.translation.decoding import label
from attnviz.ui.translation.looked import Gold, Looked, gold
from attnviz.ui.translation.pictures import pictures
from attnviz.ui.translation.store import TranslationStore

ACROSS = 2


def side_by_side(store: TranslationStore, found: list[Column]) -> None:
    """Two columns in a row, each language in rows of its own; frame.css puts them one below the other where it is narrow."""
    for _pair, same in groupby(found, key=lambda column: column.wanted.pair):
        together = list(same)
        for first in range(0, len(together), ACROSS):
            row = together[first : first + ACROSS]
            for place, column in zip(st.columns(len(row), gap="medium"), row, strict=True):
                with place:
                    _column(store, column)


def _column(store: TranslationStore, column: Column) -> None:
    st.markdown(f"**{plain(saying.title(column.wanted))}**")
    complain(column.error)
    translation, looked = column.translation, column.looked
    if translation is None:
        return
    st.markdown(f"### {plain(isolated(translation.target_text)) or '—'}")
    st.caption(f"**{label(translation)}** · {saying.likelihood(translation)}")
    known = gold(looked, column.wanted.language) if looked else Gold()
    with st.container():
        for sentence in _sentences(store, column, known):
            st.markdown(sentence)
    pictures(store, column, known)
    presenting.leave_out(lambda: _beneath(column))


def _sentences(store: TranslationStore, column: Column, known: Gold) -> list[str]:
    looked = column.looked
    if looked is None:
        notes = column.translation.trace.notes if column.translation else ()
        return [plain(str(note)) for note in notes]
    said = [saying.chosen(looked, store.view), saying.not_there(looked, store.view)]
    if store.view.gold:
        said.append(saying.about_gold(looked, known, column.wanted.language))
    return [sentence for sentence in said if sentence]


def _beneath(column: Column) -> None:
    """What can be taken away, and where the model comes from."""
    if column.looked is not None:
        _save(column, column.looked)
    st.caption(saying.origin(column.wanted))
    if column.wanted.model == "other" and column.looked is not None:
        for note in column.looked.translation.trace.notes:
            st.caption(plain(str(note)))


def _save(column: Column, looked: Looked) -> None:
    name = f"{column.wanted.pair or 'alignment'}-{column.wanted.model}.txt"
    st.download_button(
        _("Save the alignment (Pharaoh)"), type="tertiary", icon=":material/download:", file_name=name, mime="text/plain",
        data=lambda: pharaoh.write([looked.layout.links(looked.matrix)]).encode(), on_click="ignore",
        key=f"translation:pharaoh:{column.wanted.pair}:{column.wanted.model}",
        help=_("For each target word the source word with its largest weight, as source-target, counted from 0."),
    )  # fmt: skip


def what_it_means(found: list[Column]) -> None:
    """What a weight on a word is a weight on."""
    looked = next((column.looked for column in found if column.looked), None)
    with st.container():
        if looked is None:
            return
        at = looked.column if looked.column is not None else looked.most(looked.row) if looked.row is not None else None
        word = plain(isolated(looked.layout.source.labels[at])) if at is not None else ""
        said = _("A weight lies on the encoder's state at a position, and that state has read the whole sentence.")
        if word:
            said = _(
                "A weight on “{word}” lies on the encoder's state at that position, which has read the whole sentence, not on "
                "the word alone.",
                word=word,
            )
        st.caption(said + " " + _("It says where the decoder looked, not why."))
