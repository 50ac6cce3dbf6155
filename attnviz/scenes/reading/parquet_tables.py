"""Parquet files, batch by batch and with just the columns that are asked for."""

from collections.abc import Iterator, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.batches import TOO_MANY_ROWS, joined
from attnviz.scenes.reading.places import short
from attnviz.scenes.reading.source import Opened, Source
from attnviz.scenes.table import MOST_ROWS

MAGIC = b"PAR1"
BATCH_ROWS = 65_536
# What all columns may unpack to: 5 million rows of thirty numbers are less.
MOST_UNPACKED_BYTES = 2_000_000_000

DAMAGED = _m("{file} is cut short or damaged; a complete Parquet file was expected.")


def is_parquet(source: Source) -> bool:
    """Whether the file begins as Parquet files do."""
    return source.start.startswith(MAGIC)


def columns_of(source: Source) -> tuple[str, ...]:
    """The names of the columns. Raises `InputError` for damage."""
    with source.opened() as file:
        return _file(file, source)[1]


def metadata_of(source: Source, key: bytes) -> bytes | None:
    """What the file's own metadata say under this key."""
    with source.opened() as file:
        said: bytes | None = (_file(file, source)[0].schema_arrow.metadata or {}).get(key)
        return said


def read_columns(
    source: Source, *, numbers: Sequence[str], texts: Sequence[str] = (), flags: Sequence[str] = ()
) -> pd.DataFrame:
    """These columns of every row: numbers as float64, texts as categories, flags as booleans or None, and `line`.

    Raises `InputError` for a column that is missing or of another kind, too many rows, or damage.
    """
    wanted = (*numbers, *texts, *flags)
    with source.opened() as file:
        parquet, names = _file(file, source, texts)
        for name in wanted:
            if names.count(name) != 1:
                raise InputError(
                    _m("{file} has no column “{name}”; its columns are {found}."),
                    file=source.name,
                    name=name,
                    found=", ".join(short(found) for found in names[:8]),
                )
        _check_sizes(parquet, source)
        return joined(_batches(parquet, source, numbers, texts, flags), source.name, texts)


def _file(
    file: Opened, source: Source, texts: Sequence[str] = ()
) -> tuple["pyarrow.parquet.ParquetFile", tuple[str, ...]]:
    """The file, and the names of its columns."""
    try:
        # Texts stay in their dictionaries: a long one that stands in every row is held once.
        parquet = pyarrow.parquet.ParquetFile(file, read_dictionary=list(texts))
        return parquet, tuple(parquet.schema_arrow.names)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(DAMAGED, file=source.name) from error


def _check_sizes(parquet: "pyarrow.parquet.ParquetFile", source: Source) -> None:
    """What the file says of itself, before anything is unpacked.

    What it says of single columns is left alone: a damaged statement there ends the whole process (pyarrow 26).
    """
    about = parquet.metadata
    if about.num_rows > MOST_ROWS:
        raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_ROWS)
    size = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    if size > MOST_UNPACKED_BYTES:
        raise InputError(
            _m("{file} unpacks to {size} bytes; at most {most} were expected."),
            file=source.name,
            size=size,
            most=MOST_UNPACKED_BYTES,
        )


def _batches(
    parquet: "pyarrow.parquet.ParquetFile",
    source: Source,
    numbers: Sequence[str],
    texts: Sequence[str],
    flags: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    kinds = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(texts, pa.string()) | dict.fromkeys(flags, pa.bool_())
    try:
        for batch in parquet.iter_batches(batch_size=BATCH_ROWS, columns=list(kinds), use_threads=False):
            # Damage can leave texts that are none, and places in a dictionary that it does not have.
            batch.validate(full=True)
            yield pa.RecordBatch.from_arrays(
                [_cast(batch.column(name), kind, source, name) for name, kind in kinds.items()], names=list(kinds)
            )
    except (pa.ArrowException, OSError, OverflowError) as error:
        raise InputError(DAMAGED, file=source.name) from error


def _cast(column: pa.Array, kind: pa.DataType, source: Source, name: str) -> pa.Array:
    """The column as what it should be; texts may stay in a dictionary of texts."""
    if isinstance(column, pa.DictionaryArray):
        if kind == pa.string() and pa.types.is_string(column.type.value_type):
            return column
        column = column.dictionary_decode()
    number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    fits = {pa.float64(): number, pa.string(): number or text, pa.bool_(): pa.types.is_boolean(column.type)}[kind]
    if pa.types.is_null(column.type) and kind != pa.string():
        fits = True
    if not fits:
        raise InputError(
            _m("{file}: the column “{name}” holds {found}; {expected} was expected."),
            file=source.name,
            name=name,
            found=short(column.type),
            expected=str(kind),
        )
    return pyarrow.compute.cast(column, kind, safe=False)
