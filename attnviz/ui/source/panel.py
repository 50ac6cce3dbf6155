"""The panel itself: one choice of where the trace comes from, and a line that says it."""

import os
import re
import textwrap
from typing import TypeVar

import streamlit as st

from attnviz.base.language import _, _m
from attnviz.tokens import isolated, visible
from attnviz.trace import Trace
from attnviz.ui import presenting
from attnviz.ui.page import plain
from attnviz.ui.source import allowed, files
from attnviz.ui.source.recorded import reads, recorded, shipped, want
from attnviz.ui.source.source import Source
from attnviz.ui.state import Store
from attnviz.ui.views import translation
from attnviz.ui.views.source import MOST_TEXT, SourceView

V = TypeVar("V", bound=SourceView)

# What can be chosen beside the shipped models, as message ids.
FOLDER, HUB, FILE = "folder …", "hub …", "file …"
KINDS = {
    FOLDER: _m("Model in a folder …"),
    HUB: _m("Model from the Hugging Face hub …"),
    FILE: _m("Recorded trace or arrays from a file …"),
}
MOST_QUOTED = 40


def controls(store: Store[V]) -> None:
    """Where the trace comes from, the text, undo and reset; there whatever goes wrong below."""
    left, right = st.columns([2, 1], gap="medium")
    with right:
        kind = _choice(store)
        with st.container():
            _name(store, kind)
        with st.container(horizontal=True):
            name = store.name
            st.button(
                _("Undo"), icon=":material/undo:", on_click=store.undo, disabled=not store.can_undo, key=f"{name}:undo"
            )
            st.button(_("Reset"), icon=":material/restart_alt:", on_click=_reset, args=(store,), key=f"{name}:reset")
    with left, st.container():
        if kind == FILE:
            _file(store)
        else:
            st.text_area(
                _("Text"), height=100, max_chars=MOST_TEXT,
                **store.widget("text", store.view.text, lambda text: {"text": text, **store.view.other_text()}),
            )  # fmt: skip


def current(store: Store[V]) -> Source:
    """The trace to look at: the opened file's, else the model's on the text. Raises `InputError`."""
    found = files.opened() or recorded(store.view.model, store.view.text)
    if found.trace.attentions and not store.view.suits(found.trace):
        # Nobody chose it, so there is nothing to undo.
        store.look(**store.view.beginning(found.trace))
    return found


def origin(source: Source) -> None:
    """Where the numbers come from, and what a reader must know about them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_origin_sentence(source))
        presenting.leave_out(lambda: _save(source))
    with st.container():
        for note in source.trace.notes:
            st.info(said(source.trace, plain(str(note))))


def said(trace: Trace, sentence: str) -> str:
    """A sentence out of a trace as our own, or as the word of the file that it was read from."""
    return _("The file says: {sentence}", sentence=sentence) if trace.claimed else sentence


def _origin_sentence(source: Source) -> str:
    origin = source.trace.origin
    # A model's own text stands on the page already.
    quoted = textwrap.shorten(origin.text, MOST_QUOTED, placeholder=" …") if source.file else ""
    facts = [
        origin.model, origin.device, origin.dtype, origin.attention_implementation,
        origin.torch_version and f"torch {origin.torch_version}",
        origin.transformers_version and f"transformers {origin.transformers_version}",
        quoted and f"“{quoted}”",
    ]  # fmt: skip
    listed = plain(" · ".join(isolated(visible(fact)) for fact in facts if fact))
    name = plain(isolated(visible(source.file)))
    if not source.file:
        return _("Recorded from the model as it ran: {facts}.", facts=listed)
    if origin.kind == "file" and not source.trace.claimed:
        return _("Arrays from the file {name}, whose origin is unknown.", name=name)
    # What a file claims is its own word.
    return _("The file {name} says of itself: {facts}.", name=name, facts=listed or "—")


def _save(source: Source) -> None:
    st.download_button(
        _("Save the trace"), data=source.trace.to_bytes, file_name="attention.safetensors",
        mime="application/octet-stream", on_click="ignore", icon=":material/download:", type="tertiary",
    )  # fmt: skip


def _choice(store: Store[V]) -> str:
    """The one control: a shipped model, or another kind of source."""
    titles = shipped() | {kind: _(title) for kind, title in KINDS.items() if _is_allowed(kind)}
    kind = _kind(store)

    def changed(chosen: str) -> dict[str, object]:
        st.session_state[_kind_key(store)] = chosen
        if chosen != FILE and files.opened() is not None:
            files.close()
        if chosen not in shipped():
            return {}
        # A translator knows the words of its grammar alone; Undo brings the text back.
        text = {} if reads(chosen, store.view.text) else {"text": translation.SENTENCE}
        return {"model": chosen, **text, **store.view.beginning(None)}

    return str(
        st.selectbox(
            _("Source"), titles, format_func=titles.__getitem__, **store.widget("source", kind, changed)
        )
    )  # fmt: skip


def _is_allowed(kind: str) -> bool:
    return {FOLDER: allowed.folders(), HUB: allowed.hub()}.get(kind, True)


def _kind_key(store: Store[V]) -> str:
    return f"source:kind:{store.name}"


def _kind(store: Store[V]) -> str:
    """What the control shows: the opened file, what was chosen and is not filled in yet, or the view's model."""
    if files.opened() is not None:
        return FILE
    chosen = st.session_state.get(_kind_key(store))
    if chosen in KINDS and _is_allowed(chosen):
        return str(chosen)
    model = store.view.model
    if model in shipped():
        return model
    kind = FOLDER if re.match(r"[/~.\\]|\w:", model) or os.sep in model[:1] else HUB
    return kind if _is_allowed(kind) else next(iter(shipped()))


def _name(store: Store[V], kind: str) -> None:
    if kind not in (FOLDER, HUB):
        return
    model = store.view.model

    def typed(name: str) -> dict[str, object]:
        name = name.strip()
        if not name:
            return {}
        want(name)
        return {"model": name, **store.view.beginning(None)}

    st.text_input(
        _("Folder on the machine that runs this server") if kind == FOLDER else _("Hugging Face id"),
        max_chars=500,
        placeholder="google-bert/bert-base-cased" if kind == HUB else "",
        **store.widget("model", "" if model in shipped() else model, typed),
    )  # fmt: skip


def _file(store: Store[V]) -> None:
    if (found := files.upload(store.name)) is not None:
        _begin_anew(store, found)
        st.rerun()
    opened = files.opened()
    if opened is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        name = plain(isolated(visible(opened.file)))
        st.caption(_("{name} is open. The link cannot hold an opened file.", name=name))
        st.button(
            _("Close the file"), icon=":material/close:", on_click=_close, args=(store,), type="tertiary",
            key=f"{store.name}:close",
        )  # fmt: skip


def _close(store: Store[V]) -> None:
    files.close()
    _begin_anew(store, files.opened())


def _begin_anew(store: Store[V], source: Source | None) -> None:
    """The views before belong to another file or model, and undo opens and closes no files."""
    store.look(**store.view.beginning(source.trace if source is not None else None))
    store.forget()


def _reset(store: Store[V]) -> None:
    st.session_state.pop(_kind_key(store), None)
    if files.opened() is not None:
        files.close()
    store.reset()
