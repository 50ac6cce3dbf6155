"""What somebody asks to have followed or switched off, looked at before anything runs."""

import operator
from collections.abc import Iterable

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.blocks.graph import Place
from attnviz.recording.blocks.stream import Part

_MOST_QUOTED = 80


def positions_of(asked: object) -> tuple[int, ...] | None:
    """The positions; None for all. Raises `InputError` for what is no list of whole numbers."""
    if asked is None:
        return None
    try:
        return tuple(operator.index(one) for one in asked)  # type: ignore[attr-defined]  # what is not iterable ends below
    except TypeError as reason:
        raise InputError(
            _m("The positions are {found}; whole numbers in a list were expected."), found=repr(asked)[:_MOST_QUOTED]
        ) from reason


def places_of(off: Iterable[object]) -> list[Place]:
    """Where the parts are that are to be off. Raises `InputError` for what is no part."""
    places = []
    for one in off:
        place = one.place if isinstance(one, Part) else one
        if not isinstance(place, Place):
            raise InputError(
                _m("{found} is no part that can be off; one from an earlier run was expected."),
                found=repr(place)[:_MOST_QUOTED],
            )
        places.append(place)
    return places
