"""Scenes into a file: csv, Parquet or JSON in our own columns, written beside and moved into place."""

import contextlib
import json
import secrets
from os import PathLike
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading import rest
from attnviz.scenes.reading.own import FLAGS, KEY, MARK, TEXTS
from attnviz.scenes.reading.places import short
from attnviz.scenes.table import COLUMNS, Scenes


def write(scenes: Scenes, path: str | PathLike[str]) -> None:
    """Write scenes beside their place and move them there; the name's end says how: .csv, .parquet or .json.

    Raises `InputError` for another end, and where nothing can be written.
    """
    place = Path(path)
    writers = {".csv": _write_text, ".parquet": _write_parquet, ".json": _write_json}
    if place.suffix not in writers or not place.parent.is_dir() or place.is_dir():
        raise InputError(
            _m(
                "{file} is no place for scenes; a file name that ends in {ends}, in a folder that exists, was expected."
            ),
            file=short(place.name),
            ends=", ".join(writers),
        )
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        writers[place.suffix](scenes, beside)
        beside.replace(place)
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(_m("{file} could not be written: {reason}."), file=short(place.name), reason=reason) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def _table(scenes: Scenes) -> pd.DataFrame:
    return scenes.table[[*COLUMNS, *(["assumed"] if "assumed" in scenes.table else [])]]


def _write_text(scenes: Scenes, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(MARK.decode() + json.dumps(rest.document_of(scenes), ensure_ascii=False) + "\n")
        _table(scenes).to_csv(file, index=False, lineterminator="\n")


def _write_parquet(scenes: Scenes, path: Path) -> None:
    flags = {name: "boolean" for name in FLAGS if name in scenes.table}
    texts = dict.fromkeys(TEXTS, "category")
    table = pa.Table.from_pandas(_table(scenes).astype(flags | texts), preserve_index=False)
    said = {KEY: json.dumps(rest.document_of(scenes), ensure_ascii=False).encode()}
    pyarrow.parquet.write_table(table.replace_schema_metadata(said), path)


def _write_json(scenes: Scenes, path: Path) -> None:
    text = json.dumps({"attnviz": "scenes"} | rest.document_of(scenes), ensure_ascii=False)
    with path.open("w", encoding="utf-8") as file:
        file.write(text[:-1] + ', "rows": [\n')
        table = _table(scenes)
        names = list(table.columns)
        for number, row in enumerate(table.itertuples(index=False, name=None)):
            cells = json.dumps(dict(zip(names, map(rest.plain, row), strict=True)), ensure_ascii=False)
            file.write((",\n" if number else "") + cells)
        file.write("\n]}\n")
