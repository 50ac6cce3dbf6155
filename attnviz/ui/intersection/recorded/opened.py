"""Scene files that a person brings: read once, kept in the session, the ego asked for where nobody says who it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.scenes import EgoMissing, Scenes, read
from attnviz.ui.page import complain, is_public, plain

MOST_PUBLIC_MEGABYTES = 5
_KEY = "intersection:scenes"
MOST_CANDIDATES = 500


@dataclass(frozen=True, eq=False)
class Opened:
    """What was read of some files. candidates: who may be the ego, where that has to be said; then scenes is None."""

    key: str
    scenes: Scenes | None
    candidates: tuple[str, ...]
    error: InputError | None


def opened() -> Scenes | None:
    """Asks for files and, where needed, for the ego; None until there are scenes."""
    limits: dict[str, Any] = {"max_upload_size": MOST_PUBLIC_MEGABYTES} if is_public() else {}
    files = st.file_uploader(
        _("Scene files: the tracks, and the map or tables that belong to them"), accept_multiple_files=True,
        key="intersection:files", **limits,
    )  # fmt: skip
    st.caption(
        _(
            "Argoverse 2, INTERACTION, inD, rounD, highD, CommonRoad, nuScenes tables, ETH/UCY, Waymo Open Motion, or a table in "
            "our own columns; recognised from the content. The files stay in this session, nothing is kept."
        )
    )
    with st.container():
        if not files:
            return None
        key = " ".join(file.file_id for file in files)
        found: Opened | None = st.session_state.get(_KEY)
        if found is None or found.key != key:
            found = _read(key, [(file.name, file.getvalue()) for file in files], None)
            st.session_state[_KEY] = found
        if found.candidates:
            found = _with_ego(found, files)
        # Who is asked for the ego and has not answered yet has done nothing wrong.
        complain(None if found.candidates else found.error)
        return found.scenes


def _with_ego(found: Opened, files: Sequence[Any]) -> Opened:
    """The same with whom a person says is the ego."""
    chosen = st.selectbox(
        _("Which road user is the ego?"), found.candidates[:MOST_CANDIDATES], index=None, key="intersection:which-ego",
        placeholder=_("Nobody in this file is marked as the ego."), accept_new_options=True,
    )  # fmt: skip
    if chosen is None:
        return found
    read_again = _read(found.key, [(file.name, file.getvalue()) for file in files], str(chosen))
    if read_again.scenes is not None:
        st.session_state[_KEY] = read_again
    return replace(read_again, candidates=())


def _read(key: str, files: Sequence[tuple[str, bytes]], ego: str | None) -> Opened:
    """The largest file that can be read with the others beside it; what is wrong with the largest, if none can."""
    ordered = sorted(files, key=lambda file: -len(file[1]))
    first: InputError | None = None
    for place, (name, raw) in enumerate(ordered):
        others = [BytesIO(other) for number, (_name, other) in enumerate(ordered) if number != place]
        try:
            scenes = read(raw, ego=ego, name=name, companions=others)
        except EgoMissing as missing:
            return Opened(key, None, missing.candidates, missing)
        except InputError as error:
            first = first or error
        else:
            if ego is None and not scenes.table["is_ego"].astype(bool).any():  # a column that says so of nobody
                ids = scenes.table["agent_id"].drop_duplicates().astype(str)
                return Opened(key, None, tuple(ids[:MOST_CANDIDATES]), None)
            return Opened(key, scenes, (), None)
    return Opened(key, None, (), first)


def told(scenes: Scenes) -> None:
    """Where the scenes come from, and what was assumed in reading them."""
    said = [plain(scenes.origin)] if scenes.origin else []
    if scenes.licence:
        said.append(plain(scenes.licence))
    sides = {"left": _("left-hand traffic"), "right": _("right-hand traffic"), None: _("side of traffic unknown")}
    said.append(sides[scenes.traffic])
    st.caption(" · ".join(said))
    with st.container():
        for note in scenes.notes:
            st.caption("• " + plain(str(note)))
