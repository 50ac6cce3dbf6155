"""Curves between two sentences: where they run, how thick they are, and what is told of them."""

import numpy as np
import pytest

from attnviz.figures import alignment_lines, describe_alignment_lines, gold, palette, table_alignment_lines
from attnviz.figures.alignment_lines import MOST_LINES, curve

SOURCE, TARGET = ["black", "cat"], ["chat", "noir"]
WEIGHTS = np.array([[0.1, 0.9], [1.0, 0.0]])


def strokes(figure):
    """(where it starts, where it ends) along the sentences → width, of every line."""
    found = {}
    for one in figure.data:
        if one.name == "lines" and one.mode == "lines":
            for piece in np.split(np.asarray(one.x), np.flatnonzero(np.isnan(one.x)))[:-1]:
                points = piece[~np.isnan(piece)]
                found[round(float(points[0]), 1), round(float(points[-1]), 1)] = one.line.width
    return found


def test_words_lie_side_by_side_by_their_widths(plotted):
    """15-pixel letters are about 9 wide: "black" 45 + 14, "cat" 27 + 14; "chat" and "noir" 36 + 14 each."""
    figure = alignment_lines(WEIGHTS, SOURCE, TARGET)
    assert list(plotted.trace(figure, "source").x) == pytest.approx([29.5, 79.5])
    assert list(plotted.trace(figure, "target").x) == pytest.approx([25, 75])
    assert list(plotted.trace(figure, "source").y) == [1, 1]
    assert list(plotted.trace(figure, "target").y) == [0, 0]


def test_every_weight_is_a_line_as_thick_as_it_is_and_zero_keeps_the_least_stroke():
    """0.8 + weight · 12.2 pixels."""
    assert strokes(alignment_lines(WEIGHTS, SOURCE, TARGET)) == {
        (29.5, 25.0): 2.02,
        (79.5, 25.0): 11.78,
        (29.5, 75.0): 13.0,
        (79.5, 75.0): 0.8,
    }


def test_a_curve_leaves_and_arrives_upright_and_passes_the_middle():
    along, between = curve(10, 30)
    assert (along[0], along[8], along[-1]) == (10, 20, 30)
    assert (between[0], between[8], between[-1]) == (1, 0.5, 0)
    # The slope of 3t² − 2t³ is 0 at both ends: a sixteenth of the way it has gone 1.1 % of the distance.
    assert along[1] == pytest.approx(10 + 20 * (3 / 256 - 2 / 4096))


def test_of_two_crossing_lines_each_can_be_hovered_beside_the_crossing(plotted):
    figure = alignment_lines(np.array([[0.0, 1.0], [1.0, 0.0]]), ["aa", "bb"], ["cc", "dd"])
    (points,) = [one for one in figure.data if one.name == "lines" and one.mode == "markers"]
    places = {}
    for x, y, custom in zip(points.x, points.y, points.customdata, strict=True):
        places.setdefault((round(float(x), 2), round(float(y), 2)), []).append(tuple(custom))
    alone = {owners[0][:2] for owners in places.values() if len(owners) == 1}
    assert alone == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_chosen_target_word_has_its_numbers_beside_the_source_words(plotted):
    figure = alignment_lines(WEIGHTS, SOURCE, TARGET, row=0)
    assert [plotted.seen(text) for text in plotted.trace(figure, "source").text] == ["0.100black", "0.900cat"]
    assert [plotted.seen(text) for text in plotted.trace(figure, "target").text] == ["chat", "noir"]
    forward = {
        one.line.width for one in figure.data if one.mode == "lines" and one.line.color.startswith("rgba(224,0,122")
    }
    assert forward == {2.02, 11.78}


def test_words_are_clicked_by_side_and_position(plotted):
    figure = alignment_lines(WEIGHTS, SOURCE, TARGET)
    assert list(map(list, plotted.trace(figure, "target").customdata)) == [["target", 0], ["target", 1]]


def test_what_is_not_written_yet_has_a_place_and_neither_word_nor_line_nor_gold(plotted):
    figure = alignment_lines(WEIGHTS, SOURCE, TARGET, sure={(1, 0), (0, 1)}, written=1)
    assert list(plotted.trace(figure, "target").text) == ["chat", "·"]
    assert set(strokes(figure)) == {(29.5, 25.0), (79.5, 25.0)}
    assert np.isnan(plotted.trace(figure, "gold, sure").x).sum() == 1


def test_gold_links_are_thin_lines_and_possible_ones_broken(plotted):
    figure = alignment_lines(WEIGHTS, SOURCE, TARGET, sure={(1, 0)}, possible={(1, 0), (0, 0), (5, 0)})
    sure, possible = (plotted.trace(figure, name) for name in ("gold, sure", "gold, possible"))
    assert (sure.line.dash, possible.line.dash, sure.line.color) == ("solid", "5px,4px", gold.COLOUR)
    assert (sure.x[0], sure.x[-2]) == (79.5, 25.0)
    assert (possible.x[0], possible.x[-2], len(possible.x)) == (29.5, 25.0, 18)


def test_long_sentences_stand_side_by_side(plotted):
    words = [f"word{place}" for place in range(30)]
    figure = alignment_lines(np.eye(30), words, words)
    assert set(plotted.trace(figure, "source").x) == {0}
    assert set(plotted.trace(figure, "target").x) == {1}
    assert list(plotted.trace(figure, "source").y)[:2] == [13, 39]
    assert figure.layout.yaxis.range == (780, 0)
    assert figure.layout.height > 780


def test_hidden_weight_is_told():
    figure = alignment_lines(WEIGHTS, SOURCE, TARGET, hidden=[0.25, 0.0], row=0, title="one")
    assert figure.layout.title.subtitle.text == "Hidden: 0.250 of this row."
    assert describe_alignment_lines(WEIGHTS, SOURCE, TARGET, hidden=[0.25, 0.0]).endswith(
        "Hidden: at most 0.250 of a row."
    )


def test_too_many_lines_are_counted_and_summed():
    """60 × 60 weights of which 2048 are drawn; the 1552 others are 0.001 each."""
    weights = np.full(3600, 0.001)
    weights[: MOST_LINES - 48] = 0.01
    words = [str(place) for place in range(60)]
    figure = alignment_lines(weights.reshape(60, 60), words, words, title="many")
    assert figure.layout.title.subtitle.text == (
        "1552 lines are too many and not drawn: each at most 0.0010, together 1.552."
    )
    assert len(figure.to_json()) < 900_000


def test_words_are_escaped_and_those_from_right_to_left_isolated(plotted):
    figure = alignment_lines(np.ones((2, 1)), ["<s>"], ["$x$", "שלום"])
    assert list(plotted.trace(figure, "source").text) == ["&lt;s&gt;"]
    assert list(plotted.trace(figure, "target").text) == ["&#36;x&#36;", "\u2068שלום\u2069"]


def test_the_description_counts_crossings():
    assert describe_alignment_lines(WEIGHTS, SOURCE, TARGET) == (
        "The thickest lines: chat ← cat (0.900); noir ← black (1.000). 1 pair of them crosses."
    )
    assert describe_alignment_lines(np.full((1, 1), np.nan), ["a"], ["b"]) == "No line is drawn: there are no weights."


def test_the_table_is_that_of_the_chosen_word():
    assert table_alignment_lines(WEIGHTS, SOURCE, TARGET, row=1)["weight"].tolist() == [1.0, 0.0]
    assert table_alignment_lines(WEIGHTS, SOURCE, TARGET, column=1)["weight"].tolist() == [0.9, 0.0]
    assert len(table_alignment_lines(WEIGHTS, SOURCE, TARGET)) == 4


def test_a_stroke_is_never_thinner_than_can_be_seen():
    weights = np.full((20, 20), 1e-6)
    figure = alignment_lines(weights, ["w"] * 20, ["w"] * 20)
    assert {one.line.width for one in figure.data if one.name == "lines" and one.mode == "lines"} == {
        palette.MINIMUM_STROKE
    }
