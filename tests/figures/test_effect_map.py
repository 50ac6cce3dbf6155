"""What removing a word does, in nats, with its sign."""

import numpy as np

from attnviz.figures import describe_effect_map, effect_map, gold, table_effect_map

SOURCE, TARGET = ["the", "black", "cat"], ["le", "noir", "."]
EFFECT = np.array([[0.3, -0.002, 2.5], [0.0, 7.2, 0.4], [-0.1, 0.0, np.nan]])


def test_colours_are_symmetric_about_zero_and_end_at_the_next_round_number(plotted):
    figure = effect_map(EFFECT, SOURCE, TARGET)
    cells = plotted.trace(figure, "effect")
    assert (cells.zmin, cells.zmax) == (-8, 8)
    assert cells.colorscale[1] == (0.5, "#F4F4F2")
    assert figure.layout.title.subtitle.text == "Fall of the log-probability in nats; colours to ±8"


def test_numbers_are_printed_with_their_sign_and_none_is_rounded_to_nothing(plotted):
    assert plotted.printed(effect_map(EFFECT, SOURCE, TARGET), 3, 3) == [
        ["0.300", "−0.0020", "2.500"],
        ["0", "7.200", "0.400"],
        ["−0.100", "0", "—"],
    ]


def test_a_cell_is_clicked_by_target_source_and_nats(plotted):
    assert plotted.trace(effect_map(EFFECT, SOURCE, TARGET), "effect").customdata[1][1].tolist() == [1, 1, 7.2]


def test_the_largest_fall_and_gold_are_marked(plotted):
    figure = effect_map(EFFECT, SOURCE, TARGET, sure={(1, 1)}, possible={(2, 0)}, row=1)
    marks = plotted.trace(figure, "largest fall of its row")
    assert [(round(x), round(y)) for x, y in zip(marks.x, marks.y, strict=True)] == [(2, 0), (1, 1), (1, 2)]
    framed = [(one.x0, one.y0, one.line.dash) for one in figure.layout.shapes if one.line.color == gold.COLOUR]
    assert framed == [(0.55, 0.55, "solid"), (1.55, -0.45, "5px,4px")]


def test_the_description_says_what_each_word_needs():
    assert describe_effect_map(EFFECT, SOURCE, TARGET) == (
        "“le” loses most without “cat”: 2.500 nats. “noir” loses most without “black”: 7.200 nats. "
        "“.” loses nothing, whichever word is removed."
    )
    assert describe_effect_map(np.full((1, 1), np.nan), ["a"], ["b"]) == "No effect was measured."


def test_the_table_is_exact_and_what_was_not_measured_is_missing():
    table = table_effect_map(EFFECT, SOURCE, TARGET, sure={(1, 1)})
    np.testing.assert_array_equal(table["fall of the log-probability (nats)"], EFFECT.ravel())
    assert table["gold"].tolist()[4] == "sure"


def test_words_are_escaped():
    assert list(effect_map(np.zeros((1, 1)), ["<s>"], ["$x$"]).layout.xaxis.ticktext) == ["&lt;s&gt;"]
