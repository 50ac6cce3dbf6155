"""Comma-separated tables, block by block and with just the columns that are asked for."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pyarrow.csv

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.batches import joined
from attnviz.scenes.reading.places import Line, Placed, short
from attnviz.scenes.reading.source import Source
from attnviz.trace import Note

# What is longer than a block is refused: no line of a table of road users is.
BLOCK_BYTES = 1 << 20
MOST_LINE_BYTES = 16_384
MOST_COLUMNS = 300
MOST_COMMENTS = 20
MOST_COMMENT_BYTES = 64_000_000
NOTHING = ("", "nan", "NaN", "NA")

_ROW = re.compile(r"Row #(\d+)")
_COLUMN = re.compile(r"column #(\d+)")
_VALUE = re.compile(r"invalid value '(.*)'", re.DOTALL)
_CELLS = re.compile(r"Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True)
class Header:
    """The names of the columns, and in which line of the file, counted from 1, they stand."""

    names: tuple[str, ...]
    line: int


def header_of(source: Source) -> Header | None:
    """The names in the first line that is no comment; None where it is no line of text with commas in it."""
    number = 1
    with source.opened_text() as file:
        line = file.readline(MOST_COMMENT_BYTES)
        while line.startswith(b"#") and number <= MOST_COMMENTS:
            line = file.readline(MOST_COMMENT_BYTES)
            number += 1
    if not line or len(line) > MOST_LINE_BYTES:
        return None
    try:
        text = line.decode("utf-8").strip()
        names = next(csv.reader([text], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return None
    if not 1 < len(names) <= MOST_COLUMNS or not text.isprintable():
        return None
    return Header(tuple(name.strip() for name in names), number)


def read_columns(source: Source, header: Header, *, numbers: Sequence[str], texts: Sequence[str] = ()) -> pd.DataFrame:
    """These columns of every row: numbers as float64 (NaN where nothing stands), texts as categories, and `line`.

    Raises `InputError` for a column that is missing or there twice, for what is no number, a row with more or fewer
    cells than the header, a line that is too long, a text that is not UTF-8, or too many rows.
    """
    for name in (*numbers, *texts):
        if header.names.count(name) != 1:
            raise _column_error(source, header, name)
    return joined(_batches(source, header, numbers, texts), source.name, texts, first=header.line + 1)


def lines_in(source: Source, header: Header) -> Placed:
    """Places of the rows by their count: the parser passes over empty lines and does not count them."""
    return lambda counted: Line(source.name, _line_of(source, header, counted))


def _line_of(source: Source, header: Header, counted: int) -> int:
    left = counted - header.line
    with source.opened() as file:
        for number, line in enumerate(iter(lambda: file.readline(MOST_COMMENT_BYTES), b""), 1):
            if number > header.line and line.strip(b"\r\n"):
                left -= 1
                if left == 0:
                    return number
    return counted


def notes_on_end(source: Source) -> list[Note]:
    """A note where the last line has no end: whether it is whole, nobody can tell."""
    with source.opened() as file:
        file.seek(-1, 2)
        if file.read(1) in (b"\n", b"\r"):
            return []
    return [Note(_m("The last line of the file has no end; the file may be cut short."))]


def _column_error(source: Source, header: Header, name: str) -> InputError:
    if name in header.names:
        return InputError(_m("{file} has two columns “{name}”; one was expected."), file=source.name, name=name)
    return InputError(
        _m("{file} has no column “{name}”; its columns are {found}."),
        file=source.name,
        name=name,
        found=", ".join(short(found) for found in header.names[:8]),
    )


def _batches(source: Source, header: Header, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
    kinds = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(texts, pa.dictionary(pa.int32(), pa.string()))
    with source.opened() as file:
        for _ in range(header.line):
            file.readline(MOST_COMMENT_BYTES)
        try:
            yield from pyarrow.csv.open_csv(
                file,
                read_options=pyarrow.csv.ReadOptions(
                    use_threads=False,
                    block_size=BLOCK_BYTES,
                    column_names=_unique(header.names),
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=kinds,
                    include_columns=list(kinds),
                    null_values=list(NOTHING),
                    strings_can_be_null=False,
                ),
            )
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _sentence(source, header, str(error)) from error


def _unique(names: Sequence[str]) -> list[str]:
    """Names of which none is there twice; a second one, which is not asked for, gets another."""
    return [name if name not in names[:place] else f"{name}\0{place}" for place, name in enumerate(names)]


def _sentence(source: Source, header: Header, said: str) -> InputError:
    """What the parser says, in our words; where it names a row, with the line of the file."""
    row, value, cells = _ROW.search(said), _VALUE.search(said), _CELLS.search(said)
    place = lines_in(source, header)(header.line + int(row[1]) if row else 0)
    if cells and row:
        return InputError(
            _m("{place}: {found} cells were read; {expected} were expected, as many as in the header."),
            place=place,
            found=cells[2],
            expected=cells[1],
        )
    column = _COLUMN.search(said)
    if value and column and row:
        return InputError(
            _m("{place}: “{found}” was read in the column “{name}”; a number was expected."),
            place=place,
            found=short(value[1]),
            name=short(header.names[int(column[1])]),
        )
    if "UTF8" in said or "utf-8" in said.lower():
        return InputError(_m("{file} is no text in UTF-8; a table of text was expected."), file=source.name)
    if "straddl" in said:
        return InputError(
            _m("{file} has a line of more than {most} bytes; rows of road users were expected."),
            file=source.name,
            most=BLOCK_BYTES,
        )
    if "Empty CSV" in said:
        return InputError(_m("{file} has no rows; rows of road users were expected."), file=source.name)
    return InputError(_m("{file} is cut short or damaged; a complete table of text was expected."), file=source.name)
