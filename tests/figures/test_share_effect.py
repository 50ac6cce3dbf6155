"""Shares against effects: each part where its two numbers put it."""

from attnviz.figures import Acting, describe_share_effect, share_effect, table_share_effect

PARTS = [Acting(0, "attention", -0.02, 0.5), Acting(0, "feed-forward", 0.3, 0.1), Acting(1, "attention", 0.1, 0.2)]


def test_a_point_for_each_part_that_says_which_it_is(plotted):
    figure = share_effect(PARTS, chosen=(1, "attention"))
    points = plotted.trace(figure, "attention")
    assert list(points.x) == [-0.02, 0.1], "a negative share is where it is"
    assert list(points.y) == [0.5, 0.2]
    assert [list(one) for one in points.customdata] == [[0, "attention"], [1, "attention"]]
    assert list(plotted.trace(figure, "chosen").x) == [0.1]
    assert not plotted.trace(figure, "cross-attention").showlegend


def test_description_and_table():
    assert describe_share_effect(PARTS) == (
        "The largest share, 30.0%, has feed-forward of layer 0; most changes, by 50.0%, without attention of layer 0."
    )
    assert describe_share_effect([]) == "Nothing was switched off yet."
    assert table_share_effect(PARTS)["share of what leaves its layer"].tolist() == [-0.02, 0.3, 0.1]
