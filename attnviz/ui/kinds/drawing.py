"""A small picture of a street, drawn here: sky, houses, a white van, a child behind it, an oncoming car, a crossing."""

import functools

import numpy as np
from jaxtyping import Bool, Float, UInt8

ROWS, COLUMNS = 8, 12
PATCH = 16
"""Pixels along a side of a patch; 8 × 12 patches are 96 tokens."""

Colour = tuple[int, int, int]
_SKY, _HOUSE, _OTHER_HOUSE, _WINDOW = (188, 214, 235), (196, 150, 118), (214, 196, 160), (92, 112, 132)
_PAVEMENT, _ROAD, _LINE, _TREE, _TRUNK = (190, 186, 178), (92, 96, 102), (235, 235, 228), (70, 120, 72), (96, 70, 50)
_VAN, _GLASS, _TYRE, _CAR, _COAT, _SKIN = (240, 240, 240), (60, 80, 100), (28, 28, 30), (190, 40, 44), (245, 196, 40), (224, 172, 136)  # fmt: skip


class _Canvas:
    def __init__(self) -> None:
        self.pixels = np.zeros((ROWS * PATCH, COLUMNS * PATCH, 3), np.uint8)
        self._y, self._x = np.indices(self.pixels.shape[:2])

    def fill(self, where: Bool[np.ndarray, "height width"], colour: Colour) -> None:
        self.pixels[where] = colour

    def box(self, left: int, top: int, right: int, bottom: int, colour: Colour) -> None:
        self.pixels[top:bottom, left:right] = colour

    def disc(self, x: int, y: int, radius: int, colour: Colour) -> None:
        self.fill((self._x - x) ** 2 + (self._y - y) ** 2 <= radius**2, colour)


@functools.cache
def picture() -> UInt8[np.ndarray, "height width 3"]:
    """The picture, 128 × 192 pixels."""
    canvas = _Canvas()
    _behind(canvas)
    _on_the_road(canvas)
    return canvas.pixels


def _behind(canvas: _Canvas) -> None:
    canvas.box(0, 0, 192, 128, _SKY)
    for left, right, top, colour in ((0, 46, 14, _HOUSE), (46, 84, 24, _OTHER_HOUSE), (128, 192, 10, _HOUSE)):
        canvas.box(left, top, right, 60, colour)
        for x in range(left + 7, right - 8, 14):
            for y in range(top + 7, 50, 15):
                canvas.box(x, y, x + 7, y + 9, _WINDOW)
    canvas.box(103, 36, 108, 64, _TRUNK)
    canvas.disc(105, 28, 15, _TREE)
    canvas.box(0, 60, 192, 74, _PAVEMENT)
    canvas.box(0, 74, 192, 128, _ROAD)
    for x in range(4, 192, 26):
        canvas.box(x, 98, x + 13, 101, _LINE)
    for x in range(132, 164, 8):
        canvas.box(x, 76, x + 4, 126, _LINE)


def _on_the_road(canvas: _Canvas) -> None:
    # The child steps out from behind the van.
    canvas.box(76, 53, 93, 80, _COAT)
    canvas.disc(86, 46, 7, _SKIN)
    canvas.box(14, 46, 78, 84, _VAN)
    canvas.box(60, 51, 75, 65, _GLASS)
    canvas.disc(28, 84, 7, _TYRE)
    canvas.disc(66, 84, 7, _TYRE)
    canvas.box(104, 104, 160, 120, _CAR)
    canvas.box(116, 94, 148, 104, _CAR)
    canvas.box(119, 96, 145, 104, _GLASS)
    canvas.disc(116, 120, 6, _TYRE)
    canvas.disc(148, 120, 6, _TYRE)


@functools.cache
def patches() -> Float[np.ndarray, "patches height width 3"]:
    """The patches row by row, colours from 0 to 1."""
    cut = picture().reshape(ROWS, PATCH, COLUMNS, PATCH, 3).swapaxes(1, 2)
    return np.asarray(cut.reshape(ROWS * COLUMNS, PATCH, PATCH, 3) / 255.0)


def child() -> Bool[np.ndarray, "height width"]:
    """The pixels that show the child: its coat and its head."""
    pixels = picture()
    return np.asarray((pixels == _COAT).all(-1) | (pixels == _SKIN).all(-1))
