"""The stories that come with the site: files in shipped/, each in three languages."""

import functools
from pathlib import Path

from attnviz.ui.stories.model import Story, from_json

FOLDER = Path(__file__).parent / "shipped"

# In the order in which they are offered; a file's name is the story's name in an address.
SHIPPED = ("not-zero", "not-quite-an-alignment", "not-there-yet", "does-it-fit")


@functools.cache
def shipped(name: str) -> Story:
    """The story of this name."""
    return from_json((FOLDER / f"{name}.json").read_bytes())


def find(name: str) -> Story | None:
    """The story of a name from outside; None when there is none."""
    return shipped(name) if name in SHIPPED else None
