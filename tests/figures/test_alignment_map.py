"""Weights as an alignment: what gold says, what is hidden, what is not written yet."""

import numpy as np
import pytest
import torch

from attnviz.figures import alignment_map, describe_alignment_map, gold, palette, table_alignment_map

SOURCE, TARGET = ["the", "black", "cat"], ["le", "chat", "noir"]
WEIGHTS = np.array([[0.2, 0.1, 0.6], [0.05, 0.05, 0.9], [0.0, 0.75, 0.05]])
SURE, POSSIBLE = {(0, 0), (2, 1), (1, 2)}, {(2, 0)}


def frames(figure, colour=gold.COLOUR):
    """(column, row) → dash of every frame in this colour."""
    return {
        (round((one.x0 + one.x1) / 2), round((one.y0 + one.y1) / 2)): one.line.dash
        for one in figure.layout.shapes
        if one.line.color == colour
    }


def test_every_weight_is_printed_in_its_cell(plotted):
    assert plotted.printed(alignment_map(WEIGHTS, SOURCE, TARGET), 3, 3) == [
        ["0.200", "0.100", "0.600"],
        ["0.050", "0.050", "0.900"],
        ["0", "0.750", "0.050"],
    ]


def test_a_cell_is_clicked_by_target_source_and_weight(plotted):
    cells = plotted.trace(alignment_map(torch.tensor(WEIGHTS), SOURCE, TARGET, baseline=4), "weights")
    assert cells.customdata[2][1].tolist() == pytest.approx([2, 1, 0.75, 0.25])


def test_sure_links_have_whole_frames_and_possible_ones_broken_frames_on_a_dark_edge():
    figure = alignment_map(WEIGHTS, SOURCE, TARGET, sure=SURE, possible=POSSIBLE)
    expected = {(0, 0): "solid", (2, 1): "solid", (1, 2): "solid", (2, 0): "5px,4px"}
    assert frames(figure) == expected
    assert frames(figure, gold.EDGE) == expected
    assert {one.name for one in figure.data if one.showlegend} >= {"gold link, sure", "gold link, possible"}


def test_a_link_outside_the_sentences_is_no_frame():
    assert frames(alignment_map(WEIGHTS, SOURCE, TARGET, sure={(3, 0), (0, 3), (-1, 0), (1, 1)})) == {(1, 1): "solid"}


def test_the_largest_weight_of_each_row_is_marked(plotted):
    marks = plotted.trace(alignment_map(WEIGHTS, SOURCE, TARGET), "largest of its row")
    cells = [(round(x), round(y)) for x, y in zip(marks.x, marks.y, strict=True)]
    assert cells == [(2, 0), (2, 1), (1, 2)]


def test_hidden_weight_has_a_column_and_its_number(plotted):
    figure = alignment_map(WEIGHTS, SOURCE, TARGET, hidden=[0.1, 0.0, 0.2])
    column = plotted.trace(figure, "hidden")
    assert [row[0] for row in column.text] == ["0.100", "0", "0.200"]
    assert (column.zmin, column.zmax, column.z[2][0]) == (0, 1, 0.2)
    assert list(column.x) == [2.75, 3.75]
    assert figure.layout.xaxis.ticktext[-1] == "<i>hidden</i>"
    assert list(figure.layout.xaxis.range) == [-0.5, 3.75]
    drawn = [one for one in figure.data if one.type == "heatmap" and one.texttemplate and len(one.text[0]) == 1]
    assert ["".join(one.text[row][0].strip() for one in drawn) for row in range(3)] == ["0.100", "0", "0.200"]


def test_above_sixteen_words_hidden_weight_is_on_the_logarithmic_scale_too(plotted):
    figure = alignment_map(np.full((2, 17), 0.01), ["w"] * 17, ["a", "b"], hidden=[0.1, 0.0])
    column = plotted.trace(figure, "hidden")
    assert column.zmax == 0
    assert [row[0] for row in column.z] == pytest.approx([-1.0, palette.log_range()[0]])
    assert [row[0] for row in column.text] == ["0.100", "0"]


def test_what_is_not_written_yet_is_neither_shown_nor_said(plotted):
    figure = alignment_map(WEIGHTS, SOURCE, TARGET, sure=SURE, row=1, written=2)
    assert plotted.printed(figure, 3, 3)[2] == ["", "", ""]
    assert list(plotted.trace(figure, "later").y) == [2]
    assert list(figure.layout.yaxis.ticktext) == ["le", "chat", "·"]
    assert (1, 2) not in frames(figure)
    assert figure.layout.height == alignment_map(WEIGHTS, SOURCE, TARGET, sure=SURE).layout.height
    said = describe_alignment_map(WEIGHTS, SOURCE, TARGET, sure=SURE, written=2)
    assert said.endswith("The largest weight lies on a sure gold link in 1 of 2 rows.")


def test_nothing_written_is_a_figure_too(plotted):
    assert len(plotted.trace(alignment_map(WEIGHTS, SOURCE, TARGET, hidden=[0, 0, 0], written=0), "later").z) == 3
    assert describe_alignment_map(WEIGHTS, SOURCE, TARGET, written=0)


def test_the_chosen_row_is_outlined():
    (outline,) = alignment_map(WEIGHTS, SOURCE, TARGET, row=2).layout.shapes
    assert (outline.x0, outline.x1, outline.y0, outline.y1) == (-0.5, 2.5, 1.5, 2.5)
    assert outline.line.color == palette.HIGHLIGHT


def test_markup_in_words_is_escaped():
    figure = alignment_map(np.eye(2), ["<s>", "a&b"], ["$x$", "<b>the</b>"])
    assert list(figure.layout.xaxis.ticktext) == ["&lt;s&gt;", "a&amp;b"]
    assert list(figure.layout.yaxis.ticktext) == ["&#36;x&#36;", "&lt;b&gt;the&lt;/b&gt;"]


def test_the_description_counts_hits_and_tells_what_is_hidden():
    said = describe_alignment_map(WEIGHTS, SOURCE, TARGET, baseline=4, sure=SURE, hidden=[0.1, 0.0, 0.2], row=0)
    assert "Uniform baseline: 1/4 = 0.250." in said
    assert "Hidden: 0.100 of this row." in said
    assert said.endswith("The largest weight lies on a sure gold link in 2 of 3 rows.")
    assert "Hidden: at most 0.200 of a row." in describe_alignment_map(WEIGHTS, SOURCE, TARGET, hidden=[0.1, 0, 0.2])


def test_the_table_is_exact():
    table = table_alignment_map(WEIGHTS, SOURCE, TARGET, sure=SURE, possible=POSSIBLE, hidden=[0.1, 0.0, 0.2])
    np.testing.assert_array_equal(table["weight"], WEIGHTS.ravel())
    assert table["gold"].tolist() == ["sure", "", "possible", "", "", "sure", "", "sure", ""]
    assert table["hidden weight of the row"].tolist() == [0.1] * 3 + [0.0] * 3 + [0.2] * 3
    assert table["target"].tolist()[::3] == TARGET
    assert table["source"].tolist()[:3] == SOURCE
