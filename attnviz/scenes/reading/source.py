"""A file that was handed over: a path, its bytes, or an open file such as a browser's upload."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.places import short


@runtime_checkable
class Opened(Protocol):
    """An open binary file, or what behaves like one."""

    def read(self, size: int = -1, /) -> bytes: ...
    def readline(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...


Given = str | PathLike[str] | bytes | Opened

# Larger files than this are none that a person looks at; what is smaller is streamed.
MOST_BYTES = 4_000_000_000
# Files that are read as a whole: maps and small tables.
MOST_BYTES_AT_ONCE = 100_000_000
MOST_COMPANIONS = 200
MOST_SIGNS_OF_NAME = 80
# The first bytes, by which a format is recognised.
START = 65_536
# Some programs put this before a text in UTF-8; it is no part of the text.
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Source:
    """A file, what it is called in sentences, and its first bytes."""

    given: Given
    name: str
    start: bytes

    @property
    def text(self) -> bytes:
        """The first bytes of a text: without a byte order mark and the empty lines and spaces before it."""
        return self.start.removeprefix(BOM).lstrip()

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """The content from its beginning. What the reading system refuses becomes an `InputError`."""
        try:
            if isinstance(self.given, bytes):
                yield BytesIO(self.given)
            elif isinstance(self.given, (str, PathLike)):
                with _at(self.given, self.name).open("rb") as file:
                    yield file
            else:
                _rewind(self.given, self.name)
                yield self.given
        except OSError as error:
            raise _unreadable(self.name, error) from error

    @contextmanager
    def opened_text(self) -> Iterator[Opened]:
        """The same, after a byte order mark."""
        with self.opened() as file:
            if file.read(len(BOM)) != BOM:
                file.seek(0)
            yield file

    def content(self, most: int = MOST_BYTES_AT_ONCE) -> bytes:
        """Everything, where it is not more than may be read at once."""
        with self.opened() as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            raise InputError(
                _m("{file} is larger than the {most} bytes that are read of such a file."), file=self.name, most=most
            )
        return raw


def source_of(given: Given, name: str = "") -> Source:
    """The file, with its size checked. Raises `InputError` for what cannot be read, is empty or too large."""
    called = short(name or _name(given), MOST_SIGNS_OF_NAME)
    source = Source(given, called, b"")
    with source.opened() as file:
        start = cast(object, file.read(START))
        if not isinstance(start, bytes):
            raise InputError(
                _m("{file} is open as text; a file that is open in binary mode was expected."), file=called
            )
        size = file.seek(0, 2)
    if not size:
        raise InputError(_m("{file} is empty; a file of scenes was expected."), file=called)
    if size > MOST_BYTES:
        raise InputError(
            _m("{file} has {size} bytes; at most {most} are read."), file=called, size=size, most=MOST_BYTES
        )
    return Source(given, called, start)


def is_folder(given: Given) -> bool:
    """Whether this is the path of a folder."""
    try:
        return isinstance(given, (str, PathLike)) and Path(given).is_dir()
    except OSError:
        # Such as a name that is too long: no folder, and opening it says why.
        return False


def files_in(folder: Given) -> list[Path]:
    """The files of a folder, or, where it has none, those of its only folder. Raises `InputError` for too many."""
    place = Path(cast(str, folder))
    try:
        found = sorted(place.iterdir())
        inside = [path for path in found if path.is_dir()]
        if len(inside) == 1 and not any(path.is_file() for path in found):
            found = sorted(inside[0].iterdir())
    except OSError as error:
        raise _unreadable(short(place.name), error) from error
    files = [path for path in found if path.is_file()]
    if not 0 < len(files) <= MOST_COMPANIONS:
        raise InputError(
            _m("The folder {file} has {found} files; 1 to {most} were expected."),
            file=short(place.name),
            found=len(files),
            most=MOST_COMPANIONS,
        )
    return files


def _name(given: Given) -> str:
    if isinstance(given, (str, PathLike)):
        return Path(given).name
    return str(Path(str(getattr(given, "name", "") or "file")).name)


def _at(given: str | PathLike[str], name: str) -> Path:
    """The path; a NUL, which no path has, would be a ValueError of the system."""
    if "\0" in str(given):
        raise InputError(_m("{file} could not be read: {reason}."), file=name, reason="NUL")
    return Path(given)


def _rewind(given: object, name: str) -> None:
    """To the beginning. Raises `InputError` for what is no file, or is closed."""
    if not isinstance(given, Opened) or getattr(given, "closed", False):
        raise InputError(
            _m("{file} is no open file; a path, the bytes of a file or an open binary file was expected."), file=name
        )
    given.seek(0)


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(
        _m("{file} could not be read: {reason}."), file=name, reason=error.strerror or type(error).__name__
    )
