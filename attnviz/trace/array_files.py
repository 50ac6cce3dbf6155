"""The arrays in a file that may hold anything: npy, npz, safetensors, and torch's own format.

Nothing in such a file is executed, and no more memory is taken than the file may ask for: what it says of its
own sizes is checked before anything is unpacked.
"""

import math
import pickle
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.trace.arrays import TEXT, TOKEN_NAMES, TYPE
from attnviz.trace.container import MOST_BYTES, Uploaded

NPY = b"\x93NUMPY"
ZIP = b"PK\x03\x04"
PICKLE = b"\x80"
# Bytes that tell what a file is.
START = 9

# Weights that are mostly zeros shrink well; what shrinks more than this was made to fill a memory.
MOST_EXPANSION = 200
# Small files may grow as they like.
HARMLESS_BYTES = 64 << 20
MOST_ENTRIES = 20_000
# numpy refuses longer headers, too.
MOST_NPY_HEADER = 10_000

# What the only array of a file is called in a sentence, as in `from_arrays`.
ALONE = "attentions"

Place = Path | Uploaded

# What the libraries raise for a file that is not what it says it is.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, SafetensorError, EOFError, ValueError, KeyError, IndexError, TypeError,
    AttributeError, OverflowError, RecursionError, NotImplementedError,
)  # fmt: skip

DAMAGED = _m("{file} is cut short or damaged; a complete npz, npy, safetensors or torch file was expected.")
TOO_LARGE = _m("{file} unpacks to {size} bytes; at most {most} are read from a file of this size.")
OBJECTS = _m("{file}: the array “{name}” holds {found}, which could run code; numbers were expected.")
SIZES = _m("{file}: the array “{name}” states the shape {shape}, which is not what the file holds.")
FOREIGN = _m(
    "{file} holds more than arrays ({found}), which is not opened; save the arrays alone, as a tuple, list or dict."
)
OLD_PICKLE = _m(
    "{file} is a pickle, which can run code and is not opened; save the arrays as npz, or anew with torch.save."
)


def arrays_in(source: str | PathLike[str] | bytes, place: Place) -> Any:
    """What the file holds: an array, or tuples, lists and dicts of arrays with None for gaps.

    Text comes as a numpy array or a list of strings. Raises `InputError` for whatever cannot be read.
    """
    with opened(source) as file:
        start = file.read(START)
        file.seek(0)
        reader = _reader(start)
        try:
            return reader(file, place)
        except DAMAGE as reason:
            if isinstance(reason, InputError):
                raise
            raise InputError(DAMAGED, file=place) from reason
        except MemoryError as reason:
            raise InputError(_m("{file} needs more memory than there is."), file=place) from reason


@contextmanager
def opened(source: str | PathLike[str] | bytes) -> Iterator[BufferedIOBase]:
    """The content as a binary file that can be read and sought in."""
    if isinstance(source, bytes):
        yield BytesIO(source)
        return
    with Path(source).open("rb") as file:
        yield file


def _reader(start: bytes) -> Callable[[BufferedIOBase, Place], Any]:
    if start.startswith(NPY):
        return _npy
    if start.startswith(ZIP):
        return _zip
    return _pickle if is_pickle(start) else _safetensors


def is_pickle(start: bytes) -> bool:
    """Whether a file that begins so is a pickle. safetensors begins with a length, of any bytes, and a brace."""
    return start.startswith(PICKLE) and start[8:9] != b"{"


def _size(file: BufferedIOBase) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size


def _safetensors(file: BufferedIOBase, place: Place) -> dict[str, Tensor]:  # noqa: ARG001 - as the other readers
    # The library itself compares every shape with the bytes that are there.
    return safetensors.torch.load(file.read())


def _pickle(file: BufferedIOBase, place: Place) -> Any:  # noqa: ARG001 - as the other readers
    raise InputError(OLD_PICKLE, file=place)


def _npy(file: BufferedIOBase, place: Place, name: str = ALONE) -> Any:
    """A tensor, or an array of text as numpy has it."""
    size = _size(file)
    version = np.lib.format.read_magic(file)
    header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in header:
        raise InputError(DAMAGED, file=place)
    try:
        shape, _order, dtype = header[version](file, max_header_size=MOST_NPY_HEADER)
    except (SyntaxError, tokenize.TokenError, TypeError, OverflowError, RecursionError) as reason:
        raise InputError(DAMAGED, file=place) from reason
    if dtype.hasobject:
        raise InputError(OBJECTS, file=place, name=name, found=str(dtype)[:60])
    if dtype.kind not in "fU":
        expected = TEXT if name in TOKEN_NAMES else TYPE
        raise InputError(expected, file=place, name=name, found=str(dtype)[:60])
    if any(type(length) is not int for length in shape):
        raise InputError(SIZES, file=place, name=name, shape=str(tuple(shape))[:60])
    count = math.prod(shape)
    if count * dtype.itemsize != size - file.tell() or min(shape, default=1) < 0:
        raise InputError(SIZES, file=place, name=name, shape=str(tuple(shape))[:60])
    file.seek(0)
    found = np.load(file, allow_pickle=False)
    return _tensor(found) if dtype.kind == "f" else found


def _tensor(found: Any) -> Tensor:
    """The same numbers in the byte order and in one of the precisions that torch knows."""
    wide = (
        found.astype(np.float64)
        if found.dtype.itemsize > 8
        else found.astype(found.dtype.newbyteorder("="), copy=False)
    )
    return torch.from_numpy(np.array(wide, order="C", copy=None))


def _zip(file: BufferedIOBase, place: Place) -> Any:
    size = _size(file)
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_ENTRIES:
            raise InputError(
                _m("{file} has {found} parts; at most {most} are read."),
                file=place,
                found=len(entries),
                most=MOST_ENTRIES,
            )
        _check_expansion(entries, size, place)
        if any(entry.filename.endswith("/data.pkl") for entry in entries):
            return _torch(file, entries, size, place)
        return _npz(archive, entries, place)


def _check_expansion(entries: list[zipfile.ZipInfo], size: int, place: Place) -> None:
    most = min(MOST_BYTES, max(HARMLESS_BYTES, size * MOST_EXPANSION))
    total = sum(entry.file_size for entry in entries)
    if total > most:
        raise InputError(TOO_LARGE, file=place, size=total, most=most)


def _npz(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], place: Place) -> dict[str, Any]:
    found = {}
    for entry in entries:
        name = entry.filename.removesuffix(".npy")[:200]
        if name == entry.filename[:200]:
            raise InputError(
                _m("{file} is an archive that holds “{name}”, which is no .npy array."), file=place, name=name[:60]
            )
        if entry.flag_bits & 1:
            raise InputError(_m("{file} is locked with a password."), file=place)
        # No more is unpacked than the archive says, and that has been added up.
        with archive.open(entry) as part:
            found[name] = _npy(BytesIO(part.read(entry.file_size)), place, name)
    return found


def _torch(file: BufferedIOBase, entries: list[zipfile.ZipInfo], size: int, place: Place) -> Any:
    # torch.save never compresses; a file that does, or whose parts overlap, was made to be larger than it looks.
    total = sum(entry.file_size for entry in entries)
    if total > size or any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise InputError(TOO_LARGE, file=place, size=total, most=size)
    file.seek(0)
    try:
        return torch.load(file, map_location="cpu", weights_only=True)  # type: ignore[arg-type]  # a file is a file
    except pickle.UnpicklingError as reason:
        raise InputError(FOREIGN, file=place, found=_what(str(reason))) from reason
    except (
        RuntimeError,
        TypeError,
        AttributeError,
        IndexError,
        AssertionError,
        RecursionError,
        OverflowError,
    ) as reason:
        raise InputError(DAMAGED, file=place) from reason


# The name follows at once, and ends at the next space.
_NAMED = ("Unsupported global: GLOBAL ", "unsupported GLOBAL ", "Unsupported class ", "Unsupported operand ")


def _what(reason: str) -> str:
    """The name that torch did not want to load, out of its long advice; else its advice's first sentence."""
    for mark in _NAMED:
        if mark in reason:
            return reason.split(mark, 1)[1].split()[0][:80]
    return " ".join(reason.split(".", 1)[0].split())[:80]
