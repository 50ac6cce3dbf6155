"""How the state of a page becomes one parameter of its address, or a view file, and back."""

import base64
import codecs
import json
import zlib
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m

PARAMETER = "view"
ADDRESS_LIMIT = 8 * 1024
"""Longest parameter, in characters, that browsers and servers on the way are trusted with."""
FILE_LIMIT = 1024 * 1024
"""Largest view, in bytes of JSON: bounds what a compressed address or a file may expand to."""

V = TypeVar("V", bound="View")


class View(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """What a page shows, as a small frozen value; each page has a subclass with its own `page`."""

    page: str

    def summary(self) -> str:
        """In a few words what is shown, to tell one view of the page from another."""
        return ""


def encode(view: View) -> str:
    """The view as text for an address: JSON without defaults, compressed, base64url."""
    packed = zlib.compress(to_json(view).encode(), 9)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def decode(text: str, kind: type[V]) -> V | None:
    """The view that an address holds; None when it is another page's view.

    Raises `InputError` when the text is damaged, too large, or holds what no page can show.
    """
    if len(text) > ADDRESS_LIMIT:
        raise InputError(
            _m("The address holds {found} characters of view; at most {limit} were expected."),
            found=len(text),
            limit=ADDRESS_LIMIT,
        )
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(packed, FILE_LIMIT)
        whole = unpacker.eof and isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError, zlib.error):
        whole = False
    if not whole:
        raise InputError(_m("The view in the address is damaged; the page shows its start instead."))
    return from_json(raw, kind)


def to_json(view: View) -> str:
    """The view as JSON, what a view file holds; what equals the default is left out, the page is kept."""
    body = view.model_dump_json(exclude_defaults=True)
    page = f'"page":"{view.page}"'
    if page in body:
        return body
    return "{" + page + ("," if body != "{}" else "") + body[1:]


def from_json(raw: bytes, kind: type[V]) -> V | None:
    """The view that a file holds; None when it is another page's view. Raises `InputError`."""
    if len(raw) > FILE_LIMIT:
        raise InputError(
            _m("The view file has {found} bytes; at most {limit} were expected."),
            found=len(raw),
            limit=FILE_LIMIT,
        )
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if page_of(raw) != kind.model_fields["page"].default:
        return None
    try:
        return kind.model_validate_json(raw)
    except ValidationError as reason:
        raise complaint(reason) from reason


def page_of(raw: bytes) -> str:
    """Which page a view belongs to. Raises `InputError` when it is no view at all."""

    class Any(BaseModel, extra="ignore"):
        page: str

    try:
        return Any.model_validate_json(raw).page
    except ValidationError as reason:
        raise complaint(reason) from reason


# pydantic's kinds of error, as a person would say them.
_PROBLEMS = {
    "missing": _m("nothing was read where a value was expected"),
    "finite_number": _m("a finite number was expected, not NaN or infinity"),
    "float_parsing": _m("a number was expected"),
    "float_type": _m("a number was expected"),
    "string_type": _m("text was expected"),
    "dict_type": _m("an object was expected"),
    "model_type": _m("an object was expected"),
    "tuple_type": _m("a list was expected"),
    "int_parsing": _m("a whole number was expected"),
    "int_type": _m("a whole number was expected"),
    "json_invalid": _m("JSON was expected"),
    "too_long": _m("it is longer than a page can show"),
    "too_short": _m("it is empty"),
    "string_too_long": _m("the text is longer than a page can show"),
    "extra_forbidden": _m("this name is not known"),
}

_OTHER = _m("another value was expected")


def problem(kind: str) -> str:
    """One of pydantic's kinds of error in a few words."""
    return _(_PROBLEMS.get(kind, _OTHER))


def complaint(reason: ValidationError) -> InputError:
    """The first of pydantic's errors as one sentence."""
    errors = reason.errors(include_url=False)
    first = next((error for error in errors if error["type"] != "missing"), errors[0])
    context = first.get("ctx", {}).get("error")
    if isinstance(context, InputError):
        return context
    return InputError(
        _m("The view cannot be shown; at {where}: {problem}."),
        where=" › ".join(str(part) for part in first["loc"]) or "JSON",
        problem=problem(first["type"]),
    )
