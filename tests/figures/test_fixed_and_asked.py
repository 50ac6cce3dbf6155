import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures import Looked, describe_fixed_and_asked, fixed_and_asked, table_fixed_and_asked

LOOKED = [
    Looked("one", np.array([[0.0, 1.0]]), np.array([[3.0, -4.0]]), np.array([[0.25, 0.75]])),
    Looked("two", np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]]), np.array([[1.0, 0.0]])),
]


def test_each_picture_has_three_maps_and_the_place_is_framed_in_all():
    figure = fixed_and_asked(LOOKED, row=0, column=1)
    assert len(figure.data) == 6
    assert len(figure.layout.shapes) == 6
    assert {(shape.x0, shape.x1) for shape in figure.layout.shapes} == {(0.5, 1.5)}
    assert np.asarray(figure.data[1].z).tolist() == [[3, -4]]
    # Answers share one scale, weights another: 10^−0.125 is 0.75.
    assert (figure.data[1].zmax, figure.data[4].zmax) == (4, 4)
    assert 10 ** np.asarray(figure.data[2].z)[0, 1] == pytest.approx(0.75)
    assert np.isfinite(np.asarray(figure.data[5].z)).all()
    assert np.asarray(figure.data[0].customdata).tolist() == [[[0, 0], [0, 1]]]
    go.Figure(figure.to_dict())


def test_in_words_and_as_a_table():
    said = describe_fixed_and_asked(LOOKED, row=0, column=1)
    assert said.startswith(
        "one: at row 1, column 2 the filter answers −4.000; the largest weight, 0.750, is at row 1, column 2."
    )
    assert table_fixed_and_asked(LOOKED)["weight"].tolist() == [0.25, 0.75, 1, 0]
