"""A dot for every seed: none lost, none on another, the truth beside them; and numbers that grow."""

import math

import pytest

from attnviz.base.language import speaking
from attnviz.figures import describe_growth, describe_seed_dots, growth, seed_dots, table_growth, table_seed_dots

SERIES = {"hazard 0.1": [[0.1, 0.2], [0.3, math.nan]], "hazard 1": [[0.5, 0.5], [0.9, 0.7]]}
GIVEN = {"axis": "probability", "factor": "run-outs"}


def test_every_number_is_a_dot_and_equal_ones_lie_beside_each_other(plotted):
    figure = seed_dots(["0", "10"], SERIES, truth={"hazard 1": 0.8}, **GIVEN)
    first, second = plotted.trace(figure, "hazard 0.1"), plotted.trace(figure, "hazard 1")
    assert list(first.y) == [0.1, 0.2, 0.3]
    assert [list(one) for one in first.customdata] == [["hazard 0.1", 0, 0], ["hazard 0.1", 0, 1], ["hazard 0.1", 1, 0]]
    assert list(second.y) == [0.5, 0.5, 0.9, 0.7]
    assert second.x[0] != second.x[1]
    # The first series is left of its category, the second right of it.
    assert max(first.x[:2]) < 0 < min(second.x[:2])
    (line,) = [one for one in figure.data if one.line and one.line.dash == "dash"]
    assert list(line.y) == [0.8, 0.8]


def test_the_chosen_one_is_ringed_and_one_that_is_not_there_is_not():
    ringed = seed_dots(["0", "10"], SERIES, chosen=("hazard 1", 1, 0), **GIVEN).data[-1]
    assert list(ringed.y) == [0.9]
    assert len(seed_dots(["0", "10"], SERIES, chosen=("hazard 7", 1, 0), **GIVEN).data) == 2


def test_medians_and_ranges_in_words():
    said = describe_seed_dots(["0", "10"], SERIES, axis="probability", truth={"hazard 1": 0.8})
    assert said == (
        "probability. hazard 0.1, median and range over the seeds: 0: 0.150 (0.100 to 0.200); 10: 0.300 (0.300 to 0.300). "
        "hazard 1, median and range over the seeds: 0: 0.500 (0.500 to 0.500); 10: 0.800 (0.700 to 0.900). In truth 0.800."
    )
    assert len(table_seed_dots(["0", "10"], SERIES, **GIVEN)) == 7


def test_growth(plotted):
    numbers = {"weight": [0.2, 0.4], "probability": [0.5, 0.1]}
    figure = growth([0, 10], numbers, last=400, level=("hazard", 0.5))
    assert list(plotted.trace(figure, "weight").y) == [0.2, 0.4]
    assert list(plotted.trace(figure, "hazard").y) == [0.5, 0.5]
    assert figure.layout.xaxis.range == (0, 400)
    assert describe_growth([0, 10], numbers) == (
        "After 10 training steps. weight: from 0.200 to 0.400. probability: from 0.500 to 0.100."
    )
    assert describe_growth([], {}) == "Nothing was trained yet."
    assert table_growth([0, 10], numbers)["weight"].tolist() == pytest.approx([0.2, 0.4])


def test_a_number_below_zero_is_not_cut_off():
    low, high = seed_dots(["0"], {"rank correlation": [[-0.4, 0.9]]}, **GIVEN).layout.yaxis.range
    assert low < -0.4
    assert high >= 1


def test_what_is_told_of_a_dot_is_escaped_and_in_the_readers_language():
    with speaking("ja"):
        (dots,) = seed_dots(["0"], {"<b>one</b>": [[0.5]]}, **GIVEN).data
    assert "<b>" not in dots.hovertemplate
    assert "シード" in dots.hovertemplate
