"""Sentences with gold links that a person brings: two files, and from which number links are counted."""

import hashlib
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m, _n
from attnviz.tokens import isolated, visible
from attnviz.translation import SentencePair, pharaoh
from attnviz.translation.pharaoh import Loaded, read_pairs
from attnviz.ui import presenting
from attnviz.ui.page import complain, is_public, plain
from attnviz.ui.translation.store import TranslationStore

MOST_MEGABYTES = 20
MOST_PUBLIC_MEGABYTES = 1
MOST_PUBLIC_SENTENCES = 200
_KEY = "translation:file"
_FROM = "translation:file-from"
_FAILED = "translation:file-failed"
MOST_NAMED = 5


@dataclass(frozen=True)
class Opened:
    """What was read, and a short text that tells it from other files."""

    key: str
    loaded: Loaded
    names: tuple[str, str]
    base: int


def opened(store: TranslationStore) -> Opened | None:  # noqa: ARG001 - a file is in no address
    """Asks for the two files and the base; the opened ones, None until all are there."""
    st.caption(
        _(
            "Sentences: a line each, “source ||| target”, words between spaces. Gold: a line each, links such as 3-4, "
            "possible ones as 3p4 (Pharaoh format). The files stay in this session."
        )
    )
    presenting.leave_out(_ask)
    with st.container():
        found: Opened | None = st.session_state.get(_KEY)
        failed: InputError | None = st.session_state.get(_FAILED)
        complain(failed)
        if found is None or failed is not None:
            return None
        _said(found)
    return found


def most() -> int:
    """How many sentences of a file are measured."""
    return MOST_PUBLIC_SENTENCES if is_public() else pharaoh.MOST_SENTENCES


def _ask() -> None:
    """What is opened stays open when these fields are drawn no more."""
    limits: dict[str, Any] = {"max_upload_size": MOST_PUBLIC_MEGABYTES if is_public() else MOST_MEGABYTES}
    left, right = st.columns(2)
    texts = left.file_uploader(_("Sentences"), key="translation:file:texts", **limits)
    gold = right.file_uploader(_("Gold links"), key="translation:file:gold", **limits)
    base = st.segmented_control(
        _("Words are counted from"), [0, 1], key="translation:file:base", help=_("Files differ; nothing is guessed."),
        persist_state="session",
    )  # fmt: skip
    with st.container():
        if is_public():
            st.caption(
                _(
                    "This server is public: files of up to {size} MB are opened, and their first {count} sentences measured.",
                    size=MOST_PUBLIC_MEGABYTES,
                    count=MOST_PUBLIC_SENTENCES,
                )
            )
    if texts is None or gold is None or base is None:
        return
    asked = (texts.file_id, gold.file_id, base)
    if st.session_state.get(_FROM) == asked:
        return
    st.session_state[_FROM] = asked
    st.session_state.pop(_FAILED, None)
    try:
        st.session_state[_KEY] = _read(texts.getvalue(), gold.getvalue(), base, (texts.name, gold.name))
    except InputError as error:
        st.session_state[_FAILED] = error


def pairs() -> tuple[SentencePair, ...]:
    """The sentences of the files that are open."""
    found: Opened | None = st.session_state.get(_KEY)
    return found.loaded.pairs if found is not None else ()


def _read(texts: bytes, gold: bytes, base: int, names: tuple[str, str]) -> Opened:
    limit = (MOST_PUBLIC_MEGABYTES if is_public() else MOST_MEGABYTES) << 20
    for name, raw in zip(names, (texts, gold), strict=True):
        if len(raw) > limit:
            raise InputError(
                _m("{file} has {found} bytes; at most {most} were expected."), file=name, found=len(raw), most=limit
            )
    loaded = read_pairs(texts, gold, base=1 if base else 0, names=names)
    digest = hashlib.blake2b(texts + b"\0" + gold + bytes([base]), digest_size=12).hexdigest()
    return Opened(digest, loaded, names, base)


def _said(found: Opened) -> None:
    """How many sentences there are, and which links were left out."""
    loaded = found.loaded
    links = [pair.links for pair in loaded.pairs if pair.links is not None]
    st.caption(
        _n(
            "{texts} and {gold}: {count} sentence read, words counted from {base}; {sure} sure links, {possible} possible only.",
            "{texts} and {gold}: {count} sentences read, words counted from {base}; {sure} sure links, {possible} possible only.",
            len(loaded.pairs),
            texts=plain(isolated(visible(found.names[0]))),
            gold=plain(isolated(visible(found.names[1]))),
            base=found.base,
            sure=sum(len(one.sure) for one in links),
            possible=sum(len(one.possible - one.sure) for one in links),
        )
    )
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
        said += " " + _("Counted from {base}, all links would fit.", base=1 - found.base)
    st.warning(said)
