"""What the positions of a sequence stand for: pieces of text, image patches, road users, plain vectors.

The position identifies a token; its string is only shown. Two tokens with the same text stay two tokens.
"""

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Kind = Literal["text", "vector", "patch", "road-user"]
KINDS: tuple[str, ...] = get_args(Kind)

T = TypeVar("T")


@dataclass(frozen=True)
class Tokens:
    """One entry a position in every field that is given; `InputError` where the lengths differ.

    texts: the token as a person should see it; a WordPiece such as "##ly" stays as the tokenizer has it.
    ids: the number in a vocabulary, or the identity of a road user.
    words: which word of the source the position belongs to; None where it belongs to none.
    spans: the half-open range of characters in `source`; None where there is none.
    special: [CLS], </s> and the like. padding: positions that are absent, not merely ignored.
    generated: positions that the model wrote itself.
    """

    texts: tuple[str, ...]
    kind: Kind = "text"
    ids: tuple[int | str, ...] | None = None
    words: tuple[int | None, ...] | None = None
    spans: tuple[tuple[int, int] | None, ...] | None = None
    source: str | None = None
    special: tuple[bool, ...] | None = None
    padding: tuple[bool, ...] | None = None
    generated: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("ids", "words", "spans", "special", "padding", "generated"):
            field = getattr(self, name)
            if field is not None and len(field) != len(self.texts):
                raise InputError(
                    _m("Tokens: the number of entries in “{field}”, {found}, is not the number of tokens, {expected}."),
                    field=name,
                    found=len(field),
                    expected=len(self.texts),
                )

    def __len__(self) -> int:
        return len(self.texts)

    def is_special(self, position: int) -> bool:
        """Whether the tokenizer put this token there itself."""
        return self.special is not None and self.special[position]

    def is_padding(self, position: int) -> bool:
        """Whether there is nothing at this position."""
        return self.padding is not None and self.padding[position]

    def shown(self, hide_special: bool = False) -> tuple[int, ...]:
        """The positions that are there, without the special ones if these are to be hidden."""
        return tuple(
            position
            for position in range(len(self))
            if not self.is_padding(position) and not (hide_special and self.is_special(position))
        )

    def label(self, position: int) -> str:
        """The text of a token with everything invisible made visible; never empty. Not escaped for HTML."""
        return visible(self.texts[position])

    def labels(self) -> tuple[str, ...]:
        """The label of every position."""
        return tuple(visible(text) for text in self.texts)

    def to_json(self) -> dict[str, Any]:
        """Plain lists, strings and numbers, without the fields that are not given."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in dataclasses.fields(self)
            if getattr(self, field.name) is not None
        }

    @classmethod
    def from_json(cls, data: object) -> "Tokens":
        """The tokens that `to_json` wrote. Raises `InputError` for anything else."""
        if not isinstance(data, Mapping):
            raise _unexpected("tokens", data)
        unknown = sorted(set(map(str, data)) - {field.name for field in dataclasses.fields(cls)})
        if unknown:
            raise InputError(_m("Tokens: “{field}” is not a known field."), field=unknown[0])
        kind = data.get("kind", "text")
        if kind not in KINDS:
            raise InputError(
                _m("Tokens: the kind “{found}” is unknown; expected is one of {expected}."),
                found=str(kind)[:40],
                expected=", ".join(KINDS),
            )
        source = data.get("source")
        if source is not None and not isinstance(source, str):
            raise _unexpected("source", source)
        texts = _entries(data, "texts", _is_text)
        if texts is None:
            raise InputError(_m("Tokens: the field “{field}” is missing."), field="texts")
        spans = _entries(data, "spans", _is_span)
        return cls(
            texts=texts,
            kind=kind,
            ids=_entries(data, "ids", lambda value: _is_whole(value) or isinstance(value, str)),
            words=_entries(data, "words", lambda value: value is None or _is_whole(value)),
            spans=None if spans is None else tuple(None if span is None else (span[0], span[1]) for span in spans),
            source=source,
            special=_entries(data, "special", _is_truth),
            padding=_entries(data, "padding", _is_truth),
            generated=_entries(data, "generated", _is_truth),
        )

    @classmethod
    def numbered(cls, count: int, kind: Kind = "vector", prefix: str = "") -> "Tokens":
        """Tokens that are known by their position alone: "0", "1", … after the prefix."""
        return cls(texts=tuple(f"{prefix}{position}" for position in range(count)), kind=kind)

    @classmethod
    def from_tokenizer(
        cls, tokenizer: Any, encoding: Mapping[str, Any], item: int = 0, text: str | None = None
    ) -> "Tokens":
        """The tokens of one item of what a Hugging Face tokenizer returned; `text` is what it was given.

        A fast tokenizer also gives words and spans. Byte-level pieces ("Ġblack") are shown as the
        characters they stand for, and as their bytes where they hold only part of a character.
        Raises `InputError` where there are no input ids or no such item.
        """
        ids = _of_item(encoding, "input_ids", item)
        if ids is None:
            raise InputError(_m("The tokenizer's output has no “{field}”."), field="input_ids")
        pieces = [str(piece) for piece in tokenizer.convert_ids_to_tokens(ids)]
        if _is_byte_level(tokenizer):
            pieces = [_from_bytes(piece) for piece in pieces]
        special_ids = set(getattr(tokenizer, "all_special_ids", ()))
        present = _of_item(encoding, "attention_mask", item)
        fast = _fast(encoding, item)
        return cls(
            texts=tuple(pieces),
            ids=tuple(ids),
            words=None if fast is None else tuple(fast.word_ids),
            spans=None if fast is None else tuple(_span(start, stop) for start, stop in fast.offsets),
            source=text,
            special=tuple(token in special_ids for token in ids),
            padding=None if present is None else tuple(not there for there in present),
        )


def visible(text: str) -> str:
    """The text with spaces, line ends, controls and other invisible characters made visible; never empty.

    A single space between two visible characters stays.
    """
    if not text:
        return "∅"
    ink = [_has_ink(character) for character in text]
    between = [False, *(before and after for before, after in zip(ink, ink[2:], strict=False)), False]
    shown = "".join(
        character if character == " " and inside else _shown(character, any(ink))
        for character, inside in zip(text, between[: len(text)], strict=True)
    )
    return f"◌{shown}" if unicodedata.combining(shown[0]) else shown


# A person knows these by their pictures.
_PICTURES = {"\n": "↵", "\r": "␍", "\t": "⇥"}
# Joiners shape the letters and emoji around them, so they stay where there are any.
_JOINERS = "\u200c\u200d"


def _has_ink(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ"


def _shown(character: str, beside_ink: bool) -> str:
    category = unicodedata.category(character)
    if character in _PICTURES:
        return _PICTURES[character]
    if category == "Zs":
        return "·"
    if category[0] not in "CZ" or (character in _JOINERS and beside_ink):
        return character
    return f"U+{ord(character):04X}"


def _of_item(encoding: Mapping[str, Any], name: str, item: int) -> list[int] | None:
    """One row of a field that may be a tensor, a list of lists, or one plain list."""
    if name not in encoding:
        return None
    values = encoding[name]
    rows = values.tolist() if hasattr(values, "tolist") else values
    if not rows or not isinstance(rows[0], Sequence):
        rows = [rows]
    if not 0 <= item < len(rows):
        raise InputError(
            _m(
                "Item {item} does not exist: the items of the tokenizer's output are counted from 0, and their number is {count}."
            ),
            count=len(rows),
            item=item,
        )
    return [int(value) for value in rows[item]]


def _fast(encoding: Mapping[str, Any], item: int) -> Any | None:
    encodings = getattr(encoding, "encodings", None)
    return encodings[item] if encodings else None


def _span(start: int, stop: int) -> tuple[int, int] | None:
    return (start, stop) if stop > start else None


def _is_byte_level(tokenizer: Any) -> bool:
    """Whether pieces are spelt in GPT-2's alphabet of bytes, in which Ġ is the space."""
    to_string = getattr(tokenizer, "convert_tokens_to_string", None)
    return to_string is not None and to_string(["a", "Ġa"]) == "a a"


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's letter for each byte: printable bytes stand for themselves, the others follow from U+0100 on.

    Source: `bytes_to_unicode` in OpenAI's GPT-2 encoder.py; used by every byte-level BPE since.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


_BYTES = _byte_alphabet()


def _from_bytes(piece: str) -> str:
    """The characters of a byte-level piece; a special token, or anything else not so spelt, as it is."""
    if any(letter not in _BYTES for letter in piece):
        return piece
    spelt = bytes(_BYTES[letter] for letter in piece)
    try:
        return spelt.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in spelt)


def _plain(value: Any) -> Any:
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_span(value: Any) -> bool:
    return value is None or (isinstance(value, Sequence) and len(value) == 2 and all(_is_whole(end) for end in value))


def _entries(data: Mapping[str, Any], name: str, fits: Any) -> tuple[Any, ...] | None:
    values = data.get(name)
    if values is None:
        return None
    if not isinstance(values, list | tuple):
        raise _unexpected(name, values)
    for value in values:
        if not fits(value):
            raise _unexpected(name, value)
    return tuple(values)


def _unexpected(field: str, value: object) -> InputError:
    return InputError(
        _m("Tokens: “{field}” holds {found}, which does not belong there."), field=field, found=repr(value)[:60]
    )
