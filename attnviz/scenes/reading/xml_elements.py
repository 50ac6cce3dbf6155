"""XML, element by element: no DTDs, no entities, nothing from elsewhere, and bounded in depth and size."""

from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, iterparse

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.places import Element, Place, short, written
from attnviz.scenes.reading.source import Opened, Source

MOST_DEPTH = 40
# Elements within one child of the root: a road user with fifty thousand states has fewer.
MOST_ELEMENTS = 1_500_000
MOST_BYTES_OF_XML = 1_000_000_000
# A tag, a comment: the parser begins each again with every piece of the file that it gets.
MOST_BYTES_OF_TAG = 1_000_000


def root_of(source: Source) -> str | None:
    """The name of the root element; None where the file does not begin as XML does, or is damaged before its root."""
    wide = source.start.startswith((b"\xff\xfe<\0", b"\xfe\xff\0<"))
    if not wide and not source.text.startswith(b"<"):
        return None
    for _, node in children_of(source, only_root=True):
        return node.tag
    return None


def children_of(source: Source, *, only_root: bool = False) -> Iterator[tuple[Node, Node]]:
    """The root and each of its children, complete; a child is forgotten when the next one is asked for.

    Raises `InputError` for a DTD, an entity, an external reference, damage, and what is too deep or too large.
    """
    with source.opened() as file, _sentences(source):
        if file.seek(0, 2) > MOST_BYTES_OF_XML:
            raise InputError(
                _m("{file} is larger than the {most} bytes that are read of such a file."),
                file=source.name,
                most=MOST_BYTES_OF_XML,
            )
        file.seek(0)
        yield from _children(file, source, only_root)


class _Steady:
    """A file that refuses to be read on where the parser, for what does not end, has fallen far behind."""

    def __init__(self, file: Opened, parser: DefusedXMLParser, name: str) -> None:
        self.file, self.parser, self.name = file, parser, name
        self.given = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises `InputError` where a tag or comment does not end."""
        if self.given - max(0, self.parser.parser.CurrentByteIndex) > MOST_BYTES_OF_TAG:
            raise InputError(
                _m("{file}: the XML has a tag or comment of more than {most} bytes."),
                file=self.name,
                most=MOST_BYTES_OF_TAG,
            )
        chunk = self.file.read(size)
        self.given += len(chunk)
        return chunk


def _children(file: Opened, source: Source, only_root: bool) -> Iterator[tuple[Node, Node]]:
    open_nodes: list[Node] = []
    count = 0
    parser = DefusedXMLParser(target=TreeBuilder(), forbid_dtd=True, forbid_entities=True, forbid_external=True)
    events = iterparse(_Steady(file, parser, source.name), events=("start", "end"), parser=parser)
    for event, node in events:
        if event == "start":
            open_nodes.append(node)
            count += 1
            if only_root:
                yield node, node
                return
            if len(open_nodes) > MOST_DEPTH or count > MOST_ELEMENTS:
                raise InputError(
                    _m("{place} is deeper than {depth} elements or holds more than {most} of them."),
                    place=Element(source.name, short(open_nodes[min(1, len(open_nodes) - 1)].tag)),
                    depth=MOST_DEPTH,
                    most=MOST_ELEMENTS,
                )
            continue
        open_nodes.pop()
        if len(open_nodes) == 1:
            yield open_nodes[0], node
            del open_nodes[0][:]
            count = 0


@contextmanager
def _sentences(source: Source) -> Iterator[None]:
    try:
        yield
    except DefusedXmlException as error:
        raise InputError(
            _m("{file} holds a document type, an entity or an external reference, none of which is read."),
            file=source.name,
        ) from error
    except ParseError as error:
        line, column = error.position
        raise InputError(
            _m("{file}, line {line}, column {column}: the XML is cut short or damaged."),
            file=source.name,
            line=line,
            column=column + 1,
        ) from error
    except (LookupError, UnicodeError, RecursionError) as error:
        # An encoding that does not exist.
        raise InputError(_m("{file} is no XML that can be read."), file=source.name) from error


def number_in(node: Node | None, path: str, place: Place) -> float | None:
    """The number in the element at this path; None where there is no such element. Raises `InputError` for a text."""
    text = None if node is None else node.findtext(path)
    return None if text is None else number_of(text, place, path)


def number_of(text: str | None, place: Place, name: str) -> float:
    """The number that is written here; finite, and within a hundred million."""
    value = written(text or "")
    if not -1e8 <= value <= 1e8:
        raise InputError(
            _m("{place}: “{found}” was read in “{name}”; a number was expected."),
            place=place,
            found=short(text or ""),
            name=name,
        )
    return value
