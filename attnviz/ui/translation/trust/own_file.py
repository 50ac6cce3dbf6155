"""Sentences with gold links that a person brings: two files, and from which number links are counted."""

import hashlib
from dataclasses import dataclass

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _n
from attnviz.translation import SentencePair
from attnviz.translation.pharaoh import Loaded, read_pairs
from attnviz.ui.page import complain, plain
from attnviz.ui.source import allowed
from attnviz.ui.translation.store import TranslationStore

_KEY = "translation:file"
MOST_NAMED = 5


@dataclass(frozen=True)
class Opened:
    """What was read, and a short text that tells it from other files."""

    key: str
    loaded: Loaded


def opened(store: TranslationStore) -> Opened | None:  # noqa: ARG001 - a file is in no address
    """Asks for the two files and the base; the opened ones, None until all are there."""
    st.caption(
        _(
            "Sentences: a line each, “source ||| target”, words between spaces. Gold: a line each, links such as 3-4, "
            "possible ones as 3p4 (Pharaoh format). The files stay in this session."
        )
    )
    left, right = st.columns(2)
    texts = left.file_uploader(_("Sentences"), key="translation:texts")
    gold = right.file_uploader(_("Gold links"), key="translation:gold")
    base = st.segmented_control(
        _("Words are counted from"), [0, 1], key="translation:base", help=_("Files differ; nothing is guessed.")
    )
    with st.container():
        if texts is None or gold is None or base is None:
            st.session_state.pop(_KEY, None)
            return None
        try:
            found = _read(texts.getvalue(), gold.getvalue(), base, (texts.name, gold.name))
        except InputError as error:
            st.session_state.pop(_KEY, None)
            complain(error)
            return None
        _said(found.loaded, base)
    st.session_state[_KEY] = found
    return found


def pairs() -> tuple[SentencePair, ...]:
    """The sentences of the files that are open."""
    found: Opened | None = st.session_state.get(_KEY)
    return found.loaded.pairs if found is not None else ()


def _read(texts: bytes, gold: bytes, base: int, names: tuple[str, str]) -> Opened:
    allowed.check_bytes(len(texts) + len(gold))
    loaded = read_pairs(texts, gold, base=1 if base else 0, names=names)
    digest = hashlib.blake2b(texts + b"\0" + gold + bytes([base]), digest_size=12).hexdigest()
    return Opened(digest, loaded)


def _said(loaded: Loaded, base: int) -> None:
    """How many sentences there are, and which links were left out."""
    st.caption(_n("{count} sentence read.", "{count} sentences read.", len(loaded.pairs)))
    out = loaded.out_of_range
    if not out:
        return
    named = ", ".join(_("line {line}: {link}", line=one.line, link=one.link) for one in out[:MOST_NAMED])
    said = _n(
        "{count} link points beyond its sentence and was left out ({named}).",
        "{count} links point beyond their sentences and were left out ({named}).",
        len(out),
        named=plain(named) + (" …" if len(out) > MOST_NAMED else ""),
    )
    if loaded.other_base:
        said += " " + _("Counted from {base}, all links would fit.", base=1 - base)
    st.warning(said)
