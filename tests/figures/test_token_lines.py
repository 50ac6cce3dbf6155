"""A line for every weight, none hidden for being small."""

import numpy as np
import pytest
import torch

from attnviz.attention import Attention
from attnviz.figures import describe_token_lines, palette, table_token_lines, token_lines
from attnviz.tokens import Tokens


def lines(figure, plotted):
    """(query position, key position, weight, place of the head) of every line."""
    return {tuple(map(float, entry)) for entry in plotted.trace(figure, "lines").customdata}


def drawn(figure):
    """How many strokes there are, and how thick: pairs of (from row, to row) → width."""
    strokes = {}
    for one in figure.data:
        if one.mode == "lines" and one.x[0] is not None:
            ends = np.asarray(one.y).reshape(-1, 3)
            strokes |= {(round(float(start)), round(float(stop))): one.line.width for start, stop, _gap in ends}
    return strokes


def test_every_allowed_weight_is_a_line_and_no_other(causal, plotted):
    figure = token_lines(causal)
    weights = causal.weights(0)
    assert lines(figure, plotted) == {
        (row, column, weights[row, column].item(), 0) for row in range(4) for column in range(row + 1)
    }
    assert set(drawn(figure)) == {(row, column) for row in range(4) for column in range(row + 1)}


def test_few_lines_are_exactly_as_thick_as_their_weights(causal):
    weights = causal.weights(0)
    for (row, column), width in drawn(token_lines(causal)).items():
        assert width == pytest.approx(palette.thickness(weights[row, column].item()), abs=1e-3)


def test_many_lines_share_traces_and_their_thickness_keeps_the_order():
    weights = torch.softmax(3 * torch.randn(64, 64, generator=torch.Generator().manual_seed(0)), -1)
    figure = token_lines(weights)
    assert len(figure.data) <= 24
    strokes = drawn(figure)
    assert len(strokes) == 64 * 64
    pairs = sorted((weights[row, column].item(), width) for (row, column), width in strokes.items())
    widths = [width for _weight, width in pairs]
    assert widths == sorted(widths)
    assert widths[0] == palette.MINIMUM_STROKE
    step = (palette.STROKE_OF_ONE - palette.MINIMUM_STROKE) / 18
    assert all(abs(width - palette.thickness(weight)) <= step / 2 + 1e-3 for weight, width in pairs)


def test_a_selected_query_has_its_weights_printed_and_absent_keys_a_dash(causal, plotted):
    figure = token_lines(causal, query=2)
    assert {line[0] for line in lines(figure, plotted)} == {2}
    shown = [plotted.seen(text).split() for text in plotted.trace(figure, "keys").text]
    assert [token for token, _number in shown] == ["<s>", "the", "a&b", "the"]
    assert [float(number) for _token, number in shown[:3]] == pytest.approx(causal.weights(0)[2, :3].tolist(), rel=0.06)
    assert shown[3][1] == "—"


def test_a_selected_key_has_its_weights_beside_the_queries(causal, plotted):
    figure = token_lines(causal, key=1)
    assert {line[1] for line in lines(figure, plotted)} == {1}
    assert plotted.seen(plotted.trace(figure, "queries").text[0]).split() == ["—", "<s>"]
    assert len(plotted.seen(plotted.trace(figure, "queries").text[3]).split()) == 2


def test_tokens_can_be_clicked_by_side_and_position(causal, plotted):
    figure = token_lines(causal, rows=(1, 3))
    assert list(map(tuple, plotted.trace(figure, "queries").customdata)) == [("query", 1), ("query", 3)]
    assert list(map(tuple, plotted.trace(figure, "keys").customdata)) == [("key", place) for place in range(4)]


def test_several_heads_have_their_colours_and_a_legend(plotted):
    heads = torch.softmax(torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0)), -1)
    figure = token_lines(heads, heads=(0, 2), query=1)
    assert {(line[3], line[2]) for line in lines(figure, plotted)} == {
        (place, heads[head, 1, key].item()) for place, head in enumerate((0, 2)) for key in range(5)
    }
    legend = {one.name: one.line.color for one in figure.data if one.showlegend}
    assert legend == {"head 0": palette.CATEGORICAL[0], "head 2": palette.CATEGORICAL[1]}


def test_rows_without_weights_have_no_lines():
    weights = torch.tensor([[0.5, 0.5], [torch.nan, torch.nan], [torch.nan, torch.nan]])
    allowed = torch.tensor([[True, True], [True, True], [False, False]])
    assert set(drawn(token_lines(weights, allowed=allowed))) == {(0, 0), (0, 1)}


def test_what_is_too_much_to_draw_is_the_smallest_and_is_counted_and_summed(plotted):
    weights = torch.softmax(torch.randn(128, 128, generator=torch.Generator().manual_seed(0)), -1)
    figure = token_lines(weights)
    shown = lines(figure, plotted)
    assert len(shown) == 8192
    ordered = weights.double().flatten().sort().values
    left_out = ordered[: 128 * 128 - 8192]
    assert min(line[2] for line in shown) >= left_out.max().item()
    for said in (figure.layout.title.subtitle.text, describe_token_lines(weights)):
        assert "8192 lines are too many" in said
        assert f"together {left_out.sum().item():.3f}" in said


def test_the_description_counts_the_lines(causal):
    assert describe_token_lines(causal).startswith("10 lines are drawn.")
    assert describe_token_lines(causal, query=0).startswith("1 line is drawn.")


def test_the_table_is_that_of_all_heads_and_of_the_selected_query():
    heads = torch.softmax(torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0)), -1)
    table = table_token_lines(heads, heads=(0, 1), query=2)
    np.testing.assert_array_equal(table["weight"], heads[:, 2].double().flatten())
    assert table["head"].tolist() == ["head 0"] * 4 + ["head 1"] * 4


def test_sixty_four_tokens_are_a_message_of_moderate_size():
    query, key = torch.randn(2, 1, 64, 8, generator=torch.Generator().manual_seed(0)).unbind(0)
    tokens = Tokens(tuple(f"token{position}" for position in range(64)))
    figure = token_lines(Attention.from_qk(query, key, query_tokens=tokens, key_tokens=tokens))
    assert len(figure.to_json()) < 500_000


def test_a_query_and_a_key_that_are_not_shown_leave_no_lines_and_no_failure():
    weights = np.full((3, 3), 1 / 3)
    figure = token_lines(weights, rows=[1, 2], cols=[1, 2], query=0, key=0)
    assert figure.layout.height > 0
