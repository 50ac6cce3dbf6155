"""One query by two kinds: both numbers beside each other, each with its own even share."""

import numpy as np
import pytest

from attnviz.figures import Weighed, describe_weight_pair, table_weight_pair, weight_pair
from attnviz.figures.weight_pair import chosen_keys

EVERY, TWO = np.ones(3, bool), np.array([True, True, False])
KINDS = {
    "full": Weighed(np.array([0.2, 0.3, 0.5]), EVERY, 1 / 3),
    "window": Weighed(np.array([0.4, 0.6, 0.0]), TWO, 0.5),
}
WORDS = ("a", "<b>", "c")


def test_both_bars_stand_beside_each_other_and_an_absent_key_has_none(plotted):
    figure = weight_pair(KINDS, WORDS)
    assert plotted.trace(figure, "full").x.tolist() == [0.2, 0.3, 0.5]
    assert plotted.trace(figure, "window").x.tolist()[:2] == [0.4, 0.6]
    assert np.isnan(plotted.trace(figure, "window").x[2])
    texts = [text.strip() for one in figure.data if one.type == "scatter" for text in one.text]
    assert texts == ["0.200", "0.300", "0.500", "0.400", "0.600", "—"]
    assert plotted.seen(figure.layout.yaxis.ticktext[1]) == "<b>"


def test_each_kind_has_its_own_even_share_in_its_own_colour(plotted):
    figure = weight_pair(KINDS, WORDS)
    assert [line.x0 for line in figure.layout.shapes] == pytest.approx([1 / 3, 1 / 2])
    assert [line.line.color for line in figure.layout.shapes] == [
        plotted.trace(figure, name).marker.color for name in KINDS
    ]
    none = weight_pair({"gone": Weighed(np.array([0.7, -0.2, 0.0]), EVERY, None)}, WORDS)
    assert not none.layout.shapes
    assert none.layout.xaxis.range[0] < -0.2


def test_of_many_keys_the_largest_of_either_kind_are_shown_and_it_is_said():
    weights, other = np.full(40, 0.01), np.full(40, 0.01)
    weights[7], other[31] = 0.6, 0.5
    kinds = {"one": Weighed(weights, np.ones(40, bool), 1 / 40), "two": Weighed(other, np.ones(40, bool), 1 / 40)}
    keys = chosen_keys(kinds)
    assert len(keys) == 16
    assert {7, 31} <= set(keys)
    assert keys == sorted(keys)
    subtitle = weight_pair(kinds, [str(at) for at in range(40)], title="Weights").layout.title.subtitle.text
    assert subtitle.startswith("The 16 largest of 40 keys.")


def test_of_many_keys_those_that_no_kind_has_are_not_drawn_to_fill_the_picture():
    some = np.zeros(40, bool)
    some[[3, 9]] = True
    weights = np.where(some, 0.5, 0.0)
    weights[9] = 0.0  # a weight of 0 is there, an absent key is not
    kinds = {"one": Weighed(weights, some, None)}
    assert chosen_keys(kinds) == [3, 9]
    subtitle = weight_pair(kinds, [str(at) for at in range(40)], title="Weights").layout.title.subtitle.text
    assert subtitle == "The 2 largest of 40 keys."  # and no word of a dashed line, as there is none


def test_words_and_table_say_the_same():
    assert describe_weight_pair(KINDS, WORDS) == (
        "full: c 0.500, <b> 0.300, a 0.200. Uniform attention would give each 0.333. "
        "window: <b> 0.600, a 0.400. Uniform attention would give each 0.500."
    )
    table = table_weight_pair(KINDS, WORDS)
    assert table["full"].tolist() == [0.2, 0.3, 0.5]
    assert np.isnan(table["window"][2])
