"""All heads of all layers in one array of bytes."""

import numpy as np
import pytest
import torch

from attnviz.attention import Attention, Causal
from attnviz.figures import atlas, codes, overview_codes
from attnviz.figures.atlas import beyond_codes


def attention(heads, n, m, seed, **options):
    generator = torch.Generator().manual_seed(seed)
    query, key = torch.randn(heads, n, 8, generator=generator), torch.randn(heads, m, 8, generator=generator)
    return Attention.from_qk(query, key, **options)


def test_each_tile_is_the_map_of_its_head():
    layers = [attention(2, 6, 6, 0), attention(3, 6, 6, 1)]
    found = atlas([layer.overview(size=6) for layer in layers], size=6)
    assert (found.rows_per_tile, found.cols_per_tile) == (7, 7)
    assert found.codes.shape == (14, 21)
    np.testing.assert_array_equal(found.codes[7:13, 14:20], codes(layers[1].weights(2)))
    np.testing.assert_array_equal(found.codes[:6, 7:13], codes(layers[0].weights(1)))
    # The first layer has no third head, and every tile ends with an empty row and column.
    assert (found.codes[:7, 14:] == 0).all()
    assert (found.codes[6] == 0).all()
    assert found.head_at(8, 15) == (1, 2)


def test_larger_maps_are_pooled_to_their_greatest_weight():
    layer = attention(1, 8, 8, 0)
    found = atlas([layer.overview(size=8)], size=4)
    expected = layer.weights(0).reshape(4, 2, 4, 2).amax((1, 3))
    np.testing.assert_array_equal(found.codes[:4, :4], codes(expected))


def test_maps_of_different_sizes_share_one_grid():
    found = atlas([attention(1, 4, 6, 0).overview(size=8), attention(1, 2, 2, 1).overview(size=8)], size=8)
    assert (found.rows_per_tile, found.cols_per_tile) == (5, 7)
    assert (found.codes[5:7, :2] >= 4).all()
    assert (found.codes[7:, :] == 0).all()


def test_masked_pairs_are_absent():
    found = overview_codes(attention(1, 4, 4, 0, mask=Causal()).overview(size=4))[0]
    assert (found[np.triu_indices(4, 1)] == 0).all()
    assert (found[np.tril_indices(4)] >= 4).all()


@pytest.mark.parametrize(("kind", "code"), [("masked", 1), ("nan", 2)])
def test_rows_without_weights_have_their_own_code(kind, code):
    generator = torch.Generator().manual_seed(0)
    query, key = torch.randn(1, 4, 8, generator=generator), torch.randn(1, 4, 8, generator=generator)
    allowed = torch.ones(4, 4, dtype=torch.bool)
    if kind == "masked":
        allowed[2] = False
    else:
        query[0, 2] = torch.nan
    found = overview_codes(Attention.from_qk(query, key, mask=allowed).overview(size=4))[0]
    assert found[2].tolist() == [code] * 4
    assert (np.delete(found, 2, 0) >= 4).all()


def test_rows_of_zeros_are_zero_and_not_absent():
    weights = torch.tensor([[0.5, 0.5], [0.0, 0.0], [torch.nan, 1.0]])
    found = overview_codes(Attention.from_weights(weights).overview(size=3))[0]
    assert found.tolist() == [codes(weights[:1])[0].tolist(), [3, 3], [2, 2]]


def test_weights_that_are_no_shares_are_shown_by_their_size():
    overview = Attention.from_weights(
        torch.tensor([[-0.5, 1.5], [-2.0, 0.25]]), normalised=False
    ).overview(size=2)  # fmt: skip
    assert overview_codes(overview)[0].tolist() == codes(torch.tensor([[0.5, 1.0], [1.0, 0.25]])).tolist()
    assert beyond_codes(overview)
    assert not beyond_codes(attention(1, 4, 4, 0, mask=Causal()).overview(size=4))
