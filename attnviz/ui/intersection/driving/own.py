"""A turn model of one's own: opened from a file, known by its checksum, kept as long as it is used."""

import hashlib
from collections import OrderedDict
from threading import Lock

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models.turn import shipped
from attnviz.models.turn.turn_model import TurnModel
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.page import complain, plain

MOST_KEPT = 32
NOT_OPEN = _m("The view asks for a turn model of somebody's own; open its file again to see it.")
_CLOSED = "intersection:own-closed"
_models: OrderedDict[str, TurnModel] = OrderedDict()
_lock = Lock()


def model(checksum: str) -> TurnModel:
    """The model with this checksum. Raises `InputError` where it is not open on this server (any more)."""
    with _lock:
        found = _models.get(checksum)
        if found is None:
            raise InputError(NOT_OPEN)
        _models.move_to_end(checksum)
        return found


def name_of(checksum: str) -> str:
    """What the model's file was called; the beginning of the checksum where it is not open here."""
    with _lock:
        found = _models.get(checksum)
    return checksum[:12] if found is None else found.name


def opened(raw: bytes, file: str) -> tuple[str, str]:
    """Takes a file's model in; gives its checksum and kind. Raises `InputError` for what is none."""
    checksum = hashlib.sha256(raw).hexdigest()
    kind, module = shipped.read_own(raw, file)
    with _lock:
        _models[checksum] = TurnModel(file[:60], None, module)
        _models.move_to_end(checksum)
        while len(_models) > MOST_KEPT:
            _models.popitem(last=False)
    return checksum, kind


def upload(store: IntersectionStore) -> None:
    """The place for a file, and the way back to the shipped models."""
    drive = store.view.drive
    with st.expander(_("A turn model of your own"), icon=":material/upload_file:", expanded=bool(drive.own)):
        st.caption(
            _(
                "A file that `attnviz train turn` has written (.safetensors). It is asked instead of a shipped model; nothing is written to disk."
            )
        )
        uploaded = st.file_uploader(_("Turn model"), type=["safetensors"], max_upload_size=2, key="intersection:own")
        if uploaded is not None and uploaded.file_id != st.session_state.get(_CLOSED):
            try:
                checksum, kind = opened(uploaded.getvalue(), uploaded.name)
            except InputError as error:
                complain(error)
            else:
                st.session_state[_CLOSED] = uploaded.file_id
                store.change(**drive.but(own=checksum, kind=kind))
                st.rerun()
        if drive.own:
            st.markdown(_("Asked is your own model: **{name}**.", name=plain(name_of(drive.own))))
            st.button(
                _("Ask a shipped model again"), key="intersection:own-close", icon=":material/close:",
                on_click=lambda: store.change(**store.view.drive.but(own="")),
            )  # fmt: skip
