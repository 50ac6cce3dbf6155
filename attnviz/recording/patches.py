"""Tokens for what is seen in a picture: patches by row and column."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from torch import Tensor

from attnviz.base.language import _
from attnviz.tokens import Tokens

# What a backbone that states no patch size makes of a picture: one place for so many pixels each way.
_STRIDES = (8, 16, 32, 64)


def picture_size(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """How many pictures a model is given, their height and width: "items channels height width"."""
    given = [kwargs["pixel_values"]] if "pixel_values" in kwargs else args[:1]
    for one in given:
        if isinstance(one, Tensor) and one.ndim == 4 and one.is_floating_point() and not one.is_nested:
            return one.shape[0], one.shape[2], one.shape[3]
    return None


def picture_tokens(count: int, size: tuple[int, int], config: Any, name: str) -> Tokens | None:
    """The patches of a picture, if just so many positions are patches and special tokens; None where it is unclear.

    config: of the model; it states the size of a patch, or None. name: of the layer, which says whether it looks
    at the picture where a model also reads text.
    """
    both = hasattr(config, "text_config") and hasattr(config, "vision_config")
    if both and not any(word in name for word in ("vision", "visual", "image")):
        return None
    config = config.vision_config if both else config
    for grid in _grids(size, getattr(config, "patch_size", None)):
        special = _special(count - grid[0] * grid[1], config)
        if special is not None:
            return grid_tokens(grid, special=special)
    return None


def _grids(size: tuple[int, int], patch: Any) -> list[tuple[int, int]]:
    if patch is None:
        # Convolutions with padding keep what is left over at the edge.
        return [(-(-size[0] // stride), -(-size[1] // stride)) for stride in _STRIDES]
    tall, wide = patch if isinstance(patch, tuple | list) else (patch, patch)
    return [(size[0] // tall, size[1] // wide)]


def _special(count: int, config: Any) -> tuple[str, ...] | None:
    """The tokens before the patches: none, the class token, and with it the registers if the model has so many."""
    registers = int(getattr(config, "num_register_tokens", 0) or 0)
    if count == 0:
        return ()
    if count not in (1, 1 + registers):
        return None
    return ("[CLS]", *(_("register {number}").format(number=number) for number in range(count - 1)))


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
