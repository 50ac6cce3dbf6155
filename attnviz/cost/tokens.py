"""From what somebody has, an image and a patch size, to a number of tokens."""

from dataclasses import dataclass
from typing import Literal, get_args

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Padding = Literal["cut", "pad"]
"""What happens to a rest at the edge: cut off (a convolution without padding), or filled up to a whole patch."""


@dataclass(frozen=True)
class ImageTokens:
    """rows × columns of tokens and `extra` ones: class or register tokens, that see no part of the image alone.

    rest_right, rest_below: pixels that were cut off (negative) or added (positive).
    """

    rows: int
    columns: int
    extra: int
    rest_right: int
    rest_below: int

    @property
    def count(self) -> int:
        """All tokens."""
        return self.rows * self.columns + self.extra

    @property
    def pairs(self) -> int:
        """Queries × keys of full attention."""
        return self.count**2


def image_tokens(width: int, height: int, stride: int, padding: Padding = "cut", extra: int = 0) -> ImageTokens:
    """The tokens of an image in pixels at a patch size, or at the stride of a feature map.

    Raises `InputError` where not one whole token is left, and for another word than "cut" or "pad".
    """
    if padding not in get_args(Padding):
        raise InputError(_m("The padding is “{found}”; “cut” or “pad” was expected."), found=padding)
    if min(width, height, stride) < 1 or extra < 0:
        raise InputError(_m("An image needs a width, a height and a patch of at least one pixel."))
    if padding == "cut":
        columns, rows = width // stride, height // stride
    else:
        columns, rows = -(-width // stride), -(-height // stride)
    if not columns or not rows:
        raise InputError(
            _m("An image of {width} × {height} pixels has no whole patch of {stride} pixels."),
            width=width, height=height, stride=stride,
        )  # fmt: skip
    return ImageTokens(rows, columns, extra, columns * stride - width, rows * stride - height)
