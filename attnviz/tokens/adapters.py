"""What each kind of tokenizer gives, as the fields of `Tokens`. None of these packages is imported here."""

from collections.abc import Mapping, Sequence
from typing import Any

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens.pieces import Spelling, from_bytes, spelling_of
from attnviz.tokens.pieces import read as spelt_out

Fields = dict[str, Any]

NO_IDS = _m("{found} is no tokenizer that says what its ids stand for.")
UNKNOWN = _m("{found} is no tokenizer that is known here; a function from a text to a list of strings always is.")


def read(tokenizer: Any, text: str) -> Fields:
    """The fields for any tokenizer and a text, known by what it can do."""
    if isinstance(tokenizer, list | tuple):
        return _of_strings(tokenizer, text)
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        return of_transformers(tokenizer, tokenizer([text]), 0, text)
    if hasattr(tokenizer, "decode_single_token_bytes"):
        return _of_byte_encoder(tokenizer, text)
    if hasattr(tokenizer, "id_to_token") and hasattr(tokenizer, "encode"):
        return of_encoding(tokenizer.encode(text), tokenizer, text)
    if hasattr(tokenizer, "id_to_piece") and hasattr(tokenizer, "encode"):
        return _of_sentencepiece(tokenizer, text)
    if callable(tokenizer):
        return _of_strings(tokenizer(text), text)
    raise InputError(UNKNOWN, found=type(tokenizer).__name__)


def of_ids(tokenizer: Any, ids: Sequence[int]) -> Fields:
    """The fields for ids, from any tokenizer that knows what its ids stand for."""
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        return of_transformers(tokenizer, {"input_ids": [list(ids)]}, 0, None)
    if hasattr(tokenizer, "decode_single_token_bytes"):
        return {"texts": tuple(from_bytes(bytes(tokenizer.decode_single_token_bytes(token))) for token in ids)} | {
            "ids": tuple(ids)
        }
    name = next((name for name in ("id_to_token", "id_to_piece") if hasattr(tokenizer, name)), None)
    if name is None:
        raise InputError(NO_IDS, found=type(tokenizer).__name__)
    pieces = [str(getattr(tokenizer, name)(token)) for token in ids]
    decoder = getattr(tokenizer, "decoder", None)
    spelling: Spelling = "sentencepiece" if name == "id_to_piece" else spelling_of(getattr(decoder, "decode", None))
    return {"texts": _texts(pieces, spelling, [False] * len(pieces)), "ids": tuple(ids)}


def of_transformers(tokenizer: Any, encoding: Mapping[str, Any], item: int, text: str | None) -> Fields:
    """Of one item of what a tokenizer of Hugging Face transformers returned, fast or slow."""
    ids = _of_item(encoding, "input_ids", item)
    if ids is None:
        raise InputError(_m("The tokenizer's output has no “{field}”."), field="input_ids")
    pieces = [str(piece) for piece in tokenizer.convert_ids_to_tokens(ids)]
    special_ids = set(getattr(tokenizer, "all_special_ids", ()))
    special = tuple(token in special_ids for token in ids)
    spelling = spelling_of(getattr(tokenizer, "convert_tokens_to_string", None))
    present = _of_item(encoding, "attention_mask", item)
    fast = _fast(encoding, item)
    return {
        "texts": _texts(pieces, spelling, special),
        "ids": tuple(ids),
        "words": None if fast is None else tuple(fast.word_ids),
        "spans": None if fast is None else tuple(_span(start, stop) for start, stop in fast.offsets),
        "source": text,
        "special": special,
        "padding": None if present is None else tuple(not there for there in present),
    }


def of_encoding(encoding: Any, tokenizer: Any, text: str | None) -> Fields:
    """Of an `Encoding` of the package tokenizers."""
    decoder = getattr(tokenizer, "decoder", None)
    special = tuple(bool(one) for one in encoding.special_tokens_mask)
    return {
        "texts": _texts(encoding.tokens, spelling_of(None if decoder is None else decoder.decode), special),
        "ids": tuple(encoding.ids),
        "words": tuple(encoding.word_ids),
        "spans": tuple(_span(start, stop) for start, stop in encoding.offsets),
        "source": text,
        "special": special,
        "padding": tuple(not there for there in encoding.attention_mask),
    }


def _texts(pieces: Sequence[str], spelling: Spelling, special: Sequence[bool]) -> tuple[str, ...]:
    """Special tokens are names and spelt in letters."""
    texts = spelt_out(pieces, spelling)
    return tuple(piece if is_name else text for piece, text, is_name in zip(pieces, texts, special, strict=True))


def _of_byte_encoder(encoder: Any, text: str) -> Fields:
    """Of an encoder like tiktoken's, whose tokens are bytes."""
    encode = getattr(encoder, "encode_ordinary", encoder.encode)
    ids = [int(token) for token in encode(text)]
    pieces = [bytes(encoder.decode_single_token_bytes(token)) for token in ids]
    return {
        "texts": tuple(map(from_bytes, pieces)),
        "ids": tuple(ids),
        "spans": _spans_of_bytes(pieces, text),
        "source": text,
    }


def _spans_of_bytes(pieces: Sequence[bytes], text: str) -> tuple[tuple[int, int] | None, ...] | None:
    """Which characters the bytes belong to; None where the pieces are not the text, byte for byte."""
    if b"".join(pieces) != text.encode(errors="replace"):
        return None
    owner = [place for place, letter in enumerate(text) for _byte in letter.encode(errors="replace")]
    spans: list[tuple[int, int] | None] = []
    at = 0
    for piece in pieces:
        spans.append((owner[at], owner[at + len(piece) - 1] + 1) if piece else None)
        at += len(piece)
    return tuple(spans)


def _of_sentencepiece(processor: Any, text: str) -> Fields:
    """Of a SentencePiece processor."""
    ids = [int(token) for token in processor.encode(text)]
    pieces = [str(processor.id_to_piece(token)) for token in ids]
    is_control = getattr(processor, "is_control", lambda _token: False)
    special = tuple(bool(is_control(token)) for token in ids)
    return {"texts": _texts(pieces, "sentencepiece", special), "ids": tuple(ids), "source": text, "special": special}


def _of_strings(strings: Any, text: str) -> Fields:
    """Of plain strings; where they stand in the text is found by looking for one after another."""
    if not isinstance(strings, list | tuple) or not all(isinstance(string, str) for string in strings):
        raise InputError(UNKNOWN, found=type(strings).__name__)
    spans: list[tuple[int, int] | None] = []
    at = 0
    for string in strings:
        start = text.find(string, at) if string else -1
        spans.append((start, start + len(string)) if start >= 0 else None)
        at = start + len(string) if start >= 0 else at
    return {"texts": tuple(strings), "spans": tuple(spans) if any(spans) else None, "source": text or None}


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
