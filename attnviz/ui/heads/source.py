"""Where the Heads page's trace comes from: a model and a text, or a saved file."""

import hashlib
from typing import NamedTuple

import streamlit as st

from attnviz import models, trace
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models import TextModel
from attnviz.trace import Trace
from attnviz.ui import presenting
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
    from_file: bool = False


def controls(store: HeadsStore) -> None:
    """Model and text, or a trace from a file; and the way back, which must be there whatever goes wrong below."""
    opened = _opened() is not None
    left, right = st.columns([2, 1], gap="medium")
    with left:
        st.text_area(
            _("Text"), height=100, max_chars=MOST_TEXT, disabled=opened,
            **store.widget("text", store.view.text, lambda text: {"text": text, "query": None, "key": None}),
        )  # fmt: skip
    with right:
        _model(store, opened)
        with st.container(horizontal=True):
            st.button(
                _("Undo"), icon=":material/undo:", on_click=store.undo, disabled=not store.can_undo, key="heads:undo"
            )
            st.button(_("Reset"), icon=":material/restart_alt:", on_click=store.reset, key="heads:reset")
    with st.expander(_("Open a saved trace"), icon=":material/folder_open:"):
        _open(store)


def _model(store: HeadsStore, opened: bool) -> None:
    shipped = [card.name for card in models.catalogue()]
    named = store.view.model in shipped
    titles = {card.name: card.title for card in models.catalogue()} | {OTHER: _("another model …")}
    if is_public():
        st.caption(_("Model: {model}", model=titles[shipped[0]]))
        return
    chosen = st.selectbox(
        _("Model"), [*shipped, OTHER], format_func=titles.__getitem__, disabled=opened,
        **store.widget(
            "shipped",
            store.view.model if named else st.session_state.get("heads:shipped", OTHER),
            lambda name: {} if name == OTHER else _of_model(name),
        ),
    )  # fmt: skip
    if chosen == OTHER or not named:
        st.text_input(
            _("Folder or Hugging Face id"), max_chars=500, disabled=opened,
            **store.widget("model", "" if named else store.view.model, _typed),
        )  # fmt: skip


def _typed(name: str) -> dict[str, object]:
    """A model that a person typed in is one that they want loaded."""
    _wanted().add(name.strip())
    return _of_model(name.strip()) if name.strip() else {}


def _of_model(name: str) -> dict[str, object]:
    return {"model": name, "role": "encoder", "layer": 0, "head": 0, "query": None, "key": None}


def _wanted() -> set[str]:
    found: set[str] = st.session_state.setdefault("heads:wanted", set())
    return found


def _opened() -> Source | None:
    found: tuple[str, Source] | None = st.session_state.get("heads:file")
    return found[1] if found else None


def _open(store: HeadsStore) -> None:
    if _opened() is not None:
        st.caption(_("The link cannot hold an opened trace."))
        if st.button(_("Close this trace"), icon=":material/close:"):
            st.session_state["heads:closed"] = st.session_state.pop("heads:file")[0]
            st.rerun()
        return
    uploaded = st.file_uploader(_("Open a trace (.safetensors)"), type=["safetensors"], key="heads:open")
    if uploaded is None or uploaded.file_id == st.session_state.get("heads:closed"):
        return
    raw = uploaded.getvalue()
    try:
        opened = trace.load(raw)
        if not opened.roles():
            raise InputError(_m("The trace has no attentions; at least one was expected."))
    except InputError as error:
        complain(error)
        return
    st.session_state["heads:file"] = (uploaded.file_id, Source(opened, hashlib.sha256(raw).hexdigest(), from_file=True))
    role = opened.roles()[0]
    store.change(role=role, layer=opened.layers(role)[0], head=0, query=None, key=None)
    st.rerun()


def current(store: HeadsStore) -> Source:
    """The trace to look at: the opened file's, else the model's on the text. Raises `InputError`."""
    opened = _opened()
    if opened is not None:
        return opened
    view = store.view
    if view.model not in {card.name for card in models.catalogue()}:
        if is_public():
            raise InputError(_m("This server is public: it opens its own models only, no folders and no hub ids."))
        _ask(view.model)
    device = chosen_device()
    with st.spinner(_("Loading the model and recording its attention …")):
        found = Source(_recorded(view.model, device, view.text), f"{view.model}\n{device}\n{view.text}")
    roles = found.trace.roles()
    if roles and view.role not in roles:  # another kind of model than the one before
        store.change(role=roles[0], layer=found.trace.layers(roles[0])[0])
    return found


def _ask(name: str) -> None:
    """A link alone opens no folder and asks no hub: a person does."""
    if name in _wanted():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("The link asks for the model “{name}”.", name=plain(name)))
        if st.button(_("Load this model"), key="heads:load"):
            _wanted().add(name)
            st.rerun()
    raise InputError(_m("The model “{name}” was named by a link and is not loaded yet."), name=name)


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
        listed = plain(" · ".join(fact for fact in facts if fact))
        if source.from_file:
            # What a file claims is its own word.
            st.caption(_("The opened file says of itself: {facts}.", facts=listed or "—"))
        else:
            st.caption(_("Recorded from the model as it ran: {facts}.", facts=listed))
        presenting.leave_out(lambda: _save(source))
    with st.container():
        for note in source.trace.notes:
            st.info(plain(str(note)))


def _save(source: Source) -> None:
    st.download_button(
        _("Save the trace"), data=source.trace.to_bytes, file_name="attention.safetensors",
        mime="application/octet-stream", on_click="ignore", icon=":material/download:", type="tertiary",
    )  # fmt: skip
