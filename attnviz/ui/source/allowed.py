"""What this server opens: on a public one no folders and no hub ids, and only files of bounded size."""

import os

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.trace import Trace
from attnviz.trace.container import place_of
from attnviz.ui.page import is_public

# In megabytes; the site's own limit holds elsewhere.
MOST_PUBLIC_UPLOAD = 50
MOST_PUBLIC_TOKENS = 2048


def folders() -> bool:
    """Whether folders of this machine are opened."""
    return not is_public() and not os.environ.get("ATTNVIZ_NO_PATHS")


def hub() -> bool:
    """Whether models are fetched from the Hugging Face hub."""
    return not is_public()


def check_size(trace: Trace) -> None:
    """Raises `InputError` where a stranger's file would keep a public server busy."""
    longest = max((max(attention.shape) for attention in trace), default=0)
    if is_public() and longest > MOST_PUBLIC_TOKENS:
        raise InputError(
            _m("This server is public: it opens files of at most {most} tokens; this one has {found}."),
            most=MOST_PUBLIC_TOKENS,
            found=longest,
        )


def check_bytes(size: int) -> None:
    """Raises `InputError` where an upload is too large for a public server, whatever the browser let through."""
    if is_public() and size > MOST_PUBLIC_UPLOAD << 20:
        raise InputError(
            _m("{file} has {size} bytes; at most {most} are read."),
            file=place_of(b""),
            size=size,
            most=MOST_PUBLIC_UPLOAD << 20,
        )


def sizes_sentence() -> str:
    """What is said beside the place where files are opened; "" where no limit but the site's holds."""
    if not is_public():
        return ""
    return _(
        "This server is public: files of up to {size} MB and {tokens} tokens are opened, and kept only while you are here.",
        size=MOST_PUBLIC_UPLOAD,
        tokens=MOST_PUBLIC_TOKENS,
    )
