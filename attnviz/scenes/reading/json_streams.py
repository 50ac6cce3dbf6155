"""JSON, item by item, from files of any size; nested no deeper than scenes are."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import ijson
import numpy as np

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.documents import KEY_TWICE
from attnviz.scenes.reading.places import Place, short
from attnviz.scenes.reading.source import Opened, Source

MOST_DEPTH = 50
# A name, a text or a number; the parser begins each again with every piece of the file that it gets.
MOST_BYTES_OF_WORD = 1_000_000
DAMAGE = (ijson.JSONError, UnicodeDecodeError, ValueError, OverflowError, RecursionError)

# The rest of a string that has begun, and whole strings; possessive, so that nothing is tried twice.
_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_ENDS_WORD = re.compile(rb"[\s,:\[\]{}]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class Shallow:
    """A file that refuses to be read on where its JSON is nested too deep, or has a text or number that is too long.

    ijson keeps the whole path at every depth, so that brackets alone would fill a memory. Brackets in strings are none.
    """

    def __init__(self, file: Opened, name: str) -> None:
        self.file, self.name = file, name
        self.depth = self.word = 0
        self.in_string = self.escaped = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises `InputError` where they lead too deep, or a word does not end."""
        chunk = self.file.read(size)
        outside = self._outside_strings(chunk)
        self.word = 0 if not chunk or _ENDS_WORD.search(outside) else self.word + len(chunk)
        if self.word > MOST_BYTES_OF_WORD:
            raise InputError(
                _m("{file}: the JSON has a text or number of more than {most} bytes."),
                file=self.name,
                most=MOST_BYTES_OF_WORD,
            )
        brackets = np.frombuffer(outside.translate(None, _NO_BRACKETS), dtype=np.uint8)
        if len(brackets):
            # “[” and “{” are 91 and 123, “]” and “}” are 93 and 125.
            depths = self.depth + np.cumsum(np.where((brackets == 91) | (brackets == 123), 1, -1))
            if depths.max() > MOST_DEPTH:
                raise InputError(
                    _m("{file}: the JSON is nested deeper than {most} levels."), file=self.name, most=MOST_DEPTH
                )
            self.depth = int(depths[-1])
        return chunk

    def _outside_strings(self, text: bytes) -> bytes:
        if self.in_string:
            rest = _REST.match(text, 1 if self.escaped else 0)
            if rest is None:
                self._note_end(text[1:] if self.escaped else text)
                return b""
            text, self.in_string, self.escaped = text[rest.end() :], False, False
        text, _, begun = _STRING.sub(b"", text).partition(b'"')
        if _:
            self.in_string = True
            self._note_end(begun)
        return text

    def _note_end(self, text: bytes) -> None:
        """Whether the next byte is escaped: an odd number of backslashes stands at the end."""
        self.escaped = bool((len(text) - len(text.rstrip(b"\\"))) % 2)


def _noting(twice: list[str]) -> Callable[[], dict[str, Any]]:
    """A kind of dict that notes a key that it is given twice; what it raised, ijson would not pass on."""

    class Noting(dict[str, Any]):
        def __setitem__(self, key: str, value: Any) -> None:
            if key in self:
                twice.append(key)
            super().__setitem__(key, value)

    return Noting


def items(source: Source, prefix: str, place: Callable[[int], Place]) -> Iterator[Any]:
    """What stands at the prefix, one after the other.

    Raises `InputError` for damage, naming the last one that was whole, and for an object with two keys of one name.
    """
    twice: list[str] = []
    with source.opened_text() as file:
        count = 0
        try:
            for item in ijson.items(Shallow(file, source.name), prefix, use_float=True, map_type=_noting(twice)):
                count += 1
                if twice:
                    raise InputError(KEY_TWICE, place=place(count), name=short(twice[0]))
                yield item
        except InputError:
            raise
        except DAMAGE as error:
            raise InputError(_m("{place}: the JSON is cut short or damaged after it."), place=place(count)) from error


def top_keys(source: Source, most: int = 100_000) -> Iterator[str]:
    """The keys of the object that the file is, as far as the first events show, in their order."""
    with source.opened_text() as file:
        try:
            events = ijson.parse(Shallow(file, source.name))
            for _, (prefix, event, key) in zip(range(most), events, strict=False):
                if prefix == "" and event == "map_key":
                    yield key
        except InputError:
            raise
        except DAMAGE:
            return
