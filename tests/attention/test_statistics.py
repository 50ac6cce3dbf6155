import math

import pytest
import torch

from attnviz.attention import Attention, Causal
from attnviz.attention.statistics import (
    entropy,
    head_summary,
    mass_received,
    mean_distance,
    mean_of_normal,
    normal_rows,
    relative_to_uniform,
    top_keys,
)
from attnviz.tokens import Tokens

WEIGHTS = torch.tensor(
    [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [torch.nan, 0.5, 0.5], [0.0, 0.5, 0.5]],
)


def same(found, expected, atol=1e-6):
    torch.testing.assert_close(found, torch.tensor(expected), atol=atol, rtol=0, equal_nan=True)


def test_the_entropies_of_seed_0():
    torch.manual_seed(0)
    found = entropy(Attention.from_qk(torch.randn(4, 8), torch.randn(4, 8)).weights(0))
    same(found, [1.1913, 1.9700, 1.5969, 1.4995], atol=6e-5)


def test_entropy_is_in_bits():
    same(entropy(WEIGHTS), [1.5, 0.0, torch.nan, torch.nan, 1.0])
    same(entropy(torch.full((1, 8), 1 / 8)), [3.0])


def test_entropy_needs_weights_that_are_not_negative():
    assert entropy(torch.tensor([[1.2, -0.2]])).isnan().all()


def test_which_rows_are_normal():
    assert normal_rows(WEIGHTS).tolist() == [True, True, False, False, True]


def test_mass_received_is_the_mean_over_normal_rows():
    same(mass_received(WEIGHTS), [1.5 / 3, 0.75 / 3, 0.75 / 3])


def test_mass_received_counts_the_rows_that_may_see_the_key():
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    allowed = torch.tensor([[True, False, False], [True, True, False]])
    same(mass_received(weights, allowed), [0.75, 0.5, torch.nan])


def test_relative_to_uniform_is_one_where_all_allowed_keys_have_the_same():
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.2, 0.6]])
    found = relative_to_uniform(weights, torch.ones(3, 3, dtype=torch.bool).tril())
    same(found, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.6, 0.6, 1.8]])


def test_a_hundredth_is_four_times_uniform_among_four_hundred():
    weights, allowed = torch.full((1, 400), 0.01), torch.ones(1, 400, dtype=torch.bool)
    assert relative_to_uniform(weights, allowed)[0, 0].item() == pytest.approx(4)


def test_mean_distance_in_positions():
    same(mean_distance(WEIGHTS), [0.25 + 0.5, 1.0, torch.nan, torch.nan, 2.5])
    same(mean_distance(torch.tensor([[0.0, 0.5, 0.5]]), offset=2), [0.5])


def test_mean_distance_of_uniform_weights():
    """(n² − 1)/(3n): the mean of |i − j| over all pairs."""
    n = 30
    assert mean_distance(torch.full((n, n), 1 / n)).mean().item() == pytest.approx((n * n - 1) / (3 * n), rel=1e-5)


def test_sinks_do_not_shorten_distances():
    same(mean_distance(torch.tensor([[0.0, 0.0, 0.1]])), [2.0])


def test_top_keys_greatest_first():
    values, keys = top_keys(torch.tensor([[0.2, 0.5, 0.3], [torch.nan] * 3, [0.0] * 3]), 2)
    same(values, [[0.5, 0.3], [torch.nan] * 2, [torch.nan] * 2])
    assert keys.tolist() == [[1, 2], [-1, -1], [-1, -1]]
    assert top_keys(WEIGHTS, 9)[0].shape == (5, 3)


def test_rows_that_are_not_normal_are_left_out_of_means():
    assert mean_of_normal(entropy(WEIGHTS)).item() == pytest.approx(2.5 / 3)


def test_a_summary_of_each_head():
    previous = torch.tensor([[1.0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    uniform = torch.full((4, 4), 0.25)
    tokens = Tokens(("[CLS]", "a", "b", "[SEP]"), special=(True, False, False, True))
    attention = Attention.from_weights(torch.stack([previous, uniform]), query_tokens=tokens, key_tokens=tokens)
    summary = head_summary(attention)
    same(summary.mean_entropy, [0.0, 2.0])
    same(summary.mean_largest, [1.0, 0.25])
    same(summary.mean_distance, [0.75, 1.25])
    same(summary.mean_on_special, [0.5, 0.5])
    same(summary.mean_on_itself, [0.25, 0.25])
    same(summary.mean_on_previous, [1.0, 0.25])
    assert summary.normal_rows.tolist() == [4, 4]


def test_a_summary_leaves_out_padding_and_masked_rows():
    tokens = Tokens(("a", "b", "c", "<pad>"), padding=(False, False, False, True))
    query, key = torch.zeros(4, 2), torch.zeros(4, 2)
    summary = head_summary(Attention.from_qk(query, key, mask=Causal(-1), query_tokens=tokens, key_tokens=tokens))
    assert summary.normal_rows.tolist() == [2]
    same(summary.mean_entropy, [0.5])
    assert summary.mean_on_special is None


def test_a_summary_after_a_cache_knows_where_the_queries_are():
    summary = head_summary(Attention.from_weights(torch.tensor([[0.0, 0.0, 0.25, 0.75]])))
    same(summary.mean_on_itself, [0.75])
    same(summary.mean_on_previous, [0.25])
    same(summary.mean_distance, [0.25])


def test_a_summary_of_two_sequences_has_no_distances():
    summary = head_summary(Attention.from_weights(torch.eye(3), role="cross"))
    assert summary.mean_distance is None
    assert summary.mean_on_itself is None
    assert summary.mean_on_previous is None
    assert math.isclose(summary.mean_largest.item(), 1)
