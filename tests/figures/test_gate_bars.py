"""Gates are no weights: each by itself between 0 and 1, and their sum is told."""

import numpy as np

from attnviz.figures import describe_gate_bars, gate_bars, table_gate_bars

GATES = np.array([0.5, 0.9, 0.25])


def test_every_gate_is_a_bar_and_the_sum_is_printed(plotted):
    figure = gate_bars(GATES, title="Gates")
    assert plotted.trace(figure, "gates").y.tolist() == [0.5, 0.9, 0.25]
    assert list(plotted.trace(figure, "gates").text) == ["0.500", "0.900", "0.250"]
    assert "they sum to 1.650, not to 1" in figure.layout.title.subtitle.text


def test_the_only_line_is_the_gate_of_a_score_of_zero():
    (line,) = gate_bars(GATES).layout.shapes
    assert line.y0 == line.y1 == 0.5


def test_words_and_table_say_the_same():
    assert describe_gate_bars(GATES).endswith(
        "The largest is that of channel 1, 0.900, the smallest that of channel 2, 0.250."
    )
    assert table_gate_bars(GATES, names=["red"])["channel"].tolist() == ["red", "1", "2"]
