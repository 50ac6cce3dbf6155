"""A network as a row of layers: depth is the stride, attention stands out, positions are written beside the strides."""

from attnviz.figures import RowLayer, describe_layer_row, layer_row, table_layer_row

LAYERS = [
    RowLayer("Conv", [2]),
    RowLayer("Conv", [4]),
    RowLayer("<i>", [4], attention="2 heads"),
    RowLayer("Concat", [2], [0]),
    RowLayer("Detect", [2, 4]),
]
POSITIONS = {2: 400, 4: 1000}


def test_every_layer_lies_as_deep_as_its_stride():
    ways, joins, plain, held = layer_row(LAYERS, POSITIONS).data
    assert list(ways.y) == [1.0, 2.0, 2.0, 1.0, 2.0]
    assert list(joins.x) == [0, 3, None]
    # The last one answers at two strides.
    assert list(zip(plain.x, plain.y, strict=True)) == [(0, 1.0), (1, 2.0), (3, 1.0), (4, 1.0), (4, 2.0)]
    assert (list(held.x), list(held.y)) == ([2], [2.0])
    assert held.marker.color != plain.marker.color


def test_deeper_is_lower_and_positions_stand_beside_the_strides():
    axis = layer_row(LAYERS, POSITIONS).layout.yaxis
    assert axis.range[0] > axis.range[1]
    assert list(axis.ticktext) == ["stride 2<br>400", "stride 4<br>1,000"]


def test_in_words_and_as_a_table():
    assert (
        describe_layer_row(LAYERS, POSITIONS)
        == "Layer 2 of 5 (<i>) holds attention, at stride 4, over 1,000 positions."
    )
    table = table_layer_row(LAYERS, POSITIONS)
    assert table["stride"].tolist() == ["2", "4", "4", "2", "2, 4"]
    assert table["positions"].tolist()[-1] == "400, 1,000"
