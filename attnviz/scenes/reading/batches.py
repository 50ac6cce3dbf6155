"""Rows that come in batches become one table, in compact columns."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.places import short
from attnviz.scenes.table import MOST_ROWS

# No id, class or name of a scene is longer.
MOST_SIGNS_OF_TEXT = 200

TOO_MANY_ROWS = _m("{file} has more than {most} rows of road users.")
NO_ROWS = _m("{file} has no rows; rows of road users were expected.")


def joined(batches: Iterable[pa.RecordBatch], file: str, texts: Sequence[str], *, first: int = 1) -> pd.DataFrame:
    """All rows: texts as categories in the order in which they appear, and `line`, which counts from `first`.

    Raises `InputError` for too many rows, none at all, or a text that is too long.
    """
    codes: dict[str, dict[str, int]] = {name: {} for name in texts}
    pieces: dict[str, list[np.ndarray]] = {}
    count = 0
    for batch in batches:
        count += batch.num_rows
        if count > MOST_ROWS:
            raise InputError(TOO_MANY_ROWS, file=file, most=MOST_ROWS)
        for name in batch.schema.names:
            column = batch.column(name)
            if name in codes:
                pieces.setdefault(name, []).append(_codes(column, codes[name], file, name))
            else:
                pieces.setdefault(name, []).append(column.to_numpy(zero_copy_only=False))
    if not count:
        raise InputError(NO_ROWS, file=file)
    columns: dict[str, object] = {}
    for name, parts in pieces.items():
        whole = np.concatenate(parts)
        columns[name] = categories(whole, codes[name]) if name in codes else whole
        parts.clear()
    return pd.DataFrame(columns | {"line": np.arange(first, first + count)})


def categories(codes: np.ndarray, names: Iterable[str]) -> pd.Categorical:
    """A column of texts, each of which is kept once."""
    return pd.Categorical.from_codes(codes.astype(np.int32), categories=pd.Index(list(names), dtype=object))


def one_text(text: str, rows: int) -> pd.Categorical:
    """A column that says the same in every row."""
    return categories(np.zeros(rows, dtype=np.int32), [text])


def _codes(column: pa.Array, known: dict[str, int], file: str, name: str) -> np.ndarray:
    """The number of each text; new ones are added to the known."""
    words = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
    own = []
    for word in words.dictionary.to_pylist():
        text = "" if word is None else str(word)
        if len(text) > MOST_SIGNS_OF_TEXT:
            raise InputError(
                _m("{file}: “{found}” in the column “{name}” is longer than {most} signs."),
                file=file,
                found=short(text),
                name=name,
                most=MOST_SIGNS_OF_TEXT,
            )
        own.append(known.setdefault(text, len(known)))
    if words.null_count:
        own.append(known.setdefault("", len(known)))
        places = words.indices.fill_null(len(own) - 1)
    else:
        places = words.indices
    found: np.ndarray = np.asarray(own, dtype=np.int32)[places.to_numpy(zero_copy_only=False)]
    return found
