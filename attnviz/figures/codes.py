"""One byte for a weight: what the browser is sent instead of floats.

0 absent (the mask leaves it out), 1 in a fully masked row, 2 NaN, 3 exactly zero, and 4–255 the base-2
logarithm from 2⁻²⁴ to 1 in 252 even steps. One step is a factor of 2^(24/251) ≈ 1.0685, so a decoded
weight lies within 3.4 % of the true one; below 2⁻²⁴ everything is 4.
"""

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8
from plotly.colors import sample_colorscale
from torch import Tensor

from attnviz.attention import RowState
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.figures import palette
from attnviz.figures.to_numpy import to_numpy

CODE_ABSENT, CODE_FULLY_MASKED, CODE_NAN, CODE_ZERO, FIRST, LAST = 0, 1, 2, 3, 4, 255

_STEPS_PER_OCTAVE = (LAST - FIRST) / -palette.SMALLEST_EXPONENT

# Half a step, up or down: 2^(12/251) − 1.
RELATIVE_ERROR = 2 ** (0.5 / _STEPS_PER_OCTAVE) - 1


def codes(
    weights: Float[np.ndarray | Tensor, "*heads n m"],
    allowed: Bool[np.ndarray | Tensor, "*heads n m"] | None = None,
    states: Int[np.ndarray | Tensor, "*heads n"] | None = None,
) -> UInt8[np.ndarray, "*heads n m"]:
    """The byte of every weight. `allowed` says which pairs the mask lets through, `states` is a `RowState` a row.

    Raises `InputError` for weights below 0 or above 1: signed weights (differential attention) are no shares;
    encode their magnitude and say so.
    """
    values = to_numpy(weights)
    with np.errstate(invalid="ignore"):
        if (values < 0).any() or (values > 1 + 1e-5).any():
            raise InputError(
                _m("Weights from {smallest} to {largest} were given; one byte holds weights from 0 to 1."),
                smallest=f"{np.nanmin(values):.4g}",
                largest=f"{np.nanmax(values):.4g}",
            )
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.rint((np.log2(values) - palette.SMALLEST_EXPONENT) * _STEPS_PER_OCTAVE) + FIRST
    found = np.clip(np.nan_to_num(steps, nan=CODE_NAN, neginf=CODE_ZERO), FIRST, LAST).astype(np.uint8)
    found[values == 0] = CODE_ZERO
    found[np.isnan(values)] = CODE_NAN
    if allowed is not None:
        found[~to_numpy(allowed)] = CODE_ABSENT
    if states is not None:
        rows = to_numpy(states)
        found[rows == RowState.MASKED] = CODE_FULLY_MASKED
        found[rows == RowState.NAN] = np.where(found[rows == RowState.NAN] == CODE_ABSENT, CODE_ABSENT, CODE_NAN)
    return np.asarray(found)


def decode(found: UInt8[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """The weight that a byte stands for, within `RELATIVE_ERROR`; NaN for absent, fully masked and NaN."""
    exponents = (found.astype(np.float64) - FIRST) / _STEPS_PER_OCTAVE + palette.SMALLEST_EXPONENT
    weights: Float[np.ndarray, "*any"] = np.exp2(exponents)
    weights[found == CODE_ZERO] = 0.0
    weights[found < CODE_ZERO] = np.nan
    return weights


def code_colours() -> UInt8[np.ndarray, "256 4"]:
    """Red, green, blue and opacity (0–255) of every byte, for a canvas."""
    table = np.zeros((256, 4), dtype=np.uint8)
    for code, colour in enumerate((palette.ABSENT, palette.FULLY_MASKED, palette.NOT_A_NUMBER, palette.ZERO)):
        table[code] = _bytes(colour)
    log10 = (np.arange(252) / _STEPS_PER_OCTAVE + palette.SMALLEST_EXPONENT) * np.log10(2)
    places = palette.place_on_log_scale(log10).tolist()
    table[FIRST:] = [_bytes(colour) for colour in sample_colorscale(palette.SEQUENTIAL, places)]
    return table


def _bytes(colour: str) -> tuple[int, int, int, int]:
    red, green, blue, opacity = palette.channels(colour)
    return red, green, blue, round(opacity * 255)
