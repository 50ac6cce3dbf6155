"""Weights from sampling points against `grid_sample` itself."""

import pytest
import torch
import torch.nn.functional as F

from attnviz.attention import Attention, Points
from attnviz.base.errors import InputError
from attnviz.trace import Origin, Trace, load

SHAPES = ((3, 4), (2, 2))


def points(seed=0, spread=1.3, **options):
    generator = torch.Generator().manual_seed(seed)
    locations = (torch.rand(2, 3, 5, 4, 2, generator=generator, dtype=torch.float64) * 2 - 1) * spread
    weights = torch.rand(2, 3, 5, 4, generator=generator, dtype=torch.float64)
    return Points(locations, weights / weights.sum(-1, keepdim=True), (0, 0, 1, 1), SHAPES, **options)


def by_grid_sample(found, value, item, **options):
    """The sum over points of weight × sampled value, "heads n d"."""
    output, start = 0, 0
    for level, (rows, columns) in enumerate(SHAPES):
        chosen = [number for number, one in enumerate(found.level_of) if one == level]
        here = value[:, start : start + rows * columns].mT.reshape(3, -1, rows, columns)
        sampled = F.grid_sample(here, found.locations[item][:, :, chosen], **options)
        output = output + (sampled * found.weights[item][:, None][..., chosen]).sum(-1)
        start += rows * columns
    return output.mT


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_weights_times_values_are_what_is_sampled(align_corners, padding, mode):
    found = points(align_corners=align_corners, border=padding == "border", nearest=mode == "nearest")
    value = torch.randn(3, 16, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    attention = Attention.from_scores(found, form="deformable", normalised=False)
    for item in (0, 1):
        weights = found.tile(item, None, slice(0, 5), slice(0, 16))
        expected = by_grid_sample(found, value, item, align_corners=align_corners, padding_mode=padding, mode=mode)
        torch.testing.assert_close(weights @ value, expected, atol=1e-12, rtol=0)
        torch.testing.assert_close(attention.weights(None, item), weights.float())
        torch.testing.assert_close(found.outside(item), 1 - weights.sum(-1), atol=1e-12, rtol=0)
    assert found.outside(0).abs().max() > 0.05 or padding == "border" or mode == "nearest"


def test_a_tile_is_a_part_of_all():
    found = points()
    whole = found.tile(1, None, slice(0, 5), slice(0, 16))
    rows, cols = torch.tensor([4, 0]), torch.tensor([15, 3, 7])
    assert torch.equal(found.tile(1, None, rows, cols), whole[:, rows][..., cols])
    assert torch.equal(found.tile(1, 2, slice(1, 3), slice(5, 9)), whole[2:3, 1:3, 5:9])


def test_one_point_by_hand():
    """In a row of two keys, x = 0 is half-way: half of the weight goes to each. At x = −1, half falls outside."""
    locations = torch.tensor([[0.0, 0.0], [-1.0, 0.0]]).view(1, 1, 2, 1, 2)
    found = Points(locations, torch.tensor([0.8, 0.6]).view(1, 1, 2, 1), (0,), ((1, 2),))
    weights = found.tile(0, 0, slice(0, 2), slice(0, 2))[0]
    torch.testing.assert_close(weights, torch.tensor([[0.4, 0.4], [0.3, 0.0]]))
    torch.testing.assert_close(found.outside()[0], torch.tensor([0.0, 0.3]))
    at = found.at(0, 0, 1)
    assert (at.level.tolist(), at.row.tolist(), at.column.tolist()) == ([0], [0.0], [-0.5])
    assert at.weight.tolist() == pytest.approx([0.6])


def test_a_trace_file_holds_points(tmp_path):
    found = Attention.from_scores(points(border=True), form="deformable", normalised=False, name="cross")
    Trace([found], origin=Origin(kind="recorded")).save(tmp_path / "run.safetensors")
    again = load(tmp_path / "run.safetensors")[0]
    assert (again.form, again.normalised, again.scores.border, again.scores.shapes) == (
        "deformable",
        False,
        True,
        SHAPES,
    )
    assert torch.equal(again.weights(None, 1), found.weights(None, 1))


def test_the_overview_is_that_of_the_same_weights_stored():
    found = Attention.from_scores(points(), form="deformable", normalised=False)
    stored = Attention.from_weights(found.scores.tile(0, None, slice(0, 5), slice(0, 16)), normalised=False)
    for name in ("maximum", "mean", "top_weights", "mass_received", "row_state"):
        left, right = getattr(found.overview(4), name), getattr(stored.overview(4), name)
        torch.testing.assert_close(left, right, equal_nan=True)


@pytest.mark.parametrize(
    "change",
    [
        {"level_of": (0, 0, 1)},
        {"level_of": (0, 0, 1, 2)},
        {"shapes": ((3, 0), (2, 2))},
        {"weights": torch.ones(2, 3, 5, 3)},
        {"locations": torch.ones(2, 3, 5, 4, 3)},
    ],
)
def test_points_that_do_not_go_together_are_refused(change):
    given = {"locations": torch.ones(2, 3, 5, 4, 2), "weights": torch.ones(2, 3, 5, 4)}
    with pytest.raises((InputError, TypeError)):
        Points(**{**given, "level_of": (0, 0, 1, 1), "shapes": SHAPES, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"level_of": None},
        {"level_of": [0, 0, 1, 9]},
        {"level_of": [0, 0, 1]},
        {"shapes": []},
        {"shapes": [[3, 4], [2]]},
        {"shapes": [[3, 4], [0, 2]]},
        {"shapes": [[3, 4], [1 << 20, 1 << 20]]},
        {"shapes": [[3, 4], "22"]},
        {"weights": "t9"},
        {"locations": None},
        {"border": 1},
    ],
)
def test_what_is_no_file_of_points_is_refused(change):
    from attnviz.trace.container import Collected
    from attnviz.trace.parts import TokenTable, attention_from_json, attention_to_json

    tensors, tokens = Collected(), TokenTable()
    found = Attention.from_scores(points(), form="deformable", normalised=False)
    written = attention_to_json(found, tensors, tokens)
    attention_from_json(written, tensors.tensors, tokens.entries)
    with pytest.raises(InputError):
        attention_from_json({**written, "scores": {**written["scores"], **change}}, tensors.tensors, tokens.entries)
