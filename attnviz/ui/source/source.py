"""What a page looks at: a trace and what it is called."""

from typing import NamedTuple

from attnviz.trace import Trace


class Source(NamedTuple):
    """A trace, and a short text that identifies it in caches. file: the name of the file it was read from, or ""."""

    trace: Trace
    key: str
    file: str = ""
