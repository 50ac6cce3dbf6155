"""Which language is spoken, and how a message is said in it.

The English sentence is the message id (GNU gettext's usual way). Catalogues are the `.po` files in
`attnviz/base/locale`; they are read as they are, so there is no compiled copy to fall behind.
"""

import functools
import gettext
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import ParamSpec, TypeVar

LANGUAGES = {"en": "English", "ja": "日本語", "ru": "Русский"}
CATALOGUES = Path(__file__).parent / "locale"

_current: ContextVar[str] = ContextVar("attnviz_language", default="en")

P = ParamSpec("P")
R = TypeVar("R")


def current() -> str:
    """The code of the current language: "en", "ja" or "ru"."""
    return _current.get()


def choose(code: str) -> None:
    """Speak this language from here on, in this thread and in what `carry` sends elsewhere.

    An unknown code, for example from a tampered address, means English.
    """
    _current.set(code if code in LANGUAGES else "en")


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak this language within the block."""
    token = _current.set(code if code in LANGUAGES else "en")
    try:
        yield
    finally:
        _current.reset(token)


def carry(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, speaking the language that is current now, in whatever thread it is called."""
    context = copy_context()

    @functools.wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(function, *args, **kwargs)

    return inside


def translate(message: str, /, **fields: object) -> str:
    """The message in the current language, with its `{fields}` filled in."""
    said = _catalogue(current()).gettext(message) if message else ""
    return said.format(**fields) if fields else said


def translate_count(singular: str, plural: str, count: int, /, **fields: object) -> str:
    """The form of the message that goes with this count; `{count}` is filled in along with the fields."""
    said = _catalogue(current()).ngettext(singular, plural, count)
    return said.format(count=count, **fields)


def mark(message: str) -> str:
    """The message unchanged: marks it for the catalogues where it is written before it is said."""
    return message


# The names by which messages are found in the source.
_ = translate
_n = translate_count
_m = mark


@functools.cache
def _catalogue(code: str) -> gettext.NullTranslations:
    path = CATALOGUES / code / "LC_MESSAGES" / "attnviz.po"
    if not path.is_file():
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)
