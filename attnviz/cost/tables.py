"""How the tables that come with attnviz are read: TOML, every value checked."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Entry = TypeVar("Entry", bound=BaseModel)


def read(path: Path, entry: type[Entry]) -> dict[str, Entry]:
    """The entries of a table by their short names. Raises `InputError` where the file holds something else."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        return TypeAdapter(dict[str, entry]).validate_python(found)  # type: ignore[valid-type]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as reason:
        raise InputError(_m("{path} could not be read as a table."), path=path.name) from reason
    except ValidationError as reason:
        first = reason.errors(include_url=False)[0]
        if isinstance(inner := first.get("ctx", {}).get("error"), InputError):
            raise inner from reason
        raise InputError(
            _m("{path}: at {where} there is no value that such a table can have."),
            path=path.name, where=" › ".join(str(part) for part in first["loc"]),
        ) from reason  # fmt: skip
