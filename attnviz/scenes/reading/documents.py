"""JSON that is read as a whole: maps and other small files."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.places import Element, short
from attnviz.scenes.reading.source import Source


def document_of(source: Source) -> Any:
    """What the file holds. Raises `InputError` where it is no JSON, or too large."""
    return parsed(source.content(), source.name)


def parsed(raw: bytes | str, file: str) -> Any:
    """What the text holds. Raises `InputError` where it is no JSON."""
    try:
        return json.loads(raw)
    except json.JSONDecodeError as error:
        raise InputError(
            _m("{file}, line {line}, column {column}: the JSON is cut short or damaged."),
            file=file,
            line=error.lineno,
            column=error.colno,
        ) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(_m("{file} is no JSON in UTF-8."), file=file) from error


def line_of(found: Any, place: Element, axes: Sequence[str] | Sequence[int] = ("x", "y")) -> Float[np.ndarray, "n 2"]:
    """A line of points, each an object with x and y. Raises `InputError` for anything else."""
    if not isinstance(found, list):
        raise InputError(_m("{place} holds “{found}”; a list of points was expected."), place=place, found=short(found))
    try:
        points = [[_number(point[axis]) for axis in axes] for point in found]
    except (TypeError, KeyError, IndexError) as error:
        raise InputError(
            _m("{place} has a point that is none; x and y in metres were expected."), place=place
        ) from error
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def _number(found: object) -> float:
    """A number within a hundred thousand kilometres; anything else is no point."""
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not -1e8 <= found <= 1e8:
        raise TypeError
    return float(found)
