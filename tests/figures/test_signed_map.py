"""Weights below zero keep their sign, and what is absent is no zero."""

import numpy as np

from attnviz.figures import describe_signed_map, signed_map, table_signed_map

WEIGHTS = np.array([[0.7, -0.2], [0.0, 0.35]])
ALLOWED = np.array([[True, True], [False, True]])
WORDS = ["<s>", "cat"]


def test_zero_is_in_the_middle_of_the_colours_and_both_ends_are_as_far(plotted):
    cells = plotted.trace(signed_map(WEIGHTS, ALLOWED, WORDS, WORDS), "weights")
    assert (cells.zmin, cells.zmax) == (-0.8, 0.8)
    assert np.isnan(cells.z[1][0])


def test_numbers_have_their_sign_and_absent_pairs_have_none(plotted):
    printed = plotted.printed(signed_map(WEIGHTS, ALLOWED, WORDS, WORDS), 2, 2)
    assert printed == [["0.700", "−0.200"], ["", "0.350"]]


def test_words_are_escaped_and_the_query_is_framed():
    figure = signed_map(WEIGHTS, ALLOWED, WORDS, WORDS, query=1)
    assert list(figure.layout.xaxis.ticktext) == ["&lt;s&gt;", "cat"]
    (frame,) = figure.layout.shapes
    assert (frame.y0, frame.y1) == (0.5, 1.5)


def test_the_description_names_the_ends_and_counts_what_is_below_zero():
    assert describe_signed_map(WEIGHTS, ALLOWED, WORDS, WORDS) == (
        "Largest weight 0.700, of query “<s>” on key “<s>”; smallest −0.200, of “<s>” on “cat”. 1 weight is below zero."
    )
    assert describe_signed_map(WEIGHTS, np.zeros((2, 2), bool)) == "No pair has a weight."


def test_the_table_is_exact_and_absent_pairs_are_missing():
    assert table_signed_map(WEIGHTS, ALLOWED, WORDS, WORDS)["weight"].tolist()[:2] == [0.7, -0.2]
    assert np.isnan(table_signed_map(WEIGHTS, ALLOWED)["weight"].iloc[2])
