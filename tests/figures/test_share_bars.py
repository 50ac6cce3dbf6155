"""Parts of a whole: per cent, narrower where one is part of the other, both figures on one scale."""

from attnviz.figures import describe_share_bars, share_bars, table_share_bars

SHARES = {"whole": [0.10, 0.05], "part": [0.04, 0.01]}


def test_parts_lie_within_their_whole():
    figure = share_bars(["n", "<b>"], SHARES, chosen=0, most=20.0)
    outer, inner = figure.data
    assert (list(outer.y), list(inner.y)) == ([10.0, 5.0], [4.0, 1.0])
    assert outer.width > inner.width
    assert figure.layout.barmode == "overlay"
    assert list(figure.layout.yaxis.range) == [0, 21.6]
    assert list(figure.layout.xaxis.ticktext) == ["<b>n</b>", "&lt;b&gt;"]


def test_the_scale_holds_the_largest_where_none_is_given():
    assert share_bars(["n", "s"], SHARES).layout.yaxis.range[1] >= 10


def test_in_words_and_as_a_table():
    assert describe_share_bars(["n", "s"], SHARES) == "n: whole 10.00 %, part 4.00 %. s: whole 5.00 %, part 1.00 %."
    assert table_share_bars(["n", "s"], SHARES)["part, %"].tolist() == [4.0, 1.0]
