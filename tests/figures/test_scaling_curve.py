"""The curves show the measured numbers and what theory says."""

import numpy as np
import pytest
import torch

from attnviz.attention.scaling import Curve, Sweep
from attnviz.figures import describe_scaling_curve, scaling_curve, table_scaling_curve


@pytest.fixture
def swept():
    """Numbers as theory would have them, so that nothing is drawn at random."""
    one = torch.ones(3)
    return Sweep(
        dimensions=torch.tensor([1, 4, 16]),
        keys=16,
        samples=100,
        unscaled=Curve(torch.tensor([1.0, 4.0, 16.0]), torch.tensor([3.5, 2.0, 1.0]), torch.tensor([0.9, 0.5, 0.1])),
        scaled=Curve(one, 3.5 * one, 0.9 * one),
    )


def test_both_curves_over_a_logarithmic_d(swept, plotted):
    figure = scaling_curve(swept, "entropy")
    assert figure.layout.xaxis.type == "log"
    assert list(plotted.trace(figure, "not divided").y) == [3.5, 2.0, 1.0]
    assert list(plotted.trace(figure, "divided by √d").y) == [3.5, 3.5, 3.5]
    assert list(plotted.trace(figure, "divided by √d").x) == [1, 4, 16]


@pytest.mark.parametrize(
    ("measure", "name", "level"),
    [
        ("variance", "theory: d", [1, 4, 16]),
        ("variance", "theory: 1", [1, 1, 1]),
        ("entropy", "maximum: log₂(16) = 4.000", [4, 4, 4]),
        ("gradient", "maximum: 1 − 1/16", [0.9375] * 3),
    ],
)
def test_theory_is_dashed(swept, plotted, measure, name, level):
    line = plotted.trace(scaling_curve(swept, measure), name)
    assert list(line.y) == level
    assert line.line.dash == "dash"


def test_description_and_table(swept):
    assert describe_scaling_curve(swept, "variance") == (
        "Variance of the scores from d = 1 to d = 16: from 1.000 to 16.00 without the division, "
        "from 1.000 to 1.000 with ÷ √d."
    )
    table = table_scaling_curve(swept, "gradient")
    assert table["d"].tolist() == [1, 4, 16]
    np.testing.assert_allclose(table["not divided"], [0.9, 0.5, 0.1], rtol=1e-6)
