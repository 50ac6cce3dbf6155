"""Positions against the papers' formulas and against transformers."""

import math

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as turn_neighbours
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.swin.modeling_swin import SwinRelativePositionBias
from transformers.models.t5.modeling_t5 import T5Attention

from attnviz.attention import positions
from attnviz.base.errors import InputError


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_sinusoidal_is_the_formula_of_the_paper():
    """PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i + 1) = cos(p / 10000^(2i/d))."""
    found = positions.sinusoidal(50, 8, dtype=torch.float64)
    assert found.shape == (50, 8)
    for place in (0, 1, 7, 49):
        for pair in range(4):
            angle = place / 10_000 ** (2 * pair / 8)
            assert float(found[place, 2 * pair]) == pytest.approx(math.sin(angle), abs=1e-12)
            assert float(found[place, 2 * pair + 1]) == pytest.approx(math.cos(angle), abs=1e-12)


def test_positions_far_away_keep_their_digits():
    """sin(100000) = 0.0357487979…; in float32 angles it would be off in the third digit."""
    found = positions.sinusoidal(100_001, 2, dtype=torch.float64)
    assert float(found[-1, 0]) == pytest.approx(0.03574879797201, abs=1e-10)


def test_learned_positions_are_a_seeded_draw():
    table = positions.learned(400, 64, seed=3)
    assert torch.equal(table, positions.learned(400, 64, seed=3))
    assert not torch.equal(table, positions.learned(400, 64, seed=4))
    # 25,600 draws: the standard deviation of their standard deviation is 0.02 / √51,200.
    assert float(table.std()) == pytest.approx(0.02, abs=5 * 0.02 / math.sqrt(51_200))


def test_rotary_is_what_llama_does():
    query, key = drawn(1, 2, 9, 16), drawn(1, 2, 9, 16, seed=1)
    config = LlamaConfig(hidden_size=32, num_attention_heads=2, num_hidden_layers=1, vocab_size=8)
    cos, sin = LlamaRotaryEmbedding(config)(query.double(), torch.arange(9)[None])
    expected = apply_rotary_pos_emb(query, key, cos, sin)
    for vectors, turned in zip((query, key), expected, strict=True):
        # Llama's angles are float32: at position 8 they are known to 2^-21 or so.
        torch.testing.assert_close(positions.rotary(vectors[0]), turned[0], atol=2e-6, rtol=0)


def test_rotary_of_neighbours_is_what_gpt_j_does():
    vectors = drawn(1, 9, 2, 16)
    sin, cos = create_sinusoidal_positions(9, 16)[None].split(8, -1)
    expected = turn_neighbours(vectors, sin, cos)
    found = positions.rotary(vectors[0].transpose(0, 1), neighbours=True)
    torch.testing.assert_close(found, expected[0].transpose(0, 1), atol=2e-6, rtol=0)


def test_rotary_by_hand():
    """(1, 0) at position 1 becomes (cos 1, sin 1); the second pair of four turns by 1/100."""
    found = positions.rotary(torch.tensor([[9.0, 9.0, 9.0, 9.0], [1.0, 0.0, 0.0, 1.0]]).double(), neighbours=True)
    expected = torch.tensor([math.cos(1), math.sin(1), -math.sin(0.01), math.cos(0.01)], dtype=torch.float64)
    torch.testing.assert_close(found[1], expected, atol=1e-12, rtol=0)
    assert torch.equal(found[0], torch.full((4,), 9.0).double())


@pytest.mark.parametrize("neighbours", [False, True])
def test_rotary_scores_depend_on_the_distance_alone(neighbours):
    query, key = drawn(1, 8), drawn(1, 8, seed=1)

    def score(at, other):
        turned = positions.rotary(query, torch.tensor([at]), neighbours=neighbours)
        return float(turned @ positions.rotary(key, torch.tensor([other]), neighbours=neighbours).mT)

    assert score(3, 5) == pytest.approx(score(1003, 1005), abs=1e-9)
    assert abs(score(3, 5) - score(3, 6)) > 0.01
    assert score(4, 4) == pytest.approx(float(query @ key.mT), abs=1e-12)


def test_alibi_has_the_slopes_of_the_paper():
    """ "For our models with 8 heads the slopes are 1/2^1, 1/2^2, …, 1/2^8", for 16 heads 1/2^0.5, 1/2^1, … 1/2^8."""
    assert positions.alibi_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    sixteen = positions.alibi_slopes(16)
    assert float(sixteen[0]) == pytest.approx(2**-0.5, abs=1e-15)
    assert sixteen[[1, -1]].tolist() == [1 / 2, 1 / 256]


@pytest.mark.parametrize("heads", [1, 2, 3, 8, 12, 20])
def test_the_slopes_are_blooms(heads):
    """Its tensor holds slope · position."""
    theirs = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    torch.testing.assert_close(positions.alibi_slopes(heads).float(), theirs)


def test_alibi_by_hand():
    found = positions.alibi(8, 3, 3)
    assert found[0].tolist() == [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    assert positions.alibi(8, 1, 3, first=2)[1].tolist() == [[-0.5, -0.25, 0]]


@pytest.mark.parametrize("both_ways", [True, False])
@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (8, 16), (64, 300)])
def test_buckets_are_those_of_t5(both_ways, buckets, farthest):
    distance = positions.distances(700, 700)
    expected = T5Attention._relative_position_bucket(distance, both_ways, buckets, farthest)
    found = positions.buckets_of(distance, buckets=buckets, farthest=farthest, both_ways=both_ways)
    assert torch.equal(found, expected)


def test_the_relative_bias_is_looked_up():
    table = torch.arange(64.0).reshape(2, 32)
    found = positions.relative(table, 3, 3)
    # Keys before the query: buckets 0, 1, 2; keys after it: 16 + 1, 16 + 2.
    assert found[1].tolist() == [[32, 49, 50], [33, 32, 49], [34, 33, 32]]
    assert torch.equal(positions.relative(table, 1, 3, first=2), found[:, 2:])


def test_a_window_has_the_biases_of_swin():
    table = drawn(2, 5, 7)
    swin = SwinRelativePositionBias(2, (3, 4))
    with torch.no_grad():
        swin.relative_position_bias_table.copy_(table.flatten(1).mT)
    torch.testing.assert_close(swin()[0].double(), positions.window_relative(table, 3, 4), atol=1e-6, rtol=0)


def test_a_window_of_two_tokens_side_by_side_by_hand():
    """The query's place minus the key's: the left one sees the right one at −1, the first column of the table."""
    found = positions.window_relative(torch.tensor([[[1.0, 2.0, 3.0]]]), 1, 2)
    assert found.tolist() == [[[2, 1], [3, 2]]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: positions.sinusoidal(4, 3), "it is 3"),
        (lambda: positions.rotary(torch.zeros(2, 5)), "it is 5"),
        (lambda: positions.alibi_slopes(0), "0 were asked for"),
        (lambda: positions.buckets_of(torch.tensor(1), buckets=2), "2 buckets"),
        (lambda: positions.buckets_of(torch.tensor(1), buckets=32, farthest=8), "up to 8"),
        (lambda: positions.window_relative(torch.zeros(1, 3, 3), 2, 3), "3 × 5"),
    ],
)
def test_what_does_not_go_is_said_in_a_sentence(wrong, said):
    with pytest.raises(InputError, match=said):
        wrong()
