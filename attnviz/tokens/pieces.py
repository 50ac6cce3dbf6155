"""How tokenizers spell: in letters, in bytes (Ġ is a space), or SentencePiece's way (▁ is a space)."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

Spelling = Literal["letters", "bytes", "sentencepiece"]

_SPACE = "▁"
# SentencePiece's way to write a byte that belongs to no piece.
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def spelling_of(joined: Callable[[list[str]], str] | None) -> Spelling:
    """How pieces are spelt, asked of the function that puts them together again."""
    if joined is None:
        return "letters"
    if joined(["a", "Ġa"]) == "a a":
        return "bytes"
    return "sentencepiece" if joined(["▁a", "▁a"]).strip() == "a a" else "letters"


def read(pieces: Sequence[str], spelling: Spelling) -> tuple[str, ...]:
    """The characters that the pieces stand for."""
    if spelling == "letters":
        return tuple(pieces)
    reader = _from_letters if spelling == "bytes" else _from_sentencepiece
    return tuple(reader(piece) for piece in pieces)


def from_bytes(spelt: bytes) -> str:
    """The characters of some bytes; the bytes themselves where they hold only part of a character."""
    try:
        return spelt.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in spelt)


def _from_sentencepiece(piece: str) -> str:
    found = _BYTE.fullmatch(piece)
    return from_bytes(bytes([int(found.group(1), 16)])) if found else piece.replace(_SPACE, " ")


def _from_letters(piece: str) -> str:
    """The characters of a byte-level piece; a special token, or anything else not so spelt, as it is."""
    if any(letter not in _BYTES for letter in piece):
        return piece
    return from_bytes(bytes(_BYTES[letter] for letter in piece))


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's letter for each byte: printable bytes stand for themselves, the others follow from U+0100 on.

    Source: `bytes_to_unicode` in OpenAI's GPT-2 encoder.py; used by every byte-level BPE since.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


_BYTES = _byte_alphabet()
