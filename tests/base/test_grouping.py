"""Long numbers are grouped as the language does: a comma marks decimals in Russian, so there it groups nothing."""

import pytest

from attnviz.base.grouping import grouped
from attnviz.base.language import LANGUAGES, speaking
from attnviz.figures import plot

COMMAS, SPACES = "40,960,000", "40\u00a0960\u00a0000"


@pytest.mark.parametrize(("code", "written"), [("en", COMMAS), ("ja", COMMAS), ("ru", SPACES)])
def test_groups_are_separated_as_the_language_does(code, written):
    with speaking(code):
        assert grouped(40_960_000) == written


@pytest.mark.parametrize("code", LANGUAGES)
def test_short_numbers_need_no_groups(code):
    with speaking(code):
        assert grouped(400) == "400"


def test_decimals_stay_behind_a_point():
    with speaking("ru"):
        assert grouped(1880.25, decimals=1) == "1\u00a0880.2"
    assert grouped(8040.0) == "8,040"


def test_whole_numbers_beyond_floats_stay_exact():
    assert grouped(2**63 + 1) == "9,223,372,036,854,775,809"


def test_figures_group_what_is_hovered_in_the_same_way():
    drawn = {}
    for code in LANGUAGES:
        with speaking(code):
            drawn[code] = plot.figure([], {}).layout.separators
    assert drawn == {"en": ".,", "ja": ".,", "ru": ".\u00a0"}
