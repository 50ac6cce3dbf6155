"""Alignment files: a line for each sentence, “0-0 1-2”; in gold files “p” or “?” instead of “-” for possible links."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.translation.sentence import Link, Links, SentencePair

Base = Literal[0, 1]
MOST_BYTES = 20_000_000
MOST_SENTENCES = 20_000
MOST_WORDS = 400

_LINK = re.compile(r"(\d{1,6})([-p?])(\d{1,6})")
_BETWEEN = "|||"


@dataclass(frozen=True)
class OutOfRange:
    """A link to a word that the sentence does not have: as it stands in the file, in this line (counted from 1)."""

    line: int
    link: str


@dataclass(frozen=True)
class Loaded:
    """Sentence pairs with gold links, and the links that were left out because they point beyond a sentence.

    other_base: whether all links would be in range if they were counted from the other number.
    """

    pairs: tuple[SentencePair, ...]
    out_of_range: tuple[OutOfRange, ...]
    other_base: bool


def write(alignments: Iterable[Iterable[Link]], *, base: Base = 0) -> str:
    """One line for each sentence, its links in order, source word first."""
    return "".join(" ".join(f"{i + base}-{j + base}" for i, j in sorted(links)) + "\n" for links in alignments)


def read_links(raw: bytes, name: str, *, base: Base) -> list[Links]:
    """The links of every line, counted from 0 whatever the file counts from; nothing is checked against sentences.

    Raises `InputError` for anything that is no link.
    """
    found = []
    for number, line in enumerate(_lines(raw, name), 1):
        sure, possible = set(), set()
        for text in line.split():
            match = _LINK.fullmatch(text)
            if match is None:
                raise InputError(
                    _m(
                        "{file}, line {line}: “{found}” was read; a link such as 3-4 or, if possible only, 3p4 was expected."
                    ),
                    file=name,
                    line=number,
                    found=text[:20],
                )
            link = (int(match[1]) - base, int(match[3]) - base)
            possible.add(link)
            if match[2] == "-":
                sure.add(link)
        found.append(Links(frozenset(sure), frozenset(possible)))
    return found


def read_texts(raw: bytes, name: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words of both sides of every line, “source ||| target”. Raises `InputError` for a line that is none."""
    found = []
    for number, line in enumerate(_lines(raw, name), 1):
        sides = [tuple(side.split()) for side in line.split(_BETWEEN)]
        if len(sides) != 2 or not all(sides):
            raise InputError(
                _m(
                    "{file}, line {line}: “{found}” was read; a source and a target with ||| between them were expected."
                ),
                file=name,
                line=number,
                found=line[:40],
            )
        if max(map(len, sides)) > MOST_WORDS:
            raise InputError(
                _m("{file}, line {line}: the sentence has {count} words; at most {most} were expected."),
                file=name,
                line=number,
                count=max(map(len, sides)),
                most=MOST_WORDS,
            )
        found.append((sides[0], sides[1]))
    return found


def read_pairs(texts: bytes, gold: bytes, *, base: Base, names: tuple[str, str] = ("texts", "gold")) -> Loaded:
    """Sentences and their gold links. Links out of range are left out, and named.

    Raises `InputError` where the files are not what they should be, have not the same number of lines, or no link at all.
    """
    sentences, links = read_texts(texts, names[0]), read_links(gold, names[1], base=base)
    if len(sentences) != len(links):
        raise InputError(
            _m("{texts} has {found} lines and {gold} has {other}; as many of both were expected."),
            texts=names[0],
            found=len(sentences),
            gold=names[1],
            other=len(links),
        )
    if not any(one.possible for one in links):
        raise InputError(
            _m("{file} has no link in any of its {found} lines; links such as 3-4 were expected."),
            file=names[1],
            found=len(links),
        )
    pairs, out = [], []
    for line, ((source, target), all_links) in enumerate(zip(sentences, links, strict=True), 1):
        within = frozenset(link for link in all_links.possible if _is_within(link, source, target))
        pairs.append(SentencePair(source, target, Links(all_links.sure & within, within)))
        out += [
            OutOfRange(line, f"{i + base}{'-' if (i, j) in all_links.sure else 'p'}{j + base}")
            for i, j in sorted(all_links.possible - within)
        ]
    shift = 1 if base == 0 else -1
    other = all(
        _is_within((i - shift, j - shift), source, target)
        for (source, target), all_links in zip(sentences, links, strict=True)
        for i, j in all_links.possible
    )
    return Loaded(tuple(pairs), tuple(out), bool(out) and other)


def _is_within(link: Link, source: Sequence[str], target: Sequence[str]) -> bool:
    return 0 <= link[0] < len(source) and 0 <= link[1] < len(target)


def _lines(raw: bytes, name: str) -> list[str]:
    if len(raw) > MOST_BYTES:
        raise InputError(
            _m("{file} has {found} bytes; at most {most} were expected."), file=name, found=len(raw), most=MOST_BYTES
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise InputError(
            _m("{file}: byte {place} is not UTF-8; a text in UTF-8 was expected."), file=name, place=reason.start
        ) from reason
    # Not splitlines(): a sentence may hold other characters that end a line, which other tools do not count.
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if not 0 < len(lines) <= MOST_SENTENCES:
        raise InputError(
            _m("{file} has {found} lines; 1 to {most} were expected."), file=name, found=len(lines), most=MOST_SENTENCES
        )
    return lines
