"""Traces of models, recorded when they are first asked for and kept for all sessions."""

import streamlit as st

from attnviz import models
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models import GrammarTranslator, TextModel
from attnviz.models.translation.shipped import PREFIX
from attnviz.recording import LabelCheck
from attnviz.trace import Trace
from attnviz.ui.page import plain
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.source import allowed
from attnviz.ui.source.source import Source


def shipped() -> dict[str, str]:
    """The names of the models with attention that come along, and their titles."""
    return {card.name: card.title for card in models.catalogue() if card.layers}


def want(name: str) -> None:
    """A model that a person typed in is one that they want loaded."""
    _wanted().add(name)


def is_wanted(name: str) -> bool:
    """Whether somebody asked for this model in this session, and not only a link."""
    return name in _wanted()


def recorded(name: str, text: str) -> Source:
    """The trace of a model on a text. Raises `InputError`."""
    _check(name)
    device = chosen_device()
    with st.spinner(_("Loading the model and recording its attention …")):
        found = _recorded(name, device, text, allowed.folders())
    return Source(found, f"{name}\n{device}\n{text}")


def opened(name: str) -> TextModel | GrammarTranslator:
    """A model, loaded when it is first asked for. Raises `InputError`."""
    _check(name)
    with st.spinner(_("Loading the model …")):
        return _loaded(name, chosen_device(), allowed.folders())


def reads(name: str, text: str) -> bool:
    """Whether a shipped model knows the words of the text; those that read any text are not loaded for that."""
    if not name.startswith(PREFIX):
        return True
    model = _loaded(name, chosen_device(), allowed.folders())
    try:
        return not isinstance(model, GrammarTranslator) or bool(model.source_words(text))
    except InputError:
        return False


def labels(name: str, text: str, position: int) -> LabelCheck:
    """Whether the model's labels stand where they should. Raises `InputError`."""
    return _loaded(name, chosen_device(), allowed.folders()).check_labels(text, position)


def _check(name: str) -> None:
    """Raises `InputError` for a model that this server does not open, or that nobody has asked for but a link."""
    if name in shipped():
        return
    if not allowed.hub():
        raise InputError(_m("This server is public: it opens its own models only, no folders and no hub ids."))
    _ask(name)


def _wanted() -> set[str]:
    found: set[str] = st.session_state.setdefault("source:wanted", set())
    return found


def _ask(name: str) -> None:
    """A link alone opens no folder and asks no hub: a person does."""
    if name in _wanted():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("The link asks for the model “{name}”.", name=plain(name)))
        if st.button(_("Load this model"), key="source:load"):
            _wanted().add(name)
            st.rerun()
    raise InputError(_m("The model “{name}” was named by a link and is not loaded yet."), name=name)


# Models are large and traces small: few of the first, some of the second, shared by all sessions.
@st.cache_resource(max_entries=2, show_spinner=False)
def _loaded(name: str, device: str, folders: bool) -> TextModel | GrammarTranslator:
    return models.load_reader(name, device=device, folders=folders)


@st.cache_resource(max_entries=16, show_spinner=False)
def _recorded(name: str, device: str, text: str, folders: bool) -> Trace:
    return _loaded(name, device, folders).trace(text)
