"""TFRecord files: length, checksum, content, checksum; one record after the other, each checked.

After tensorflow/tensorflow, core/lib/io/record_writer.h: the checksums are CRC-32C, “masked”.
"""

import functools
from collections.abc import Iterator

import numpy as np

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.places import Record
from attnviz.scenes.reading.source import Opened, Source

# The polynomial of Castagnoli with its bits reversed.
POLYNOMIAL = 0x82F63B78
MASK = 0xA282EAD8
HEAD = 12
MOST_RECORD_BYTES = 200_000_000


def begins_with_checksum(source: Source) -> bool:
    """Whether the file begins with a length and its checksum, which no other format does."""
    head = source.start[:HEAD]
    return len(head) == HEAD and _masked(head[:8]) == int.from_bytes(head[8:], "little")


def may_be_records(source: Source) -> bool:
    """Whether the file begins with a length that is not absurd, whatever its checksum."""
    return len(source.start) >= HEAD and 0 < int.from_bytes(source.start[:8], "little") < 1 << 32


def records_of(source: Source) -> Iterator[tuple[int, bytes]]:
    """The number, from 1, and the content of each record. Raises `InputError` where a length or content is damaged."""
    with source.opened() as file:
        size = file.seek(0, 2)
        file.seek(0)
        number = 0
        while head := file.read(HEAD):
            number += 1
            yield number, _record(file, head, size, Record(source.name, number))


def _record(file: Opened, head: bytes, size: int, place: Record) -> bytes:
    if len(head) < HEAD or _masked(head[:8]) != int.from_bytes(head[8:], "little"):
        raise InputError(_m("{place}: its length does not agree with its checksum; the file is damaged."), place=place)
    length = int.from_bytes(head[:8], "little")
    if length > min(MOST_RECORD_BYTES, size - file.tell()):
        raise InputError(
            _m("{place}: it says that it has {length} bytes; there are {left} left, and at most {most} are read."),
            place=place,
            length=length,
            left=max(0, size - file.tell()),
            most=MOST_RECORD_BYTES,
        )
    content, tail = file.read(length), file.read(4)
    if len(tail) < 4 or _masked(content) != int.from_bytes(tail, "little"):
        raise InputError(_m("{place}: its content does not agree with its checksum; the file is damaged."), place=place)
    return content


def _masked(content: bytes) -> int:
    crc = crc32c(content)
    return (((crc >> 15) | (crc << 17)) + MASK) & 0xFFFFFFFF


def crc32c(content: bytes) -> int:
    """The CRC-32C of the bytes (RFC 3720, appendix B.4).

    A checksum goes byte by byte; to be quick, the content is cut into stretches that go side by side, and their
    remainders are joined: that of a stretch which others follow is moved on by as many zero bytes.
    """
    lanes = max(1, min(4096, len(content) // 64))
    stretch = len(content) // lanes
    side = np.frombuffer(content[: stretch * lanes], dtype=np.uint8).reshape(lanes, stretch)
    registers = np.zeros(lanes, dtype=np.uint32)
    table = _table()
    for place in range(stretch):
        registers = table[(registers ^ side[:, place]) & 0xFF] ^ (registers >> np.uint32(8))
    # The start value, all ones, goes through everything, like a stretch of its own before the others.
    crc = 0xFFFFFFFF
    moves = _zeros(stretch)
    for register in registers.tolist():
        crc = _applied(moves, crc) ^ register
    for byte in content[stretch * lanes :]:
        crc = int(table[(crc ^ byte) & 0xFF]) ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


@functools.cache
def _table() -> np.ndarray:
    """What a byte leaves."""
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> 1) ^ np.uint32(POLYNOMIAL), values >> 1).astype(np.uint32)
    return values


@functools.lru_cache(maxsize=64)
def _zeros(count: int) -> tuple[tuple[int, ...], ...]:
    """What so many zero bytes make of a register: for each of its four bytes and each value, what that adds."""
    step = tuple(int(_table()[(1 << bit) & 0xFF]) ^ ((1 << bit) >> 8) for bit in range(32))
    columns = tuple(1 << bit for bit in range(32))
    while count:
        if count & 1:
            columns = tuple(_product(step, column) for column in columns)
        step = tuple(_product(step, column) for column in step)
        count >>= 1
    return tuple(tuple(_product(columns, value << (8 * byte)) for value in range(256)) for byte in range(4))


def _product(columns: tuple[int, ...], value: int) -> int:
    """A matrix over the field of two elements times a vector; bits are its elements."""
    found, bit = 0, 0
    while value:
        if value & 1:
            found ^= columns[bit]
        value >>= 1
        bit += 1
    return found


def _applied(moves: tuple[tuple[int, ...], ...], crc: int) -> int:
    return (
        moves[0][crc & 0xFF] ^ moves[1][(crc >> 8) & 0xFF] ^ moves[2][(crc >> 16) & 0xFF] ^ moves[3][(crc >> 24) & 0xFF]
    )
