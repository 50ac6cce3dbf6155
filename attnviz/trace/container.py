"""One JSON document and named tensors in one safetensors file; whatever else is handed in is refused.

The format is that of safetensors (github.com/huggingface/safetensors): 8 bytes with the length of a JSON
header, the header, the numbers. Reading it executes nothing. The document travels in the header's metadata.
"""

import contextlib
import json
import re
import secrets
from collections.abc import Mapping
from io import BufferedIOBase, BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m

FORMAT = "attnviz-trace"
VERSION = 1

# A larger file is neither written nor read: 24 layers of 16 heads with 8192 tokens in half precision take 0.8 GB.
MOST_BYTES = 4 << 30
# Names, shapes and tokens; safetensors itself reads no more than 100 MB.
MOST_HEADER_BYTES = 64 << 20

# What one array takes in the header, beside its shape: name, type, where it begins and ends.
_ENTRY = 100

# What a trace holds; integers and 8-bit floats have no place in one.
DTYPES = frozenset({torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool})


class Collected:
    """Tensors on their way into a file: each gets a name, and the same tensor always the same one."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names: dict[tuple[object, ...], str] = {}

    def name_of(self, tensor: Tensor | None) -> str | None:
        """The name that the tensor has in the file; None for None."""
        if tensor is None:
            return None
        identity = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype, str(tensor.device))
        name = self._names.setdefault(identity, f"t{len(self._names)}")
        self.tensors.setdefault(name, tensor)
        return name


def pack(document: Mapping[str, Any], collected: Collected) -> bytes:
    """The content of a file. Raises `InputError` where it would be too large."""
    return safetensors.torch.save(_alone(collected), metadata=_metadata(document, collected))


def write(document: Mapping[str, Any], collected: Collected, path: str | PathLike[str]) -> None:
    """Writes the file beside its place and moves it there. Raises `InputError` where that is impossible."""
    place = Path(path)
    if not place.name or not place.parent.is_dir() or place.is_dir():
        raise InputError(
            _m("{file} is no place for a file; a file name in a folder that exists was expected."), file=str(path)
        )
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        safetensors.torch.save_file(_alone(collected), beside, metadata=_metadata(document, collected))
        beside.replace(place)
    except (OSError, SafetensorError) as error:
        raise InputError(_m("{file} could not be written: {reason}."), file=place, reason=_reason(error)) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def read_back(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as it will be read from the file. Raises `InputError` where a number in it is not finite."""
    found: dict[str, Any] = json.loads(_text(document))
    return found


def is_trace(source: str | PathLike[str] | bytes) -> bool:
    """Whether a safetensors file says that it is a trace. Raises `InputError` where its header cannot be read."""
    name = place_of(source)
    metadata = _json(_header(source, name), name).get("__metadata__")
    return isinstance(metadata, dict) and metadata.get("format") == FORMAT


def place_of(source: str | PathLike[str] | bytes) -> "Path | Uploaded":
    """What a file is called in a sentence."""
    return Uploaded() if isinstance(source, bytes) else Path(source)


def unpack(source: str | PathLike[str] | bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The document and the tensors of a file. Raises `InputError` where it is not one, or not complete."""
    name = place_of(source)
    try:
        document = _document(_header(source, name), name)
        tensors = safetensors.torch.load(source) if isinstance(source, bytes) else safetensors.torch.load_file(source)
    except OSError as error:
        raise InputError(_m("{file} could not be read: {reason}."), file=name, reason=_reason(error)) from error
    except (SafetensorError, ValueError, KeyError) as error:
        if isinstance(error, InputError):
            raise
        raise _damaged(name) from error
    for tensor in tensors.values():
        if tensor.dtype not in DTYPES:
            raise InputError(
                _m("{file} holds numbers of the type {found}, which no trace has."), file=name, found=tensor.dtype
            )
    return document, tensors


class Uploaded:
    """What a file without a name is called, in the language of whoever asks."""

    def __str__(self) -> str:
        return _("The uploaded file")


def _header(source: str | PathLike[str] | bytes, name: Path | Uploaded) -> bytes:
    """The JSON header, once the sizes that the file states are plausible."""
    if isinstance(source, bytes):
        return _header_of(BytesIO(source), len(source), name)
    with Path(source).open("rb") as file:
        return _header_of(file, Path(source).stat().st_size, name)


def _header_of(file: BufferedIOBase, size: int, name: Path | Uploaded) -> bytes:
    if size > MOST_BYTES:
        raise InputError(_m("{file} has {size} bytes; at most {most} are read."), file=name, size=size, most=MOST_BYTES)
    length = int.from_bytes(file.read(8), "little")
    start = file.read(1)
    if size < 10 or start != b"{":
        raise InputError(
            _m("{file} is not a trace file and holds no arrays; a safetensors, npz, npy or torch file was expected."),
            file=name,
        )
    if length > MOST_HEADER_BYTES:
        raise InputError(
            _m("{file} states a header of {size} bytes; at most {most} are read."),
            file=name,
            size=length,
            most=MOST_HEADER_BYTES,
        )
    if not 1 < length <= size - 8:
        raise _damaged(name)
    return start + file.read(length - 1)


def _damaged(name: Path | Uploaded) -> InputError:
    return InputError(_m("{file} is cut short or damaged; a complete trace file was expected."), file=name)


def _document(header: bytes, name: Path | Uploaded) -> dict[str, Any]:
    metadata = _json(header, name).get("__metadata__")
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise InputError(_m("{file} is a safetensors file, but not a trace: its metadata does not say so."), file=name)
    if metadata.get("version") != str(VERSION):
        raise InputError(
            _m("{file} is a trace file of version {found}; version {expected} was expected."),
            file=name,
            found=str(metadata.get("version"))[:20],
            expected=VERSION,
        )
    text = metadata.get("trace")
    return _json(text.encode() if isinstance(text, str) else b"", name)


def _json(text: bytes, name: Path | Uploaded) -> dict[str, Any]:
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(_m("{file} is a trace file whose metadata cannot be read."), file=name) from error
    if not isinstance(found, dict):
        raise InputError(_m("{file} is a trace file whose metadata cannot be read."), file=name)
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _metadata(document: Mapping[str, Any], collected: Collected) -> dict[str, str]:
    """What the header says, once it is known to be short enough to be read again."""
    metadata = {"format": FORMAT, "version": str(VERSION), "trace": _text(document)}
    entries = [_ENTRY + sum(len(f"{length},") for length in tensor.shape) for tensor in collected.tensors.values()]
    # The header is JSON, too: every quotation mark and backslash of the document takes two bytes there.
    size = len(json.dumps(metadata, ensure_ascii=False)) + sum(entries)
    if size > MOST_HEADER_BYTES:
        raise InputError(
            _m("The trace's names and tokens take {size} bytes; at most {most} are written to a file."),
            size=size,
            most=MOST_HEADER_BYTES,
        )
    return metadata


def _text(document: Mapping[str, Any]) -> str:
    try:
        return json.dumps(document, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise InputError(
            _m("The trace holds NaN or infinity beside its arrays, which no trace file can hold.")
        ) from error


def _alone(collected: Collected) -> dict[str, Tensor]:
    """The tensors without shared memory, on the CPU: safetensors takes no others."""
    for tensor in collected.tensors.values():
        if tensor.dtype not in DTYPES:
            raise InputError(
                _m("The trace holds numbers of the type {found}, which no trace file takes."), found=tensor.dtype
            )
    size = sum(tensor.numel() * tensor.element_size() for tensor in collected.tensors.values())
    if size > MOST_BYTES:
        raise InputError(
            _m("The trace holds {size} bytes of numbers; at most {most} are written to a file."),
            size=size,
            most=MOST_BYTES,
        )
    return {
        name: tensor.cpu().clone(memory_format=torch.contiguous_format) for name, tensor in collected.tensors.items()
    }


_IN_SAFETENSORS = re.compile(r"I/O error: (.+?)(?: \(os error|$)")


def _reason(error: Exception) -> str:
    """What the system said, which safetensors wraps into an error of its own."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    found = _IN_SAFETENSORS.search(str(error))
    return found[1] if found else str(error)[:100]
