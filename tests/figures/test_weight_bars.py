"""One query's weights, their baseline, and their shares of the output."""

import numpy as np
import pytest
import torch

from attnviz.figures import describe_weight_bars, table_weight_bars, weight_bars

KEYS = ("car ahead", "bike", "parked <car>")


@pytest.fixture
def row(intersection):
    return {"weights": intersection.weights[0, 0], "shares": intersection.shares[0, 0], "key_labels": KEYS}


def numbers(figure, axis):
    (found,) = [one for one in figure.data if one.type == "scatter" and one.xaxis == axis]
    return [text.strip() for text in found.text]


def test_the_number_stands_beside_every_bar(row, plotted):
    figure = weight_bars(**row)
    assert list(plotted.trace(figure, "weight").x) == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert numbers(figure, "x") == ["0.327", "0.663", "0.0095"]


def test_shares_of_the_output_stand_beside_the_weights(row, plotted):
    """The parked car: weight 0.0095, but 0.000953 of the output 0.794247, which is 0.12 %."""
    figure = weight_bars(**row)
    shares = list(plotted.trace(figure, "share of the output").x)
    assert shares[2] == pytest.approx(0.000953 / 0.794247, abs=1e-6)
    assert sum(shares) == pytest.approx(1)
    assert numbers(figure, "x2")[2] == "0.1 %"


def test_the_baseline_is_one_over_the_allowed_keys(row):
    (line,) = weight_bars(**row).layout.shapes
    assert line.x0 == line.x1 == pytest.approx(1 / 3)
    masked = weight_bars(torch.tensor([0.5, 0.5, 0.0]), allowed=torch.tensor([True, True, False]))
    assert masked.layout.shapes[0].x0 == 0.5
    assert not weight_bars(torch.rand(3), normalised=False).layout.shapes


def test_an_absent_key_has_no_bar_and_a_dash(plotted):
    figure = weight_bars(torch.tensor([1.0, 0.0]), allowed=torch.tensor([True, False]))
    assert np.isnan(plotted.trace(figure, "weight").x[1])
    assert numbers(figure, "x") == ["1.000", "—"]


def test_shares_below_zero_have_room():
    figure = weight_bars(torch.tensor([0.5, 0.5]), shares=torch.tensor([1.5, -0.5]))
    least, most = figure.layout.xaxis2.range
    assert least < -0.5
    assert most > 1.5
    assert numbers(figure, "x2") == ["150.0 %", "−50.0 %"]


def test_bars_are_clicked_by_position_and_the_chosen_one_is_outlined(plotted):
    figure = weight_bars(torch.tensor([0.5, 0.5]), keys=(4, 7), key=7)
    assert list(plotted.trace(figure, "weight").customdata) == [4, 7]
    assert figure.layout.shapes[1].y0 == 0.5


def test_the_description_reads_the_row(row):
    assert describe_weight_bars(**row) == (
        "Weights, largest first: bike 0.663, car ahead 0.327, parked <car> 0.0095. "
        "Uniform attention would give each 0.333. "
        "Shares of the output vector: bike 75.2 %, car ahead 24.7 %, parked <car> 0.1 %."
    )


def test_the_description_sums_up_what_it_does_not_list():
    said = describe_weight_bars(torch.full((10,), 0.1))
    assert "The other 2 keys have 0.200 together." in said


def test_a_query_without_weights_says_so():
    assert describe_weight_bars(torch.full((3,), torch.nan)) == "This query has no weights."


def test_the_table_is_exact(row):
    table = table_weight_bars(**row)
    np.testing.assert_array_equal(table["weight"], row["weights"].double())
    assert table["weight / uniform weight"].tolist() == pytest.approx([0.98127, 1.99013, 0.02860], abs=1e-5)
    assert table["key"].tolist() == list(KEYS)
