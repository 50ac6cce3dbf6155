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

KEY_TWICE = _m("{place}: an object has two keys “{name}”; one was expected.")


class _KeyTwiceError(ValueError):
    """Which of two keys of one name in one object holds, nobody can tell."""


def document_of(source: Source) -> Any:
    """What the file holds. Raises `InputError` where it is no JSON, or too large."""
    return parsed(source.content(), source.name)


def parsed(raw: bytes | str, file: str) -> Any:
    """What the text holds. Raises `InputError` where it is no JSON, or an object has two keys of one name."""
    try:
        return json.loads(raw, object_pairs_hook=_object)
    except _KeyTwiceError as error:
        raise InputError(KEY_TWICE, place=file, name=short(error)) from error
    except json.JSONDecodeError as error:
        raise InputError(
            _m("{file}, line {line}, column {column}: the JSON is cut short or damaged."),
            file=file,
            line=error.lineno,
            column=error.colno,
        ) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(_m("{file} is no JSON in UTF-8."), file=file) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _KeyTwiceError(next(name for name in names if names.count(name) > 1))
    return found


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


def is_number(found: object, most: float = 1e8) -> bool:
    """Whether it is a number that is no larger than `most`, either way; NaN is none."""
    return isinstance(found, (int, float)) and not isinstance(found, bool) and -most <= found <= most


def _number(found: Any) -> float:
    if not is_number(found):
        raise TypeError
    return float(found)
