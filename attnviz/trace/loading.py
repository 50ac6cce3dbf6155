"""`attnviz.load`: a trace from a file, whatever kind of file it is; the content tells, not the name."""

from os import PathLike

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.trace import trace
from attnviz.trace.array_files import NPY, START, ZIP, arrays_in, is_pickle, opened
from attnviz.trace.arrays import from_arrays
from attnviz.trace.container import MOST_BYTES, is_trace, place_of
from attnviz.trace.trace import Trace


def load(source: str | PathLike[str] | bytes) -> Trace:
    """The trace in a file, or in the content of one; weights in a file of arrays become a trace.

    Arrays may be npz, npy, safetensors or what torch.save wrote; see `from_arrays` for what they may hold, to
    which a file may add text: `tokens` and `decoder_tokens`. Nothing in a file is executed. Raises `InputError`
    for anything that is not complete, of an unknown version, or too large.
    """
    place = place_of(source)
    try:
        if _is_of_arrays(source):
            return from_arrays(arrays_in(source, place), place=place)
    except OSError as error:
        raise InputError(
            _m("{file} could not be read: {reason}."), file=place, reason=error.strerror or type(error).__name__
        ) from error
    return trace.load(source)


def _is_of_arrays(source: str | PathLike[str] | bytes) -> bool:
    with opened(source) as file:
        start, size = file.read(START), file.seek(0, 2)
    if size > MOST_BYTES:
        raise InputError(
            _m("{file} has {size} bytes; at most {most} are read."), file=place_of(source), size=size, most=MOST_BYTES
        )
    return start.startswith((NPY, ZIP)) or is_pickle(start) or not is_trace(source)
