"""Traffic lights, stop lines and speed limits of a scene: one row each, with an id."""

from typing import Literal, get_args

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m

SignClass = Literal["traffic-light", "stop-line", "speed-limit"]
State = Literal["red", "amber", "green", "arrow", "off", "unknown"]
SIGN_CLASSES: tuple[SignClass, ...] = get_args(SignClass)
STATES: tuple[State, ...] = get_args(State)
SIGN_COLUMNS = ("scene_id", "t", "sign_id", "class", "x", "y", "heading", "state", "limit")
MOST_SIGN_ROWS = 1_000_000


def no_signs() -> pd.DataFrame:
    """A table of signs without a row."""
    text = ("scene_id", "sign_id", "class", "state")
    return pd.DataFrame({name: pd.Series(dtype=object if name in text else np.float64) for name in SIGN_COLUMNS})


def check(signs: pd.DataFrame) -> None:
    """Refuse a table of signs that is none.

    Columns: scene_id, t (s; NaN for what stands during the whole scene), sign_id, class, x, y (m), heading (rad: the
    direction of travel of those whom it concerns; NaN where nobody knows), state (of a traffic light; "arrow" is a
    green arrow; None for the others), limit (m/s; NaN for what is no speed limit). Raises `InputError`.
    """
    missing = [name for name in SIGN_COLUMNS if name not in signs]
    if missing:
        raise InputError(_m("The table of signs has no column “{name}”."), name=missing[0])
    if len(signs) > MOST_SIGN_ROWS:
        raise InputError(
            _m("The table of signs has {found} rows; at most {most} were expected."),
            found=len(signs),
            most=MOST_SIGN_ROWS,
        )
    for name in ("x", "y"):
        if not np.isfinite(signs[name].to_numpy(dtype=np.float64)).all():
            raise InputError(_m("The column “{name}” of the table of signs holds what is no number."), name=name)
    if np.isinf(signs["t"].to_numpy(dtype=np.float64)).any():
        raise InputError(_m("The column “{name}” of the table of signs holds what is no number."), name="t")
    _check_words(signs["class"], "class", SIGN_CLASSES)
    _check_words(signs["state"][signs["state"].notna()], "state", STATES)
    if signs.duplicated(["scene_id", "t", "sign_id"]).any():
        name = signs.loc[signs.duplicated(["scene_id", "t", "sign_id"]), "sign_id"].iloc[0]
        raise InputError(_m("The sign “{name}” has two rows for the same moment."), name=str(name)[:40])


def mirrored(signs: pd.DataFrame) -> pd.DataFrame:
    """The signs with x exchanged for −x."""
    return signs.assign(x=-signs["x"], heading=np.pi - signs["heading"])


def _check_words(found: pd.Series, column: str, expected: tuple[str, ...]) -> None:
    unknown = sorted(set(found.map(str)) - set(expected))
    if unknown:
        raise InputError(
            _m("“{found}” in the column “{column}” of the table of signs is unknown; expected is one of {expected}."),
            found=unknown[0][:40],
            column=column,
            expected=", ".join(expected),
        )
