"""Tokens for what is seen in a picture: patches by row and column."""

from functools import lru_cache
from itertools import product

from attnviz.base.language import _
from attnviz.tokens import Tokens


def grid_tokens(grid: tuple[int, ...], padding: int = 0, special: tuple[str, ...] = ()) -> Tokens:
    """The patches of a grid row by row, counted from 0, after the special tokens; after them, padding."""
    if len(grid) == 3:
        return _tokens(grid, _("frame {frame}, row {row}, column {column}"), _("padding"), padding, special)
    return _tokens(grid, _("row {row}, column {column}"), _("padding"), padding, special)


@lru_cache(maxsize=64)
def _tokens(grid: tuple[int, ...], text: str, absent: str, padding: int, special: tuple[str, ...]) -> Tokens:
    names = ("frame", "row", "column")[-len(grid) :]
    patches = [text.format(**dict(zip(names, place, strict=True))) for place in product(*map(range, grid))]
    count = len(special) + len(patches)
    return Tokens(
        texts=(*special, *patches, *[absent] * padding),
        kind="patch",
        special=tuple(position < len(special) for position in range(count + padding)) if special else None,
        padding=tuple(position >= count for position in range(count + padding)) if padding else None,
    )
