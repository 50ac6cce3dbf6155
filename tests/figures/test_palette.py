"""Colours that can be told apart and thicknesses that can be seen."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures import palette

# Streamlit's dark page and a white one.
PAGES = {"light": (255, 255, 255), "dark": (14, 17, 23)}

# Machado, Oliveira, Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency",
# table 1, severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def contrast(first, second):
    """WCAG 2.1: from 1 to 21."""
    light, dark = sorted([palette.luminance(first), palette.luminance(second)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour, blindness):
    """CIE L*a*b* as seen with a kind of blindness."""
    rgb = np.array(palette.channels(colour)[:3]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(np.array(blindness) @ linear, 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_luminance_is_wcags():
    assert palette.luminance((255, 255, 255)) == pytest.approx(1)
    assert palette.luminance((0, 0, 0)) == 0
    # The red of the standard's own worked example.
    assert palette.luminance((255, 0, 0)) == pytest.approx(0.2126)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("colour", [*palette.CATEGORICAL, palette.HIGHLIGHT])
def test_lines_stand_out_on_either_page(colour, page):
    assert contrast(palette.channels(colour), PAGES[page]) >= 3


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_the_first_six_colours_can_be_told_apart(blindness):
    seen = [lab(colour, BLINDNESS[blindness]) for colour in palette.CATEGORICAL[:6]]
    assert min(np.linalg.norm(first - second) for first, second in itertools.combinations(seen, 2)) > 15


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_weight_is_never_thinner(first, second):
    small, large = sorted([first, second])
    assert palette.thickness(small) <= palette.thickness(large)


def test_thickness_is_linear_above_a_stroke_that_can_be_seen():
    assert palette.thickness(0) == palette.MINIMUM_STROKE > 0.5
    assert palette.thickness(1) == palette.STROKE_OF_ONE
    halfway = (palette.MINIMUM_STROKE + palette.STROKE_OF_ONE) / 2
    assert palette.thickness(0.5) == pytest.approx(halfway)
    assert palette.thickness(0.0095) > palette.MINIMUM_STROKE
    assert palette.thickness(math.nan) == 0


def test_the_log_scale_is_fixed_and_its_ticks_lie_on_it():
    least, greatest = palette.log_range()
    assert 10**least == pytest.approx(2**-24)
    assert greatest == 0
    values, written = palette.log_ticks()
    assert dict(zip(written, values, strict=True))["0.01"] == -2
    assert all(least <= value <= greatest for value in values)


@given(st.floats(-7, 0), st.floats(-7, 0))
def test_the_log_scale_grows(first, second):
    low, high = palette.place_on_log_scale(np.array(sorted([first, second])))
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize(
    ("values", "least", "expected"),
    [([0.2], 0, 0.2), ([0.21], 0, 0.3), ([1, -4.2], 1, 5), ([6.5], 1, 8), ([13], 1, 20), ([99], 1, 100), ([], 1, 1)],
)
def test_ranges_go_up_in_steps(values, least, expected):
    assert palette.ceiling(values, least) == pytest.approx(expected)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_a_range_holds_all_values(values):
    assert palette.ceiling([*values, math.nan, math.inf]) >= max(map(abs, values))


@pytest.mark.parametrize("colour", palette.CATEGORICAL)
def test_thin_strokes_stand_out_from_a_dark_street(colour):
    """At least 4.5 : 1 to the darkest asphalt of the scene (WCAG 2.1), more than the 3 : 1 of thick ones."""
    light = palette.luminance(palette.channels(palette.on_dark(colour))[:3])
    assert (light + 0.05) / (palette.luminance((0x1F, 0x23, 0x28)) + 0.05) >= 4.5
