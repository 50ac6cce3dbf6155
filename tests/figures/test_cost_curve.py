"""What a threshold costs: a line for each seed, the median, where it is least."""

import math

import numpy as np
import pytest

from attnviz.figures import cost_curve, describe_cost_curve, table_cost_curve

AT = np.array([-1.0, 0.0, 1.0])
CURVES = {"<b>one</b>": np.array([[3.0, 1.0, 2.0], [5.0, 3.0, 2.0], [4.0, 2.0, 9.0]])}


def test_every_seed_is_thin_and_their_median_thick():
    figure = cost_curve(AT, CURVES, chosen=0.5, best=1 / 11, axis="cost")
    assert [line.line.width for line in figure.data] == [1.0, 1.0, 1.0, 2.8]
    assert list(figure.data[-1].y) == [4.0, 2.0, 2.0]
    assert "<b>" not in figure.data[-1].name
    # Thresholds lie at their log-odds: a half at 0, one in eleven at −ln 10.
    assert [line.x0 for line in figure.layout.shapes] == pytest.approx([0.0, -math.log(10)])


def test_in_words_and_as_a_table():
    said = describe_cost_curve(AT, {"one": CURVES["<b>one</b>"]}, chosen=0.27, best=1 / 11)
    # 0.27 is nearest to log-odds of −1, where 0.269 is; the least is first reached at 0.
    assert (
        said == "one: 4.0 at the threshold 0.27, least 2.0 at 0.5. For calibrated probabilities 0.0909 would be best."
    )
    assert len(table_cost_curve(AT, CURVES, axis="cost")) == 9
