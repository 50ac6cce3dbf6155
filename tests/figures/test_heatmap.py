"""The map shows the weights that there are, and what is no weight as something else."""

import numpy as np
import pytest
import torch

from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.figures import describe_heatmap, heatmap, table_heatmap
from attnviz.tokens import Tokens


def softmax(n, m, seed=0):
    return torch.softmax(torch.randn(n, m, generator=torch.Generator().manual_seed(seed)), -1)


def test_the_cells_hold_the_weights(causal, plotted):
    cells = plotted.trace(heatmap(causal), "weights")
    expected = causal.weights(0).numpy()
    lower = np.tril(np.ones((4, 4), bool))
    np.testing.assert_array_equal(np.asarray(cells.z)[lower], expected[lower])
    np.testing.assert_array_equal(cells.customdata[..., 2][lower], expected[lower])


def test_masked_cells_are_absent_and_not_zero(causal, plotted):
    figure = heatmap(causal)
    upper = np.triu(np.ones((4, 4), bool), 1)
    assert np.isnan(np.asarray(plotted.trace(figure, "weights").z)[upper]).all()
    assert (np.asarray(plotted.trace(figure, "states").z)[upper] == 0).all()
    assert np.array(plotted.printed(figure, 4, 4))[upper].tolist() == ["—"] * 6
    assert "absent" in figure.to_json()


def test_the_number_stands_in_every_cell(causal, plotted):
    texts = plotted.printed(heatmap(causal), 4, 4)
    assert texts[0][0] == "1.000"
    for row in range(4):
        for column in range(row + 1):
            assert float(texts[row][column]) == pytest.approx(causal.weights(0)[row, column].item(), rel=0.06)


def test_equal_tokens_stay_apart(causal, plotted):
    figure = heatmap(causal)
    assert np.asarray(plotted.trace(figure, "weights").z).shape == (4, 4)
    assert list(figure.layout.xaxis.tickvals) == [0, 1, 2, 3]
    assert [plotted.seen(text) for text in figure.layout.xaxis.ticktext] == ["<s>", "the", "a&b", "the"]


def test_positions_that_are_left_out_keep_their_numbers(causal, plotted):
    cells = plotted.trace(heatmap(causal, rows=(1, 3), cols=(0, 2)), "weights")
    assert cells.customdata[..., :2].tolist() == [[[1, 0], [1, 2]], [[3, 0], [3, 2]]]
    assert cells.customdata[1, 1, 2] == causal.weights(0)[3, 2]


def test_the_baseline_counts_all_allowed_keys_also_those_not_shown(causal, plotted):
    cells = plotted.trace(heatmap(causal, cols=(0,)), "weights")
    assert cells.customdata[:, 0, 3].tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])


def test_masked_nan_and_zero_rows_look_different(plotted):
    weights = torch.tensor([[0.5, 0.5], [torch.nan, torch.nan], [torch.nan, 0.5], [0.0, 0.0], [1e-9, 1.0]])
    allowed = torch.tensor([[True, True], [False, False], [True, True], [True, True], [True, True]])
    figure = heatmap(weights, allowed=allowed)
    texts = plotted.printed(figure, 5, 2)
    assert texts[1] == ["∅", "∅"]
    assert texts[2] == ["NaN", "0.500"]
    assert texts[3] == ["0", "0"]
    assert texts[4] == ["1.0·10⁻⁹", "1.000"]
    states = np.asarray(plotted.trace(figure, "states").z)
    assert states[1].tolist() == [1, 1]
    assert states[2][0] == 2
    assert states[3].tolist() == [3, 3]
    assert np.isnan(states[4]).all()
    colours = [colour for _place, colour in plotted.trace(figure, "states").colorscale[::2]]
    assert len(set(colours)) == 4


def test_few_keys_are_coloured_on_a_fixed_linear_scale(plotted):
    cells = plotted.trace(heatmap(softmax(3, 16)), "weights")
    assert (cells.zmin, cells.zmax) == (0, 1)


def test_many_keys_are_coloured_on_a_fixed_logarithmic_scale_with_labels(plotted):
    weights = softmax(3, 17)
    cells = plotted.trace(heatmap(weights), "weights")
    np.testing.assert_allclose(np.asarray(cells.z), np.log10(weights.numpy()), rtol=1e-6)
    assert 10**cells.zmin == pytest.approx(2**-24)
    assert cells.zmax == 0
    labelled = dict(zip(cells.colorbar.ticktext, cells.colorbar.tickvals, strict=True))
    assert [labelled[text] for text in ("1", "0.1", "0.01", "0.001")] == [0, -1, -2, -3]
    assert "logarithmic" in cells.colorbar.title.text


def test_a_single_zero_on_the_logarithmic_scale_is_shown_as_zero(plotted):
    weights = torch.zeros(1, 20)
    weights[0, 0] = 1
    states = np.asarray(plotted.trace(heatmap(weights), "states").z)
    assert states[0, 1:].tolist() == [3] * 19


def test_the_selected_query_and_key_are_outlined(causal):
    shapes = heatmap(causal, query=2, key=1).layout.shapes
    assert [(shape.x0, shape.x1, shape.y0, shape.y1) for shape in shapes] == [
        (-0.5, 3.5, 1.5, 2.5),
        (0.5, 1.5, -0.5, 3.5),
    ]
    assert not heatmap(causal).layout.shapes


def test_the_theme_is_left_to_the_page(causal):
    layout = heatmap(causal, query=1).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.font.color is None
    assert layout.title.font.color is None
    assert not layout.margin.autoexpand


def test_zoom_survives_other_weights():
    assert heatmap(softmax(3, 3)).layout.uirevision == heatmap(softmax(5, 4, 1)).layout.uirevision


def test_the_room_does_not_depend_on_the_weights(words):
    one, other = (heatmap(softmax(4, 4, seed), query_tokens=words, key_tokens=words).layout for seed in (0, 1))
    assert one.margin == other.margin
    assert one.height == other.height


def test_mean_and_maximum_say_so_and_are_right(plotted):
    heads = torch.stack([softmax(3, 4, 0), softmax(3, 4, 1)])
    mean, most = heatmap(heads, head="mean"), heatmap(heads, head="maximum")
    assert "mean of 2 heads" in mean.layout.title.text
    assert "maximum of 2 heads" in most.layout.title.text
    np.testing.assert_allclose(np.asarray(plotted.trace(mean, "weights").z), heads.numpy().mean(0), rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(plotted.trace(most, "weights").z), heads.numpy().max(0))
    assert "No uniform baseline" in most.layout.title.subtitle.text


def test_gates_have_no_baseline():
    figure = heatmap(torch.rand(3, 3), normalised=False)
    assert "No uniform baseline" in figure.layout.title.subtitle.text


def test_half_precision_is_drawn_as_numbers(plotted):
    cells = plotted.trace(heatmap(softmax(3, 3).to(torch.bfloat16)), "weights")
    assert np.asarray(cells.z).dtype == np.float32
    assert '"bdata"' in heatmap(softmax(3, 3).half()).to_json()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"head": 1}, "Head 1 does not exist"),
        ({"rows": (4,)}, "Position 4 does not exist"),
        ({"query_tokens": ("a",)}, "1 labels were given for 4"),
    ],
)
def test_what_does_not_exist_is_refused(options, said):
    with pytest.raises(InputError, match=said):
        heatmap(softmax(4, 4), **options)


def test_the_description_tells_the_largest_and_smallest_and_what_is_absent(causal):
    weights = causal.weights(0)[2, :3]
    said = describe_heatmap(causal, query=2)
    assert "Query a&b (position 2)" in said
    assert f"most to {['<s>', 'the', 'a&b'][int(weights.argmax())]} (position {int(weights.argmax())})" in said
    assert "Uniform baseline: 1/3 = 0.333." in said
    assert "6 pairs are absent" in said


def test_the_description_counts_rows_without_weights():
    weights = torch.tensor([[0.5, 0.5], [torch.nan, torch.nan], [0.0, 0.0]])
    said = describe_heatmap(weights)
    assert "1 row holds NaN" in said
    assert "1 row is zero" in said


def test_sinks_are_said():
    query, key = torch.randn(2, 1, 3, 4, generator=torch.Generator().manual_seed(0)).unbind(0)
    attention = Attention.from_qk(query, key, sinks=torch.tensor([1.0]))
    assert "sink" in describe_heatmap(attention)
    assert "sink" not in describe_heatmap(Attention.from_qk(query, key))


def test_the_table_holds_every_pair_with_its_position(causal):
    table = table_heatmap(causal)
    assert len(table) == 16
    assert table["query position"].tolist() == [row for row in range(4) for _ in range(4)]
    assert table["key"].tolist()[:4] == ["<s>", "the", "a&b", "the"]
    found = table["weight"].to_numpy().reshape(4, 4)
    np.testing.assert_array_equal(np.tril(found), np.tril(causal.weights(0).numpy()))
    assert np.isnan(found[0, 1:]).all()
    assert table["state"].tolist()[1] == "absent (masked)"
    assert table["weight / uniform weight"][0] == 1.0


def test_many_labels_are_thinned_out_but_all_can_be_hovered():
    tokens = Tokens(tuple(f"word{position}" for position in range(100)))
    axis = heatmap(softmax(100, 100), query_tokens=tokens, key_tokens=tokens).layout.xaxis
    assert len(axis.ticktext) <= 36
    assert axis.labelalias["41"] == "word41"


def test_padding_is_not_shown(plotted):
    tokens = Tokens(("a", "b", "[PAD]"), padding=(False, False, True))
    mask = torch.tensor([[True, True, False]])
    query, key = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0)).unbind(0)
    attention = Attention.from_qk(query, key, mask=mask, query_tokens=tokens, key_tokens=tokens)
    assert np.asarray(plotted.trace(heatmap(attention), "weights").z).shape == (2, 2)


def test_a_mean_over_heads_is_over_all_heads_also_when_columns_are_left_out(plotted):
    """The second head gives the shown key exactly nothing; it still counts."""
    heads = torch.tensor([[[0.4, 0.6]], [[0.0, 1.0]]])
    for source in (heads, Attention.from_weights(heads)):
        cells = plotted.trace(heatmap(source, head="mean", cols=(0,)), "weights")
        assert np.asarray(cells.z).tolist() == [[pytest.approx(0.2)]]


def test_long_tokens_are_short_along_the_axes_and_whole_on_hover():
    long = "antidisestablishmentarianism"
    figure = heatmap(np.full((2, 2), 0.5, dtype=np.float32), query_tokens=[long, "b"], key_tokens=["a", long])
    assert figure.layout.yaxis.ticktext == ("antidisestab…rianism (0)", "b")
    assert figure.layout.yaxis.labelalias["0"] == long
    assert figure.layout.xaxis.labelalias["1"] == long


def test_a_negative_weight_has_the_colour_of_its_size_and_its_own_number(plotted):
    weights = np.array([[1.5, -0.5]], dtype=np.float32)
    figure = heatmap(weights, normalised=False)
    assert plotted.trace(figure, "weights").z.tolist() == [[1.5, 0.5]]
    assert plotted.trace(figure, "weights").customdata[0, 1, 2] == -0.5
    assert plotted.printed(figure, 1, 2) == [["1.500", "−0.500"]]
    assert "without the sign" in describe_heatmap(weights, normalised=False)
    wide = np.tile(np.array([[-0.01]], dtype=np.float32), (1, 20))
    assert np.allclose(plotted.trace(heatmap(wide, normalised=False), "weights").z, -2)
