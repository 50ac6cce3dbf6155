import math

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

from attnviz.attention import Attention, Causal, Lengths, RowState, Window

# Seed 0: queries, then keys, drawn in float32; the weights as PyTorch 2.13 and 2.14 give them.
SEED_0 = [
    [0.12107915, 0.74096185, 0.10595296, 0.03200600],
    [0.257707, 0.265083, 0.170507, 0.306703],
    [0.336031, 0.017149, 0.186941, 0.459879],
    [0.203221, 0.623467, 0.102497, 0.070815],
]


def draw(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def close(found, expected, atol=1e-6):
    torch.testing.assert_close(found.double(), expected.double(), atol=atol, rtol=0, equal_nan=True)


def seed_0():
    torch.manual_seed(0)
    return torch.randn(4, 8), torch.randn(4, 8)


def test_the_weights_of_seed_0():
    query, key = seed_0()
    found = Attention.from_qk(query, key).weights(0)
    assert found.dtype == torch.float32
    close(found, torch.tensor(SEED_0), atol=6e-7)


def test_the_scaled_scores_of_seed_0():
    query, key = seed_0()
    close(Attention.from_qk(query, key).logits(0)[0], torch.tensor([-0.005167, 1.806338, -0.138616, -1.335688]))


def test_seed_0_without_scaling():
    query, key = seed_0()
    found = Attention.from_qk(query, key, scale=1.0).weights(0)[0]
    close(found, torch.tensor([0.0059, 0.9899, 0.0040, 0.0001]), atol=6e-5)


def intersection(**options):
    """An intersection worked by hand: dot products 4, 5 and −1, values 0.6, 0.9 and 0.1."""
    return Attention.from_qk(
        torch.tensor([[2.0, 1.0]]),
        torch.tensor([[1.0, 2.0], [2.0, 1.0], [0.0, -1.0]]),
        value=torch.tensor([[0.6], [0.9], [0.1]]),
        **options,
    )


def test_the_intersection_worked_by_hand():
    attention = intersection()
    close(attention.logits(0)[0], torch.tensor([2.828427, 3.535534, -0.707107]))
    close(attention.weights(0)[0], torch.tensor([0.327090, 0.663377, 0.009532]))
    close(attention.output(0)[0], torch.tensor([0.794247]))


def test_the_intersection_without_scaling():
    attention = intersection(scale=1.0)
    close(attention.logits(0)[0], torch.tensor([4.0, 5.0, -1.0]))
    close(attention.weights(0)[0], torch.tensor([0.268455, 0.729736, 0.001809]))
    close(attention.output(0)[0], torch.tensor([0.818016]))


@pytest.mark.parametrize(("scale", "first"), [(1.0, 0.880797), (None, 0.804430)])
def test_the_quiz(scale, first):
    query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    close(Attention.from_qk(query, key, scale=scale).weights(0)[0], torch.tensor([first, 1 - first]))


def test_each_number_of_dimensions_means_the_same():
    query, key = draw(4, 8), draw(5, 8, seed=1)
    flat = Attention.from_qk(query, key)
    assert (flat.items, flat.heads, flat.kv_heads, flat.shape) == (1, 1, 1, (4, 5))
    for more in (Attention.from_qk(query[None], key[None]), Attention.from_qk(query[None, None], key[None, None])):
        assert torch.equal(flat.weights(0), more.weights(0))


def test_all_heads_come_with_an_axis_in_front(in_float64):
    query, key = draw(2, 3, 4, 8), draw(2, 3, 5, 8, seed=1)
    attention = Attention.from_qk(query, key)
    assert attention.weights(None, 1).shape == (3, 4, 5)
    close(attention.weights(None, 1), in_float64(query, key)[1])
    close(attention.weights(2, 1), in_float64(query, key)[1, 2])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_computed_in_single(dtype, in_float64):
    query, key = 3 * draw(1, 2, 9, 16, dtype=dtype), draw(1, 2, 9, 16, seed=1, dtype=dtype)
    found = Attention.from_qk(query, key).weights()
    assert found.dtype == torch.float32
    close(found, in_float64(query, key)[0], atol=2e-6)


def test_double_precision_is_computed_in_double(in_float64):
    query, key = 40 * draw(1, 2, 9, 16, dtype=torch.float64), draw(1, 2, 9, 16, seed=1, dtype=torch.float64)
    found = Attention.from_qk(query, key).weights()
    assert torch.equal(found, in_float64(query, key)[0].float())


def test_autocast_around_it_changes_nothing():
    attention = Attention.from_qk(draw(9, 16), draw(9, 16, seed=1))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = attention.weights(0)
    assert torch.equal(inside, Attention.from_qk(draw(9, 16), draw(9, 16, seed=1)).weights(0))


def test_no_graph_is_kept():
    assert not Attention.from_qk(draw(3, 4).requires_grad_(), draw(3, 4)).weights(0).requires_grad


def test_shared_key_heads_as_pytorch_shares_them(in_float64):
    query, key, value = draw(2, 6, 5, 8), draw(2, 2, 7, 8, seed=1), draw(2, 2, 7, 8, seed=2)
    attention = Attention.from_qk(query, key, value=value)
    assert attention.kv_heads == 2
    expected = F.scaled_dot_product_attention(query, key, value, enable_gqa=True)
    for item in range(2):
        close(attention.output(None, item), expected[item])
        close(attention.weights(4, item), in_float64(query, key)[item, 4])
        close(attention.output(3, item), expected[item, 3])


def test_output_with_values_of_another_width():
    query, key, value = draw(1, 2, 5, 8), draw(1, 2, 7, 8, seed=1), draw(1, 2, 7, 3, seed=2)
    found = Attention.from_qk(query, key, value=value).output()
    close(found, F.scaled_dot_product_attention(query, key, value)[0])


@pytest.mark.filterwarnings("ignore:Lower right causal bias will produce NaNs")
@pytest.mark.parametrize(("queries", "keys"), [(1, 7), (3, 7), (7, 7), (7, 3)])
def test_causal_offset_is_the_alignment_of_the_corners(queries, keys):
    query, key, value = draw(1, 2, queries, 8), draw(1, 2, keys, 8, seed=1), draw(1, 2, keys, 8, seed=2)
    upper = F.scaled_dot_product_attention(query, key, value, attn_mask=causal_upper_left(queries, keys))
    close(Attention.from_qk(query, key, value=value, mask=Causal()).output(), upper[0])
    by_flag = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    close(Attention.from_qk(query, key, value=value, mask=Causal()).output(), by_flag[0])
    lower = F.scaled_dot_product_attention(query, key, value, attn_mask=causal_lower_right(queries, keys))
    found = Attention.from_qk(query, key, value=value, mask=Causal(keys - queries))
    seen = found.row_state() == RowState.NORMAL  # PyTorch writes 0 or NaN for rows that see nothing, we NaN
    assert seen.sum(-1).tolist() == [min(queries, keys)] * 2
    close(found.output()[seen], lower[0][seen])


def test_boolean_and_additive_masks_as_pytorch_takes_them():
    query, key, value = draw(2, 3, 5, 8), draw(2, 3, 6, 8, seed=1), draw(2, 3, 6, 8, seed=2)
    truth = draw(2, 1, 5, 6, seed=3) > -0.5
    truth[..., 0] = True
    added = draw(3, 5, 6, seed=4).masked_fill(~truth[0], -torch.inf)
    for mask in (truth, added, added[0], truth[:, :, :1]):
        found = Attention.from_qk(query, key, value=value, mask=mask)
        expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        close(found.output(None, 1), expected[1])


def test_multi_head_attention_of_pytorch():
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(12, 3, batch_first=True)
    x, padded = draw(2, 5, 12), torch.tensor([[False] * 5, [False, False, False, True, True]])
    _, expected = module(x, x, x, key_padding_mask=padded, average_attn_weights=False)
    query, key, _ = F.linear(x, module.in_proj_weight, module.in_proj_bias).unflatten(-1, (3, 3, 4)).unbind(2)
    found = Attention.from_qk(query.transpose(1, 2), key.transpose(1, 2), mask=Lengths((0, 0), (5, 3)))
    close(found.weights(None, 0), expected[0])
    close(found.weights(None, 1), expected[1])


def test_softcap_comes_before_bias_and_mask(in_float64):
    query, key, bias = 5 * draw(1, 2, 5, 8), 5 * draw(1, 2, 5, 8, seed=1), draw(1, 2, 5, 5, seed=2)
    allowed = torch.ones(5, 5, dtype=torch.bool).tril()
    attention = Attention.from_qk(query, key, softcap=3.0, bias=bias, mask=Causal())
    close(attention.weights(), in_float64(query, key, softcap=3.0, bias=bias, allowed=allowed)[0])
    assert (attention.logits() - bias[0]).abs().max() < 3 + 1e-5


def test_sinks_are_one_more_key_without_a_value(in_float64):
    query, key, value, sinks = draw(2, 4, 5, 8), draw(2, 2, 5, 8, seed=1), draw(2, 2, 5, 8, seed=2), draw(4, seed=3)
    attention = Attention.from_qk(query, key, value=value, mask=Causal(), sinks=sinks)
    expected = in_float64(query, key, allowed=torch.ones(5, 5, dtype=torch.bool).tril(), sinks=sinks)[1]
    close(attention.weights(None, 1), expected)
    close(attention.sink_mass(None, 1), 1 - expected.sum(-1))
    close(attention.sink_mass(3, 1), 1 - expected[3].sum(-1))
    close(attention.output(None, 1), expected @ value[1].double().repeat_interleave(2, 0))


def test_lse_counts_the_sinks():
    query, key, sinks = draw(1, 2, 5, 8), draw(1, 2, 5, 8, seed=1), draw(2, seed=3)
    scores = query.double() @ key.double().mT / math.sqrt(8)
    close(Attention.from_qk(query, key).lse(), torch.logsumexp(scores, -1)[0])
    column = sinks.double()[None, :, None, None].expand(1, 2, 5, 1)
    with_sinks = torch.logsumexp(torch.cat([scores, column], -1), -1)[0]
    close(Attention.from_qk(query, key, sinks=sinks).lse(), with_sinks)


def test_no_mass_goes_to_sinks_that_are_not_there():
    assert torch.equal(Attention.from_qk(draw(2, 3, 4), draw(2, 3, 4)).sink_mass(), torch.zeros(2, 3))


def test_very_low_scores_keep_their_sum():
    """−1e6 + log(7) is rounded to 0.06 in float32, so a single log-sum-exp would give weights that are 5 % off."""
    query, key = torch.zeros(3, 4), torch.zeros(7, 4)
    attention = Attention.from_qk(query, key, bias=torch.full((3, 7), -1e6))
    close(attention.weights(0), torch.full((3, 7), 1 / 7), atol=1e-8)


def test_the_parts_asked_for_are_parts_of_the_whole():
    query, key = draw(1, 2, 9, 8), draw(1, 2, 11, 8, seed=1)
    for mask in (None, Causal(2), draw(9, 11, seed=2) > 0):
        attention = Attention.from_qk(query, key, mask=mask)
        whole, scores, allowed = attention.weights(1), attention.logits(1), attention.allowed(1)
        fresh = Attention.from_qk(query, key, mask=mask)  # knows nothing of its rows yet
        for rows, cols in ((slice(2, 5), slice(4, 9)), ([8, 0, 0], None), (slice(None, None, -2), [3, 1]), ([], [])):
            i = torch.arange(9)[list(range(9))[rows] if isinstance(rows, slice) else rows]
            j = torch.arange(11) if cols is None else torch.arange(11)[cols]
            for one in (fresh, attention):
                close(one.weights(1, rows=rows, cols=cols), whole[i][:, j])
            close(fresh.logits(1, rows=rows, cols=cols), scores[i][:, j])
            assert torch.equal(fresh.allowed(1, rows=rows, cols=cols), allowed[i][:, j])


def test_a_tile_does_not_need_the_whole():
    """60,000 × 60,000 weights would take 14 GB."""
    query, key = draw(60_000, 4), draw(60_000, 4, seed=1)
    attention = Attention.from_qk(query, key, mask=Window(2, 0))
    assert attention.weights(0, rows=[59_999], cols=slice(59_990, None)).gt(0).sum() == 3
    assert attention.nbytes() == 2 * 60_000 * 4 * 4


def test_it_moves_to_another_device():
    moved = Attention.from_qk(draw(3, 4), draw(3, 4), value=draw(3, 4), mask=draw(3, 3) > 0).on(torch.device("meta"))
    assert moved.device.type == "meta"
    assert {t.device.type for t in (*moved.scores.tensors(), moved.value, *moved.mask.tensors().values())} == {"meta"}


def test_stored_weights_are_shown_as_they_are():
    stored = torch.tensor([[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]], dtype=torch.float16)
    attention = Attention.from_weights(stored, value=torch.tensor([[4.0], [8.0], [1.0]]), form="additive")
    assert attention.form == "additive"
    assert torch.equal(attention.weights(0), stored.float())
    assert torch.equal(attention.weights(None, rows=[1], cols=[1, 0]), torch.tensor([[[0.5, 0.5]]]))
    assert torch.equal(attention.output(0), torch.tensor([[7.0], [6.0]]))


def test_changing_what_was_handed_out_changes_nothing():
    attention = Attention.from_weights(torch.eye(2))
    attention.weights(0).fill_(7)
    assert torch.equal(attention.weights(0), torch.eye(2))


def test_it_says_briefly_what_it_is():
    attention = Attention.from_qk(draw(12, 9, 4), draw(12, 9, 4), name="encoder.layer.0.attention.self")
    assert repr(attention) == "Attention(encoder.layer.0.attention.self: encoder, dot-product, 12 heads, 9 × 9)"
