"""What the positions of a sequence stand for: pieces of text, image patches, road users, plain vectors.

The position identifies a token; its string is only shown. Two tokens with the same text stay two tokens.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens import adapters
from attnviz.tokens.labels import is_right_to_left, visible

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

    def runs_right_to_left(self) -> bool:
        """Whether the text is written from right to left: its first letter that has a direction tells."""
        for position, text in enumerate(self.texts):
            found = None if self.is_special(position) or self.is_padding(position) else is_right_to_left(text)
            if found is not None:
                return found
        return False

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
    def of(cls, tokenizer: Any, text: str) -> "Tokens":
        """The tokens that any tokenizer makes of a text.

        It may be one of Hugging Face transformers, a `tokenizers.Tokenizer`, an encoder like tiktoken's, a
        SentencePiece processor, a function from a text to a list of strings, or that list itself.
        Raises `InputError` for anything else.
        """
        return cls(**adapters.read(tokenizer, text))

    @classmethod
    def from_tokenizer(
        cls, tokenizer: Any, encoding: Mapping[str, Any], item: int = 0, text: str | None = None
    ) -> "Tokens":
        """The tokens of one item of what a Hugging Face tokenizer returned; `text` is what it was given.

        A fast tokenizer also gives words and spans. Pieces are shown as the characters they stand for: byte-level
        ones ("Ġblack") and SentencePiece's ("▁black") with a space, and as bytes where they hold only part of a
        character. Raises `InputError` where there are no input ids or no such item.
        """
        return cls(**adapters.of_transformers(tokenizer, encoding, item, text))

    @classmethod
    def from_ids(cls, tokenizer: Any, ids: Sequence[int]) -> "Tokens":
        """The tokens that these ids stand for. Raises `InputError` where the tokenizer does not tell."""
        return cls(**adapters.of_ids(tokenizer, ids))

    @classmethod
    def from_encoding(cls, encoding: Any, tokenizer: Any = None, text: str | None = None) -> "Tokens":
        """The tokens of an `Encoding` of the package tokenizers; the tokenizer tells how its pieces are spelt."""
        return cls(**adapters.of_encoding(encoding, tokenizer, text))


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
