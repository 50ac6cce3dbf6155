import plotly.graph_objects as go

from attnviz.figures import budget_bars, describe_budget_bars, table_budget_bars

ROWS = [("fused", 2.0, "2 ms", True), ("<b>plain</b>", 60.0, "60 ms", False), ("nothing", 0.0, "0 ms", True)]


def test_what_fits_is_filled_and_what_does_not_is_hollow(plotted):
    figure = budget_bars(ROWS, limit=10.0, limit_label="budget: 10 ms", axis="seconds")
    fits, other = plotted.trace(figure, "fits"), plotted.trace(figure, "does not fit")
    assert (list(fits.y), fits.marker.symbol) == ([0, 2], "circle")
    assert (list(other.x), list(other.y), other.marker.symbol) == ([60], [1], "circle-open")
    assert fits.x[0] == 2
    # On a logarithmic axis nothing cannot be drawn: it stands at the left edge.
    assert 0 < fits.x[1] < 2
    assert figure.layout.shapes[0].x0 == 10
    # Every cost is written, in a column that the budget's line does not cross.
    column = [note for note in figure.layout.annotations if note.xref == "paper"]
    assert [(note.y, note.text) for note in column] == [(0, "2 ms"), (1, "60 ms"), (2, "0 ms")]
    assert all(note.xanchor == "right" for note in column)
    assert plotted.seen(figure.layout.yaxis.ticktext[1]) == "<b>plain</b>"
    go.Figure(figure.to_dict())


def test_all_may_fit_or_none(plotted):
    figure = budget_bars(ROWS[:1], limit=10.0, limit_label="10", axis="seconds")
    assert [one.name for one in figure.data if one.mode == "markers"] == ["fits"]


def test_in_words_and_as_a_table():
    said = describe_budget_bars(ROWS, limit_label="10 ms")
    assert said == "Within 10 ms: fused (2 ms), nothing (0 ms). Beyond 10 ms: <b>plain</b> (60 ms)."
    assert table_budget_bars(ROWS, axis="seconds")["seconds"].tolist() == [2, 60, 0]
