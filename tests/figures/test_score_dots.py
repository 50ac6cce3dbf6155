"""Error rates with their intervals, and what they are compared with."""

import pytest

from attnviz.figures import ScoreRow, describe_score_dots, score_dots, table_score_dots

ROWS = [
    ScoreRow("layer 0 · head <1>", "head", 0.082, 0.07, 0.1, 0.93, 0.9),
    ScoreRow("mean", "mean", 0.1, 0.08, 0.11, 0.9, 0.885),
    ScoreRow("diagonal", "floor", 0.31, 0.29, 0.34, 0.7, 0.68),
    ScoreRow("no links", "effect", float("nan"), float("nan"), float("nan"), float("nan"), 0.0),
]


def test_dots_are_in_per_cent_with_their_intervals_and_tell_their_row(plotted):
    dot = plotted.trace(score_dots(ROWS), "one head")
    assert list(dot.x) == pytest.approx([8.2])
    assert (list(dot.error_x.array), list(dot.error_x.arrayminus)) == ([pytest.approx(1.8)], [pytest.approx(1.2)])
    assert list(plotted.trace(score_dots(ROWS), "floor that looks at no attention").customdata) == [2]


def test_kinds_differ_without_colour():
    symbols = [one.marker.symbol for one in score_dots(ROWS).data if one.mode == "markers"]
    assert symbols == ["circle", "diamond", "square", "star"]


def test_rate_precision_and_recall_are_printed(plotted):
    rates, pairs = [one for one in score_dots(ROWS).data if one.mode == "text"]
    assert [text.strip() for text in rates.text] == ["8.2", "10.0", "31.0", "—"]
    assert [text.replace("\u2007", " ").split() for text in pairs.text] == [
        ["93.0", "90.0"],
        ["90.0", "88.5"],
        ["70.0", "68.0"],
        ["—", "0.0"],
    ]


def test_a_floor_has_a_line_through_all_rows():
    (line,) = score_dots(ROWS).layout.shapes
    assert line.x0 == line.x1 == 31.0


def test_the_axis_starts_at_zero_and_holds_the_widest_interval():
    assert list(score_dots(ROWS).layout.xaxis.range) == [0, 40]


def test_no_rate_is_above_a_hundred_so_the_axis_ends_there_with_room_for_the_number():
    worst = ScoreRow("worst", "head", 1.0, 0.95, 1.0, 0.0, 0.0)
    assert list(score_dots([worst]).layout.xaxis.range) == [0, 115]


def test_one_sentence_has_no_interval_and_nothing_is_called_nan():
    alone = ScoreRow("one", "head", 0.4, float("nan"), float("nan"), float("nan"), 0.0)
    figure = score_dots([alone, ROWS[3]], title="t", sentences=1)
    assert figure.layout.title.subtitle.text == "one sentence, which gives no interval"
    told = [text for trace in figure.data if trace.mode == "markers" for text in trace.text]
    assert told == [
        "<b>one</b><br>error rate 40.0 %<br>precision — %, recall 0.0 %",
        "<b>no links</b><br>error rate — %<br>precision — %, recall 0.0 %",
    ]


def test_names_are_escaped():
    figure = score_dots(ROWS)
    assert figure.layout.yaxis.ticktext[0] == "layer 0 · head &lt;1&gt;"
    assert "<b>layer 0 · head &lt;1&gt;</b><br>error rate 8.2 % (7.0 to 10.0)" in figure.data[0].text[0]


def test_description_and_table():
    assert describe_score_dots(ROWS) == (
        "Alignment error rates of 3 rows, from 8.2 % (layer 0 · head <1>) to 31.0 % (diagonal)."
    )
    assert describe_score_dots(ROWS[3:]) == "There is no error rate to show."
    table = table_score_dots(ROWS)
    assert table["error rate %"].tolist()[:3] == pytest.approx([8.2, 10, 31])
    assert table["recall %"].tolist() == pytest.approx([90, 88.5, 68, 0])
