"""Where the pieces of a text stand in it, so that they can be put together into words again.

Words are what whitespace parts. Fast tokenizers give offsets, slow ones do not, and what a model wrote was cut
by nobody: so the pieces are first laid along the text, letter by letter.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from attnviz.tokens import Tokens

Span = tuple[int, int]

_PART = re.compile(r"<0x([0-9A-F]{2})>")
_PARTS = re.compile(r"(<0x[0-9A-F]{2}>)+")


def placed(tokenizer: Any, tokens: Tokens, text: str, *, target: bool) -> Tokens:
    """The tokens with `source`, and with `spans` and `words` where their places can be found.

    Special tokens have no place. A piece that is a space alone has that of the first letter of the word it begins.
    target: whether the text is one that the decoder writes, which some tokenizers cut in another way.
    """
    special = tokens.special or (False,) * len(tokens)
    kept = [position for position, one in enumerate(special) if not one]
    pieces = [tokens.texts[position] for position in kept]
    ids = [int((tokens.ids or ())[position]) for position in kept]
    found = (
        laid_along(pieces, text)
        or _by_offsets(tokenizer, ids, text, target=target)
        or _word_by_word(tokenizer, ids, text, target=target)
    )
    if found is None:
        return replace(tokens, source=text, spans=None, words=None)
    in_order = iter(found)
    spans = tuple(None if one else next(in_order) for one in special)
    return replace(tokens, source=text, spans=spans, words=_words(spans, text))


def words_of(text: str) -> tuple[Span, ...]:
    """The ranges of letters between whitespace."""
    spans, start = [], None
    for place, letter in enumerate(f"{text} "):
        if letter.isspace():
            if start is not None:
                spans.append((start, place))
            start = None
        elif start is None:
            start = place
    return tuple(spans)


def laid_along(pieces: Sequence[str], text: str) -> tuple[Span | None, ...] | None:
    """The places of pieces that spell the text, or its beginning, apart from spaces; None where they do not.

    Pieces may hold parts of a letter, byte by byte. The text may also have been written the compatible way of
    Unicode (NFKC), letter by letter: ﬁ as fi.
    """
    wanted = [_bytes("".join(piece.split())) for piece in pieces]
    for compatible in (False, True):
        owned = [
            (place, byte)
            for place, letter in enumerate(text)
            for byte in "".join((unicodedata.normalize("NFKC", letter) if compatible else letter).split()).encode(
                errors="replace"
            )
        ]
        if bytes(byte for _, byte in owned).startswith(b"".join(wanted)):
            return _ranges([place for place, _ in owned], [len(piece) for piece in wanted])
    return None


def _bytes(piece: str) -> bytes:
    """What a piece spells; bytes that make no whole letter are shown as <0xE7>."""
    if _PARTS.fullmatch(piece):
        return bytes(int(one, 16) for one in _PART.findall(piece))
    return piece.encode(errors="replace")


def _ranges(owners: Sequence[int], lengths: Sequence[int]) -> tuple[Span | None, ...]:
    spans: list[Span | None] = []
    at = 0
    for length in lengths:
        # A space alone belongs to the letter after it.
        mine = owners[at : at + max(length, 1)]
        spans.append((mine[0], mine[-1] + 1) if mine else None)
        at += length
    return tuple(spans)


def _by_offsets(tokenizer: Any, ids: Sequence[int], text: str, *, target: bool) -> tuple[Span | None, ...] | None:
    """The places that a fast tokenizer gives when it cuts the text into just these pieces."""
    if not getattr(tokenizer, "is_fast", False):
        return None
    again = Tokens.from_tokenizer(tokenizer, _cut(tokenizer, text, target=target), text=text)
    if (again.ids or ())[: len(ids)] != tuple(ids) or again.spans is None:
        return None
    return tuple(None if span is None else _without_spaces(span, text) for span in again.spans[: len(ids)])


def _without_spaces(span: Span, text: str) -> Span | None:
    start, stop = span
    inner = text[start:stop]
    if inner.strip():
        return start + len(inner) - len(inner.lstrip()), stop - (len(inner) - len(inner.rstrip()))
    following = next((place for place in range(stop, len(text)) if not text[place].isspace()), None)
    return None if following is None else (following, following + 1)


def _word_by_word(tokenizer: Any, ids: Sequence[int], text: str, *, target: bool) -> tuple[Span | None, ...] | None:
    """Each piece with the place of its whole word, where the words cut one by one give the same pieces."""
    spans: list[Span] = []
    at = 0
    for start, stop in words_of(text):
        cut = [int(one) for one in _cut(tokenizer, text[start:stop], target=target)["input_ids"][0]]
        rest = ids[at : at + len(cut)]
        if list(rest) != cut[: len(rest)]:
            return None
        spans += [(start, stop)] * len(rest)
        at += len(rest)
    return tuple(spans) if at == len(ids) else None


def _cut(tokenizer: Any, text: str, *, target: bool) -> Any:
    given = {"text_target": [text]} if target else {"text": [text]}
    return tokenizer(**given, add_special_tokens=False, verbose=False)


def _words(spans: Sequence[Span | None], text: str) -> tuple[int | None, ...]:
    """The number of the word that each piece begins in."""
    number_at = {place: number for number, (start, stop) in enumerate(words_of(text)) for place in range(start, stop)}
    return tuple(None if span is None else number_at.get(span[0]) for span in spans)
