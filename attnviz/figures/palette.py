"""Every colour and every thickness of the figures, in one place.

All colours are read on a light and on a dark page: the categorical ones keep a contrast of 3 : 1 to both
(WCAG 2.1, 1.4.11), start from Okabe and Ito's set (https://jfly.uni-koeln.de/color/) and stay apart for
red-, green- and blue-blind eyes. Viridis (matplotlib, CC0) is perceptually uniform.
"""

import functools
import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from plotly.colors import sample_colorscale

CATEGORICAL = ("#0072B2", "#D55E00", "#009E73", "#8205FF", "#BF7AA4", "#7F793D", "#974978", "#7F7F7F")

TRANSPARENT = "rgba(0,0,0,0)"

# A name that Plotly knows, or (place, colour) stops.
ColorScale = str | tuple[tuple[float, str], ...]

SEQUENTIAL = "Viridis"

# Zero is in the middle and pale, so that the sign is seen first.
DIVERGING = ((0.0, "#0072B2"), (0.5, "#F4F4F2"), (1.0, "#D55E00"))

# jaxtyping's check in tests takes float literally; people write 1 as well as 1.0.
Number = float | int

# What is not a weight has a colour that no weight has.
ABSENT = "rgba(128,128,128,0.16)"
FULLY_MASKED = "rgba(128,128,128,0.55)"
NOT_A_NUMBER = "#E4572E"
ZERO = "#C9B8A3"

# The ground of a printed number that has no colour of its own.
PLAIN = "rgba(128,128,128,0.10)"

HIGHLIGHT = "#E0007A"
NEUTRAL = "#808080"

# Below this a line cannot be seen on every screen; a weight of 0 that the mask allows is still drawn with it.
MINIMUM_STROKE = 0.8
STROKE_OF_ONE = 13.0

# Up to this many keys the colour is linear on 0–1, above it is logarithmic; both are fixed, never stretched.
LINEAR_KEYS = 16

SMALLEST_EXPONENT = -24

# log10 of a weight → place on the colour scale. Weights that are met live between 0.0001 and 1, so they get
# four fifths of the colours; the colour bar is drawn over log10 and shows the bend.
_BENDS = (
    (SMALLEST_EXPONENT * math.log10(2), 0.0),
    (-4.0, 0.2),
    (-3.0, 0.4),
    (-2.0, 0.6),
    (-1.0, 0.8),
    (0.0, 1.0),
)

_LEAST = _BENDS[0][0]


def thickness(weight: Number) -> float:
    """Pixels of stroke for a weight: linear, with a minimum that can be seen. NaN has no stroke (0)."""
    if math.isnan(weight):
        return 0.0
    return MINIMUM_STROKE + max(weight, 0.0) * (STROKE_OF_ONE - MINIMUM_STROKE)


def category(index: int) -> str:
    """The colour of the index-th head, object or model; after eight they repeat, so a label must go with it."""
    return CATEGORICAL[index % len(CATEGORICAL)]


def on_dark(colour: str) -> str:
    """The same hue lighter, for strokes so thin that they would sink into a dark ground: two fifths of it are white."""
    red, green, blue, _opacity = channels(colour)
    return "#" + "".join(f"{round(part + (255 - part) * 0.4):02X}" for part in (red, green, blue))


def place_on_log_scale(log10_weight: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """Where a weight lies on the logarithmic colour scale, 0–1."""
    exponents, places = zip(*_BENDS, strict=True)
    return np.asarray(np.interp(log10_weight, exponents, places))


@functools.cache
def log_colorscale(stops: int = 49) -> tuple[tuple[float, str], ...]:
    """The Plotly colour scale for z = log10(weight) with zmin = `log_range()[0]` and zmax = 0."""
    positions = np.linspace(0.0, 1.0, stops)
    colours = sample_colorscale(SEQUENTIAL, place_on_log_scale(_LEAST * (1 - positions)).tolist())
    return tuple((float(position), colour) for position, colour in zip(positions, colours, strict=True))


def log_range() -> tuple[float, float]:
    """The fixed ends of the logarithmic scale as log10: from 2⁻²⁴ (about 6·10⁻⁸) to 1."""
    return _LEAST, 0.0


def log_ticks() -> tuple[list[int], list[str]]:
    """Ticks of the logarithmic colour bar: where (log10) and what they say."""
    return [0, -1, -2, -3, -4, -5, -6, -7], ["1", "0.1", "0.01", "0.001", "10⁻⁴", "10⁻⁵", "10⁻⁶", "10⁻⁷"]


def with_alpha(colour: str, alpha: Number) -> str:
    """ "#0072B2", 0.5 → "rgba(0,114,178,0.5)"."""
    red, green, blue, _opacity = channels(colour)
    return f"rgba({red},{green},{blue},{alpha:g})"


def ceiling(values: Sequence[Number] | Float[np.ndarray, "*any"], least: Number = 0) -> float:
    """The next of 1, 2, 3, 4, 5, 6, 8, 10, 20 … (or their tenths) that holds every finite |value|.

    A range that moves in steps does not jump while somebody drags. `least` is the smallest range.
    """
    sizes = np.abs(np.asarray(values, dtype=np.float64).ravel())
    largest = max(float(np.max(sizes, initial=0.0, where=np.isfinite(sizes))), float(least))
    if largest < 1e-300:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(largest))
    return next(step * decade for step in (1, 2, 3, 4, 5, 6, 8, 10, 20) if step * decade >= largest)


def channels(colour: str) -> tuple[int, int, int, float]:
    """Red, green, blue (0–255) and opacity (0–1) of "#rrggbb", "rgb(…)" or "rgba(…)"."""
    if colour.startswith("#"):
        red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
        return red, green, blue, 1.0
    parts = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")]
    return round(parts[0]), round(parts[1]), round(parts[2]), parts[3] if len(parts) == 4 else 1.0


def luminance(rgb: Sequence[Number]) -> float:
    """Relative luminance, 0–1, of red, green and blue from 0 to 255 (WCAG 2.1)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in rgb[:3])]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
