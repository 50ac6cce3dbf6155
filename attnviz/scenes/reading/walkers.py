"""ETH and UCY: pedestrians seen from above, a line of text for each and each moment.

After agrimgupta92/sgan, datasets: frame, pedestrian, x, y (m), with tabs or spaces between them; ten frames are 0.4 s.
"""

import math

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.assembling import assembled, finished, lines_of, with_ego
from attnviz.scenes.reading.batches import TOO_MANY_ROWS, one_text
from attnviz.scenes.reading.places import Line, short, written
from attnviz.scenes.reading.source import Source
from attnviz.scenes.reading.text_tables import notes_on_end
from attnviz.scenes.table import MOST_ROWS, Scenes
from attnviz.trace import Note

SECONDS_A_FRAME = 0.04
MOST_LINE_BYTES = 1_000
CELLS = 4


def is_walkers(source: Source) -> bool:
    """Whether the first line with something in it is four numbers."""
    lines = source.text.split(b"\n")
    first = next((line for line in lines if line.strip()), b"")
    cells = first.split()
    return len(first) <= MOST_LINE_BYTES and len(cells) == CELLS and all(_is_number(cell) for cell in cells)


def read(source: Source, ego: str | None) -> Scenes:
    """The pedestrians. Raises `EgoMissing` without an ego, `InputError` for a line that is none."""
    numbers: list[tuple[float, float, float]] = []
    ids: list[str] = []
    lines: list[int] = []
    with source.opened_text() as file:
        for number, line in enumerate(iter(lambda: file.readline(MOST_LINE_BYTES + 1), b""), 1):
            if not line.strip():
                continue
            cells = line.split()
            if len(line) > MOST_LINE_BYTES or not _is_one(cells):
                raise InputError(
                    _m("{place}: “{found}” was read; a frame, a pedestrian, x and y were expected."),
                    place=Line(source.name, number),
                    found=short(line[:100].decode("utf-8", "replace")),
                )
            if len(lines) >= MOST_ROWS:
                raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_ROWS)
            numbers.append((float(cells[0]), float(cells[2]), float(cells[3])))
            ids.append(_id(cells[1]))
            lines.append(number)
    frames, x, y = np.array(numbers).T
    frame = pd.DataFrame(
        {
            "scene_id": one_text("scene", len(ids)),
            "agent_id": pd.Categorical(ids, categories=list(dict.fromkeys(ids))),
            "class": one_text("pedestrian", len(ids)),
            "t": np.round(frames * SECONDS_A_FRAME, 6),
            "x": x,
            "y": y,
            "line": lines,
        }
    )
    notes = [*notes_on_end(source), Note(_m("Ten frames are taken for 0.4 s; the file itself says nothing of time."))]
    table = finished(with_ego(assembled(frame, lines_of(source.name), notes), ego, source.name))
    return Scenes(table, origin=f"ETH / UCY: {source.name}", notes=tuple(notes))


def _is_one(cells: list[bytes]) -> bool:
    """Whether these are a frame, an id, x and y."""
    return len(cells) == CELLS and all(_is_number(cell) for cell in cells) and math.isfinite(float(cells[1]))


def _is_number(cell: bytes) -> bool:
    """Also “nan” and “inf”, which are then refused with the place where they stand."""
    text = cell.decode("ascii", "replace")
    return text.lower() == "nan" or not math.isnan(written(text))


def _id(cell: bytes) -> str:
    """Ids are written as 1.0 in some files. Digits stay as they are: a float would not keep the last of many."""
    whole, _, part = cell.decode("ascii").partition(".")
    return str(int(whole)) if whole.isdigit() and not part.strip("0") else cell.decode("ascii")
