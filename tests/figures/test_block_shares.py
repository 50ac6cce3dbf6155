"""Signed shares: none is clipped, and they add up to 1."""

import pytest

from attnviz.figures import block_shares, describe_block_shares, table_block_shares
from attnviz.figures.block_shares import percent

# Of (3, 4) = (3, 0) + (0, 4): shares 9/25 and 16/25. Of (1, 0) = (2, 0) + (−1, 0): 2 and −1.
SHARES = {"came in": [0.36, 2.0], "attention": [0.64, -1.0]}


def test_bars_stand_on_each_other_and_hang_below_zero(plotted):
    figure = block_shares(SHARES, chosen=1)
    assert figure.layout.barmode == "relative"
    assert list(plotted.trace(figure, "attention").y) == [0.64, -1.0]
    low, high = figure.layout.yaxis.range
    assert low <= -1.0
    assert high >= 2.0
    assert figure.layout.shapes[0].y0 == 1


def test_without_a_negative_share_the_axis_begins_at_zero():
    low, high = block_shares({"came in": [0.36], "attention": [0.64]}).layout.yaxis.range
    assert low == 0
    assert 1 < high < 1.5


def test_even_a_small_negative_share_has_room_below_zero():
    assert block_shares({"came in": [1.0004], "attention": [-0.0004]}).layout.yaxis.range[0] < -0.0004


def test_description_and_table():
    assert describe_block_shares(SHARES, layer=1) == (
        "What leaves layer 1 is made of: came in 200.0 %, attention −100.0 %. Together 100 %."
    )
    assert table_block_shares(SHARES)["attention"].tolist() == [0.64, -1.0]


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.123, "12.3 %"), (-0.5, "−50.0 %"), (0.0004, "0.040 %"), (0.0, "0 %"), (-2e-7, "−2.0·10⁻⁵ %")],
)
def test_a_small_share_is_not_rounded_to_nothing(share, expected):
    assert percent(share) == expected
