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


def levels_tokens(shapes: tuple[tuple[int, int], ...]) -> Tokens:
    """The places of several pictures, one after the other, as a pyramid of features has them; counted from 0."""
    return _levels(shapes, _("level {level}, row {row}, column {column}"))


@lru_cache(maxsize=64)
def _levels(shapes: tuple[tuple[int, int], ...], text: str) -> Tokens:
    texts = [
        text.format(level=level, row=row, column=column)
        for level, (rows, columns) in enumerate(shapes)
        for row, column in product(range(rows), range(columns))
    ]
    return Tokens(texts=tuple(texts), kind="patch")


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
