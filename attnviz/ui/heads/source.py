"""Where the Heads page's trace comes from: a model and a text, or a saved file."""

import hashlib
from typing import NamedTuple

import streamlit as st

from attnviz import models, trace
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models import TextModel
from attnviz.trace import Trace
from attnviz.ui.page import complain, is_public, plain
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.state import Store
from attnviz.ui.views.heads import MOST_TEXT, HeadsView

HeadsStore = Store[HeadsView]
OTHER = "…"


class Source(NamedTuple):
    """A trace, and a short text that identifies it in caches."""

    trace: Trace
    key: str


def controls(store: HeadsStore) -> None:
    """Model and text, or a trace from a file."""
    left, right = st.columns([2, 1], gap="medium")
    with left:
        st.text_area(
            _("Text"), height=100, max_chars=MOST_TEXT,
            **store.widget("text", store.view.text, lambda text: {"text": text, "query": None, "key": None}),
        )  # fmt: skip
    with right:
        _model(store)
    with st.expander(_("Open a saved trace"), icon=":material/folder_open:"):
        _open(store)


def _model(store: HeadsStore) -> None:
    shipped = [card.name for card in models.catalogue()]
    named = store.view.model in shipped
    titles = {card.name: card.title for card in models.catalogue()} | {OTHER: _("another model …")}
    if is_public():
        st.caption(_("Model: {model}", model=titles[shipped[0]]))
        return

    def changed(name: str) -> dict[str, object]:
        return {} if name == OTHER else {"model": name, "layer": 0, "head": 0, "query": None, "key": None}

    chosen = st.selectbox(
        _("Model"), [*shipped, OTHER], format_func=titles.__getitem__,
        **store.widget("shipped", store.view.model if named else st.session_state.get("heads:shipped", OTHER), changed),
    )  # fmt: skip
    if chosen == OTHER or not named:
        st.text_input(
            _("Folder or Hugging Face id"), max_chars=500,
            **store.widget(
                "model", "" if named else store.view.model,
                lambda name: {"model": name.strip(), "layer": 0, "head": 0, "query": None, "key": None} if name.strip() else {},
            ),
        )  # fmt: skip


def _open(store: HeadsStore) -> None:
    uploaded = st.file_uploader(_("Open a trace (.safetensors)"), type=["safetensors"], key="heads:open")
    if uploaded is None:
        st.session_state.pop("heads:file", None)
        return
    if st.session_state.get("heads:file", ("", None))[0] == uploaded.file_id:
        return
    raw = uploaded.getvalue()
    try:
        opened = trace.load(raw)
    except InputError as error:
        complain(error)
        return
    key = hashlib.sha256(raw).hexdigest()
    st.session_state["heads:file"] = (uploaded.file_id, Source(opened, key))
    store.change(role=opened.roles()[0], layer=0, head=0, query=None, key=None)


def current(store: HeadsStore) -> Source:
    """The trace to look at: the opened file's, else the model's on the text. Raises `InputError`."""
    opened: tuple[str, Source] | None = st.session_state.get("heads:file")
    if opened is not None:
        return opened[1]
    view = store.view
    if is_public() and view.model not in {card.name for card in models.catalogue()}:
        raise InputError(_m("This server is public: it opens its own models only, no folders and no hub ids."))
    device = chosen_device()
    with st.spinner(_("Loading the model and recording its attention …")):
        return Source(_recorded(view.model, device, view.text), f"{view.model}\n{device}\n{view.text}")


# Models are large and traces small: few of the first, some of the second, shared by all sessions.
@st.cache_resource(max_entries=2, show_spinner=False)
def _loaded(name: str, device: str) -> TextModel:
    return models.load(name, device=device)


@st.cache_resource(max_entries=16, show_spinner=False)
def _recorded(name: str, device: str, text: str) -> Trace:
    return _loaded(name, device).trace(text)


def notes(source: Source) -> None:
    """Where the numbers come from, and what a reader must know about them."""
    origin = source.trace.origin
    facts = [origin.model, origin.device, origin.dtype, origin.attention_implementation]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            _("Recorded from the model as it ran: {facts}.", facts=plain(" · ".join(fact for fact in facts if fact)))
        )
        st.download_button(
            _("Save the trace"), data=source.trace.to_bytes, file_name="attention.safetensors",
            mime="application/octet-stream", on_click="ignore", icon=":material/download:", type="tertiary",
        )  # fmt: skip
    with st.container():
        for note in source.trace.notes:
            st.info(plain(str(note)))
