"""Changes on a logarithmic axis, and changes word by word."""

import pytest
import torch

from attnviz import figures
from attnviz.figures import layout

CHANGES = {"none": 2e-16, "still": 0.0, "rotary": 0.4}
WORDS = ("the", "<b>dog</b>", "the")


def test_every_dot_stands_at_its_number_and_says_it(plotted):
    figure = figures.order_changes(CHANGES, chosen=2, title="t")
    dots = plotted.trace(figure, "changes")
    assert [dots.x[0], dots.x[2]] == pytest.approx([2e-16, 0.4])
    assert [text.strip() for text in dots.text] == ["2.0·10⁻¹⁶", "0", "0.400"]
    # 0 has no place on a logarithmic axis: it stands at the left end, where nothing else is.
    assert 0 < dots.x[1] < 1e-16
    assert list(dots.customdata) == [0, 1, 2]
    assert len(set(dots.marker.color)) == 2


def test_what_is_grey_is_rounding_alone():
    (zone,) = figures.order_changes(CHANGES).layout.shapes
    assert zone.x1 == 1e-12


def test_words_and_table_say_the_same():
    assert "rotary 0.400" in figures.describe_order_changes(CHANGES)
    assert figures.table_order_changes(CHANGES)["largest change"].tolist() == [2e-16, 0.0, 0.4]


def test_bars_of_words_stand_apart_though_the_words_are_the_same():
    changes = torch.tensor([0.25, 1.5, 0.0])
    figure = figures.token_changes(changes, WORDS, title="t")
    assert list(figure.data[0].y) == [0, 1, 2]
    assert list(figure.data[0].x) == [0.25, 1.5, 0.0]
    assert [text.strip() for text in figure.data[1].text] == ["0.250", "1.500", "0"]
    assert "<b>" not in figure.layout.yaxis.ticktext[1]
    assert figure.layout.xaxis.range[1] >= 1.5
    assert figures.table_token_changes(changes, WORDS)["change"].tolist() == [0.25, 1.5, 0.0]
    assert "0.250" in figures.describe_token_changes(changes, WORDS)


def test_the_longest_name_of_a_scheme_has_its_room():
    name = "относительное смещение"
    assert figures.order_changes({name: 0.4}).layout.margin.l > layout.text_width(name)
