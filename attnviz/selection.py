"""What is looked at: a role, a layer, a head, an item, a query, a key."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from attnviz.attention import ROLES, Role
from attnviz.base.errors import InputError
from attnviz.base.language import _m

Together = Literal["mean", "maximum"]
TOGETHER: tuple[Together, ...] = get_args(Together)

# No model has as many layers, heads, items or tokens; a larger number can only be a slip or an attack.
LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Selection:
    """What is looked at in a trace: small and hashable, the key of a cache and the content of an address.

    `head` is one head, counted from 0, or all heads together by their mean or maximum. `query` and `key`
    are positions, None where none is chosen. `hide_special` leaves out [CLS], </s> and their like.
    """

    role: Role = "encoder"
    layer: int = 0
    head: int | Together = 0
    item: int = 0
    query: int | None = None
    key: int | None = None
    hide_special: bool = False

    def to_json(self) -> dict[str, str | int | bool | None]:
        """The selection as plain values, one for each field."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: object) -> "Selection":
        """The selection that `to_json` wrote; a field that is left out has its default.

        Raises `InputError` for anything else: an unknown field, another type, a negative or absurd number.
        """
        if not isinstance(data, Mapping):
            raise InputError(_m("A selection is a set of named values; {found} was found."), found=_short(data))
        known = {field.name for field in fields(cls)}
        for name, value in data.items():
            if name not in known:
                raise InputError(_m("A selection has no field “{name}”."), name=_short(name))
            if not _fits(name, value):
                raise InputError(
                    _m("The field “{name}” of a selection cannot be {found}."), name=name, found=_short(value)
                )
        return cls(**data)


def _fits(name: str, value: Any) -> bool:
    if name == "role":
        return isinstance(value, str) and value in ROLES
    if name == "hide_special":
        return isinstance(value, bool)
    if name == "head" and isinstance(value, str):
        return value in TOGETHER
    if value is None:
        return name in ("query", "key")
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _short(value: object) -> str:
    return repr(value)[:60]
