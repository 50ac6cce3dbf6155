"""Our own columns, as csv, Parquet or JSON: written and read back.

The rest of the scenes – the side that is driven on, origin, licence, road, signs, notes – is one JSON document: in csv
the first line, after “#attnviz ”; in Parquet metadata under “attnviz”; in JSON beside the “rows”. A table that somebody
else wrote needs no more than t, agent_id, class, x and y.
"""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import KINDS
from attnviz.scenes.reading import json_streams, parquet_tables, text_tables
from attnviz.scenes.reading.assembling import (
    check_moments,
    check_numbers,
    finished,
    with_ego,
    with_headings,
    with_sizes,
    with_velocities,
)
from attnviz.scenes.reading.batches import MOST_SIGNS_OF_TEXT, TOO_MANY_ROWS
from attnviz.scenes.reading.documents import KEY_TWICE, parsed
from attnviz.scenes.reading.places import Placed, Row, short
from attnviz.scenes.reading.rest import KEYS, Rest, rest_of
from attnviz.scenes.reading.source import Source
from attnviz.scenes.table import MOST_ROWS, Scenes

NEEDED = ("t", "agent_id", "class", "x", "y")
TEXTS = ("scene_id", "agent_id", "class")
FLAGS = ("is_ego", "valid", "visible", "assumed")
NUMBERS = ("t", "x", "y", "heading", "vx", "vy", "length", "width")
MARK = b"#attnviz "
KEY = b"attnviz"
WORDS = {"true": True, "false": False, "1": True, "0": False, "": None, "none": None}


def is_own(columns: Sequence[str]) -> bool:
    """Whether a table with these columns is one in our own."""
    return set(NEEDED) <= set(columns)


def is_own_json(source: Source) -> bool:
    """Whether the file is JSON with rows in our own columns: an object with them, or the list of them alone."""
    start = source.text
    if not start.startswith((b"{", b"[")):
        return False
    if start.startswith(b"{"):
        return any(key in ("rows", "attnviz") for key in json_streams.top_keys(source))
    try:
        first = next(iter(_objects(source, "item")), None)
    except InputError:
        # Damaged in its first row: reading says where.
        return all(b'"%s"' % name.encode() in start for name in NEEDED)
    return isinstance(first, dict) and is_own(tuple(first))


def read_text(source: Source, header: text_tables.Header, ego: str | None) -> Scenes:
    """Scenes in csv. Raises `EgoMissing` where no column says who the ego is, `InputError` for damage."""
    numbers = [name for name in NUMBERS if name in header.names]
    texts = [name for name in (*TEXTS, *FLAGS) if name in header.names]
    raw = text_tables.read_columns(source, header, numbers=numbers, texts=texts)
    for name in FLAGS:
        if name in raw:
            raw[name] = _flags(raw, name, text_tables.lines_in(source, header))
    rest = _rest_of_text(source)
    rest = replace(rest, notes=(*rest.notes, *text_tables.notes_on_end(source)))
    return _scenes(raw, rest, ego, source.name, text_tables.lines_in(source, header))


def read_parquet(source: Source, ego: str | None) -> Scenes:
    """Scenes in Parquet."""
    columns = parquet_tables.columns_of(source)
    raw = parquet_tables.read_columns(
        source,
        numbers=[name for name in NUMBERS if name in columns],
        texts=[name for name in TEXTS if name in columns],
        flags=[name for name in FLAGS if name in columns],
    )
    said = parquet_tables.metadata_of(source, KEY)
    rest = Rest(origin=source.name) if said is None else rest_of(parsed(said, source.name), source.name)
    return _scenes(raw, rest, ego, source.name, lambda row: Row(source.name, row))


def read_json(source: Source, ego: str | None) -> Scenes:
    """Scenes in JSON: rows as they come, everything else first or last."""
    listed = source.text.startswith(b"[")
    values: dict[str, list[Any]] = {}
    count = 0
    for count, item in enumerate(_objects(source, "item" if listed else "rows.item"), 1):
        if isinstance(item, dict) and not item.keys() <= values.keys():
            # A key may appear later than in the first row: a writer may leave out what is nothing.
            for name in (*TEXTS, *NUMBERS, *FLAGS):
                if name in item and name not in values:
                    values[name] = [_cell({}, name, Row(source.name, row)) for row in range(1, count)]
        if count > MOST_ROWS:
            raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_ROWS)
        for name, column in values.items():
            column.append(_cell(item, name, Row(source.name, count)))
    if not count or not is_own(tuple(values)):
        raise InputError(
            _m("{file} has no rows with the keys {expected}, which were expected."),
            file=source.name,
            expected=", ".join(NEEDED),
        )
    columns: dict[str, Any] = {}
    for name, column in values.items():
        columns[name] = np.array(column, dtype=object if name in FLAGS else None)
        column.clear()
    raw = pd.DataFrame(columns).assign(line=np.arange(1, count + 1))
    rest = Rest(origin=source.name) if listed else rest_of(_document_without_rows(source), source.name)
    return _scenes(raw, rest, ego, source.name, lambda row: Row(source.name, row))


def _scenes(raw: pd.DataFrame, rest: Rest, ego: str | None, file: str, place: Placed) -> Scenes:
    notes = list(rest.notes)
    frame = raw if "scene_id" in raw else raw.assign(scene_id="scene")
    unknown = next((word for word in frame["class"].unique() if word not in KINDS), None)
    if unknown is not None:
        row = int((frame["class"] == unknown).to_numpy().argmax())
        raise InputError(
            _m("{place}: the class “{found}” was read; one of {expected} was expected."),
            place=place(int(frame["line"].iloc[row])),
            found=short(unknown),
            expected=", ".join(KINDS),
        )
    check_numbers(frame, place)
    check_moments(frame, place)
    said = (
        frame["assumed"].fillna(False).to_numpy(dtype=bool) if "assumed" in frame else np.zeros(len(frame), dtype=bool)
    )
    frame = with_sizes(frame, notes)
    frame = frame.assign(assumed=frame["assumed"].to_numpy(dtype=bool) | said)
    frame = with_headings(with_velocities(frame, notes), notes)
    for name, nothing in (("valid", True), ("is_ego", False)):
        if name in frame:
            frame[name] = frame[name].fillna(nothing).astype(bool)
    if ego is not None or "is_ego" not in frame:
        frame = with_ego(frame, ego, file)
    table = finished(frame)
    if "assumed" not in raw and not table["assumed"].any():
        table = table.drop(columns="assumed")
    return Scenes(
        table, rest.traffic, rest.origin, rest.licence, rest.road,
        rest.signs, tuple(notes),
    )  # fmt: skip


def _flags(raw: pd.DataFrame, name: str, place: Placed) -> np.ndarray:
    """True, False or None for each row of a column of words."""
    words = raw[name].cat
    for word in words.categories:
        if word.strip().lower() not in WORDS:
            row = int((raw[name] == word).to_numpy().argmax())
            raise InputError(
                _m("{place}: “{found}” was read in the column “{name}”; true, false or nothing was expected."),
                place=place(int(raw["line"].iloc[row])),
                found=short(word),
                name=name,
            )
    found = np.array([WORDS[word.strip().lower()] for word in words.categories], dtype=object)
    return found[words.codes.to_numpy()]


def _cell(item: Any, name: str, place: Row) -> Any:
    """A value of a row of JSON, of the kind that its column has."""
    value = item.get(name) if isinstance(item, dict) else None
    if name in TEXTS and isinstance(value, (str, int)) and not isinstance(value, bool):
        if len(str(value)) <= MOST_SIGNS_OF_TEXT:
            return str(value)
    elif name in FLAGS and (value is None or isinstance(value, bool)):
        return value
    elif name in NUMBERS and (value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))):
        with contextlib.suppress(OverflowError):
            return math.nan if value is None else float(value)
    raise InputError(
        _m("{place}: “{found}” was read as “{name}”; another kind of value was expected."),
        place=place,
        found=short(value),
        name=name,
    )


def _objects(source: Source, prefix: str) -> Iterator[Any]:
    return json_streams.items(source, prefix, lambda count: Row(source.name, count))


def _document_without_rows(source: Source) -> dict[str, Any]:
    """Everything of a JSON document but its rows, which may be many."""
    keys = list(json_streams.top_keys(source))
    twice = next((key for key in (*KEYS, "rows") if keys.count(key) > 1), None)
    if twice is not None:
        raise InputError(KEY_TWICE, place=source.name, name=twice)
    found = {key: next(iter(_objects(source, key)), None) for key in KEYS}
    return {key: value for key, value in found.items() if value is not None}


def _rest_of_text(source: Source) -> Rest:
    with source.opened_text() as file:
        if file.read(len(MARK)) != MARK:
            return Rest(origin=source.name)
        line = file.readline(text_tables.MOST_COMMENT_BYTES)
    return rest_of(parsed(line, source.name), source.name)
