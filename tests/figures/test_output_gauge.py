"""The output as a gauge: pieces, sums, and what is highlighted."""

import numpy as np
import pytest
import torch

from attnviz.figures import GaugeRow, describe_output_gauge, output_gauge, table_output_gauge

KEYS = ("oncoming car", "<b>pedestrian</b>", "parked car")
# weight · value of the lesson, and the same without the parked car (each divided by 1 − 0.009532).
AS_IT_IS = GaugeRow("as it is", torch.tensor([0.196254, 0.597039, 0.000953]))
WITHOUT = GaugeRow("without", np.array([0.198143, 0.602785, np.nan]))


def _texts(figure):
    (sums,) = [one for one in figure.data if one.type == "scatter"]
    return [text.replace("<b>", "").replace("</b>", "").strip() for text in sums.text]


def test_the_outputs_stand_at_the_ends_of_their_bars():
    figure = output_gauge([AS_IT_IS, WITHOUT], key_labels=KEYS)
    assert _texts(figure) == ["0.794", "0.801"]
    assert figure.layout.xaxis.range[0] == 0
    assert figure.layout.xaxis.range[1] > 1


def test_every_key_has_its_piece_and_only_the_chosen_one_stands_out(plotted):
    figure = output_gauge([AS_IT_IS, WITHOUT], key_labels=KEYS, key=2)
    bars = [one for one in figure.data if one.type == "bar"]
    assert [bar.x[0] for bar in bars] == pytest.approx([0.196254, 0.597039, 0.000953])
    assert np.isnan(bars[2].x[1])
    colours = [bar.marker.color for bar in bars]
    assert colours[2] not in colours[:2]
    # A piece thinner than a pixel still has an edge.
    assert bars[2].marker.line.width >= 1
    assert [int(bar.customdata[0]) for bar in bars] == [0, 1, 2]


def test_names_are_shown_as_they_are_where_they_fit(plotted):
    bars = [one for one in output_gauge([AS_IT_IS], key_labels=KEYS).data if one.type == "bar"]
    assert plotted.seen(bars[1].text[0]) == "<b>pedestrian</b>"
    assert bars[2].text[0] == ""


def test_contributions_below_zero_go_to_the_left():
    figure = output_gauge([GaugeRow("x", torch.tensor([0.5, -0.3]))])
    assert figure.layout.xaxis.range[0] <= -0.3
    assert figure.layout.barmode == "relative"
    assert _texts(figure) == ["0.200"]


def test_large_outputs_have_room():
    assert output_gauge([GaugeRow("x", torch.tensor([40.0, 30.0]))]).layout.xaxis.range[1] > 70


def test_a_row_without_anything_has_no_output():
    row = GaugeRow("gone", torch.tensor([float("nan")]))
    assert np.isnan(row.output)
    assert _texts(output_gauge([row])) == ["NaN"]


def test_words_and_table_say_the_same():
    said = describe_output_gauge([AS_IT_IS, WITHOUT], key_labels=KEYS)
    assert "as it is: output 0.794" in said
    assert "parked car 0.00095" in said
    assert "without: output 0.801" in said
    table = table_output_gauge([AS_IT_IS, WITHOUT], key_labels=KEYS)
    assert len(table) == 6
    assert table["contribution"].tolist()[:3] == pytest.approx([0.196254, 0.597039, 0.000953])
    assert np.isnan(table["contribution"].tolist()[5])


def test_a_long_name_takes_two_lines_and_stays_text(plotted):
    row = GaugeRow("a parked <b>car</b> whose name is quite long", torch.tensor([0.5]))
    (label,) = output_gauge([row]).layout.yaxis.ticktext
    assert label.count("<br>") == 1
    assert plotted.seen(label.replace("<br>", " ")) == "a parked <b>car</b> whose name is quite long"
