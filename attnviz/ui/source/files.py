"""The file that is open in this session: uploaded, or the one that the app was started with."""

import hashlib
import os
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz import trace
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.trace import Trace
from attnviz.ui.page import complain, is_public
from attnviz.ui.source import allowed
from attnviz.ui.source.source import Source

FILE = "ATTNVIZ_FILE"
"""The environment variable that names the file which the app was started with."""
TYPES = ["safetensors", "npz", "npy", "pt", "pth", "bin"]
_OPEN = "source:file"
_BEGUN = "source:begun"
# The upload that was closed stays in the widget until it is drawn no more.
_CLOSED = "source:closed"


def opened() -> Source | None:
    """The file that is looked at, if any."""
    found: tuple[str, Source] | None = st.session_state.get(_OPEN)
    if found is not None:
        return found[1]
    return _started_with()


def begins_with_file() -> bool:
    """True once, when a session begins in an app that was started with a file."""
    first = not st.session_state.get(_BEGUN)
    st.session_state[_BEGUN] = True
    return first and _started_with() is not None


def close() -> None:
    """Look at a model again."""
    found: tuple[str, Source] | None = st.session_state.pop(_OPEN, None)
    st.session_state[_CLOSED] = found[0] if found else FILE


def upload(page: str) -> Source | None:
    """The place to open a file; gives it when it has just been opened."""
    limits: dict[str, Any] = {"max_upload_size": allowed.MOST_PUBLIC_UPLOAD} if is_public() else {}
    # The browser takes the old file out before it brings a new one, so an empty widget closes nothing.
    uploaded = st.file_uploader(
        _("A recorded trace, or arrays (.safetensors, .npz, .npy, .pt)"),
        type=TYPES,
        key=f"{page}:open",
        **limits,
    )
    sentence = allowed.sizes_sentence()
    if sentence:
        st.caption(sentence)
    if uploaded is None or uploaded.file_id in (st.session_state.get(_CLOSED), _open_id()):
        return None
    raw = uploaded.getvalue()
    try:
        allowed.check_bytes(len(raw))
        found = Source(_checked(trace.load(raw)), hashlib.sha256(raw).hexdigest(), uploaded.name)
    except InputError as error:
        complain(error)
        return None
    st.session_state[_OPEN] = (uploaded.file_id, found)
    return found


def _open_id() -> str | None:
    found: tuple[str, Source] | None = st.session_state.get(_OPEN)
    return found[0] if found else None


def _checked(found: Trace) -> Trace:
    if not found.roles():
        raise InputError(_m("The trace has no attentions; at least one was expected."))
    allowed.check_size(found)
    return found


def _started_with() -> Source | None:
    path = Path(os.environ.get(FILE) or "")
    if not path.name or is_public() or st.session_state.get(_CLOSED) == FILE:
        return None
    try:
        state = path.stat()
        found = _read(str(path), state.st_mtime_ns)
    except (OSError, InputError):
        # It was there when the app started; whoever removed it meanwhile knows.
        return None
    return Source(found, f"{path}\n{state.st_mtime_ns}", path.name)


@st.cache_resource(max_entries=1, show_spinner=False)
def _read(path: str, changed: int) -> Trace:  # noqa: ARG001 - another state of the file is another entry
    return _checked(trace.load(path))
