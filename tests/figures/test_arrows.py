"""Query and keys in the plane."""

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.figures import arrows, describe_arrows, table_arrows

KEYS = ("car ahead", "bike", "parked <car>")


@pytest.fixture
def plane(intersection):
    return {"query": intersection.query[0, 0], "keys": intersection.key[0], "key_labels": KEYS}


def tips(figure):
    return {one.meta["handles"][1]: (one.x[1], one.y[1]) for one in figure.data}


def test_every_arrow_runs_from_the_origin_to_its_vector(plane):
    figure = arrows(**plane)
    assert tips(figure) == {"query:0": (1, 2), "key:0": (2, 1), "key:1": (1, 2), "key:2": (-1, 0)}
    assert all((one.x[0], one.y[0]) == (0, 0) for one in figure.data)
    assert all(one.meta["handles"][0] is None for one in figure.data)


def test_dot_products_and_weights_stand_beside_the_keys(plane, intersection, plotted):
    figure = arrows(**plane, weights=intersection.weights[0, 0])
    texts = [plotted.seen(one.text[1].replace("<br>", " ")) for one in figure.data[1:]]
    assert texts == [
        "car ahead q·k = 4.000 weight 0.327",
        "bike q·k = 5.000 weight 0.663",
        "parked <car> q·k = −1.000 weight 0.0095",
    ]


def test_axes_are_equal_and_do_not_follow_a_small_move(plane):
    layout = arrows(**plane).layout
    assert layout.yaxis.scaleanchor == "x"
    moved = arrows(plane["query"] + 0.3, plane["keys"], key_labels=KEYS).layout
    assert arrows(plane["query"] + 0.5, plane["keys"]).layout.xaxis.range == moved.xaxis.range
    assert arrows(**plane, limit=6).layout.xaxis.range[1] > 6


def test_the_chart_component_is_told_how_far_and_in_what_steps_to_drag(plane):
    for one in arrows(**plane, limit=5, step=0.1, query_index=2).data:
        assert one.meta["bounds"] == [-5, 5]
        assert one.meta["step"] == 0.1
    assert arrows(**plane, query_index=2).data[0].meta["handles"] == [None, "query:2"]


def test_values_are_drawn_too(plane):
    figure = arrows(**plane, values=torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]]))
    assert tips(figure)["value:2"] == (3, 3)


def test_longer_vectors_are_shown_in_two_of_their_dimensions():
    query, keys = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([[4.0, 5.0, 6.0]])
    figure = arrows(query, keys, dimensions=(0, 2))
    assert tips(figure) == {"query:0": (1, 3), "key:0": (4, 6)}
    # The dot product of what is shown would be 22, that of the whole vectors 32: neither is claimed unasked.
    assert "q·k" not in figure.data[1].text[1]
    assert "q·k = 32.00" in arrows(query, keys, dimensions=(0, 2), dots=keys @ query).data[1].text[1]


def test_one_dimension_is_no_plane():
    with pytest.raises(InputError, match="dimension 2 of 1"):
        arrows(torch.tensor([1.0]), torch.tensor([[1.0]]))


def test_the_description_reads_the_dot_products(plane, intersection):
    assert describe_arrows(**plane, query_label="ego", weights=intersection.weights[0, 0]) == (
        "Dot products of ego with the keys: car ahead 4.000, bike 5.000, parked <car> −1.000. "
        "The largest weight, 0.663, goes to bike."
    )


def test_the_table_has_lengths_and_angles(plane):
    """(1, 2)·(2, 1) = 4 and both have length √5: cos = 4/5, 36.87°. (−1, 0): cos = −1/√5, 116.57°."""
    table = table_arrows(**plane)
    assert table["dot product"].tolist()[1:] == [4, 5, -1]
    assert table["length"].tolist() == pytest.approx([5**0.5, 5**0.5, 5**0.5, 1])
    assert table["angle to the query (degrees)"].tolist()[1:] == pytest.approx([36.8699, 0, 116.5651], abs=1e-3)
