import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnviz.attention.kinds import KINDS, Inputs, Settings
from attnviz.base.errors import InputError
from attnviz.cost.layer import Layer
from attnviz.cost.price import PRICES, price

D256 = Layer(width=256, heads=8, kv_heads=8)
N = 8_160


def test_the_prices_of_an_image_of_1080_lines():
    full = price("self", N, N, D256)
    assert full.operations.core == pytest.approx(68.18e9, abs=5e6)
    assert full.live_pairs == full.computed_pairs == 66_585_600
    # 7 × 7 = 49 keys: 24 on each side in a sequence.
    window = price("window", N, N, D256, Settings(window=24))
    assert window.operations.core == pytest.approx(0.409e9, abs=5e5)
    assert price("linear", N, N, D256).operations.core == pytest.approx(0.267e9, abs=5e5)
    deformable = price("deformable", N, N, D256, Settings(points=16)).operations
    assert deformable.core == pytest.approx(0.334e9, abs=5e5)
    assert deformable.projections == pytest.approx(1.604e9 + 2.139e9, abs=1e6)


def test_a_window_of_an_image_is_cut_at_its_edges():
    found = price("window", N, N, D256, Settings(window=3), grid=(68, 120))
    # 68 · 7 − 12 pairs of rows times 120 · 7 − 12 of columns.
    assert found.live_pairs == 464 * 828
    assert found.operations.core == 4 * 464 * 828 * 256
    with_class = price("window", N + 1, N + 1, D256, Settings(window=3), grid=(68, 120))
    assert with_class.live_pairs == 464 * 828 + 2 * N + 1


@pytest.mark.parametrize("kind", ["causal", "window", "strided", "fixed", "global_window_random"])
def test_as_a_mask_over_all_pairs_nothing_is_saved(kind):
    skipping, masked = (price(kind, 400, 400, D256, skips=skips) for skips in (True, False))
    assert masked.live_pairs == skipping.live_pairs == skipping.computed_pairs < 160_000
    assert masked.computed_pairs == 160_000
    assert masked.operations.core == 4 * 160_000 * 256
    assert masked.plain_bytes == 2 * 8 * 160_000 * 2 > skipping.plain_bytes


def test_blocks_are_laid_side_by_side_and_need_no_mask_between_them():
    masked = price("block", 400, 400, D256, Settings(block=16), skips=False)
    assert masked.live_pairs == masked.computed_pairs == 25 * 16 * 16
    # Within a block a causal mask hides half, which is worked out all the same where nothing is skipped.
    causal = price("block", 400, 400, D256, Settings(block=16, causal=True), skips=False)
    assert (causal.live_pairs, causal.computed_pairs) == (25 * 16 * 17 // 2, 25 * 16 * 16)
    assert price("block", 400, 400, D256, Settings(block=16, causal=True)).computed_pairs == 25 * 16 * 17 // 2


def test_the_state_of_a_causal_window_counts_its_own_key_once():
    layer = Layer(width=256, heads=8, kv_heads=2, causal=True)
    # 2 · (w + 1) keys and values of 2 heads of 32 numbers in 16 bits.
    assert price("window", 400, 400, layer, Settings(window=8)).state_bytes == 2 * 9 * 64 * 2
    assert price("causal", 400, 400, layer).state_bytes == 2 * 400 * 64 * 2
    assert price("window", 5, 5, layer, Settings(window=8)).state_bytes == 2 * 5 * 64 * 2


def test_grouped_keys_make_state_and_projections_smaller():
    grouped = price("grouped", 400, 400, Layer(width=256, heads=8, kv_heads=2))
    full = price("self", 400, 400, D256)
    assert grouped.state_bytes * 4 == full.state_bytes == 2 * 400 * 256 * 2
    assert grouped.operations.core == full.operations.core
    assert grouped.operations.projections == 4 * 400 * 256 * (256 + 64)
    assert (grouped.parameters, full.parameters) == (2 * 256 * 320, 262_144)


def test_additive_attention_holds_two_numbers_for_every_pair_and_hidden_channel():
    found = price("additive", 10, 20, Layer(width=8, heads=1, kv_heads=1, bytes_per_number=4))
    # Sum and tanh of 10 · 20 · 8, scores and weights of 10 · 20, in 4 bytes.
    assert found.plain_bytes == (2 * 10 * 20 * 8 + 2 * 10 * 20) * 4
    assert found.fused_bytes is None
    # Scores: v has 8 numbers; values: 8.
    assert found.operations.core == 4 * 200 * 8 + 2 * 200 * 8
    assert found.operations.projections == 2 * 10 * 64 + 2 * 20 * 64


def test_linear_attention_is_what_torch_counts_and_needs_no_pair():
    layer = Layer(width=64, heads=4, kv_heads=4, bytes_per_number=4)
    q, k, v = torch.rand(3, 4, 50, 16)
    with FlopCounterMode(display=False) as counter:
        state = k.mT @ v
        _out = q @ state
    found = price("linear", 50, 50, layer)
    assert found.operations.core == counter.get_total_flops() == 4 * 50 * 64 * 16
    assert found.computed_pairs == 0
    # d²/h + d numbers.
    assert found.state_bytes == (1024 + 64) * 4


def test_linear_attention_shares_the_sums_of_shared_key_heads():
    layer = Layer(width=64, heads=4, kv_heads=1, bytes_per_number=4)
    q, k, v = torch.rand(4, 50, 16), torch.rand(1, 50, 16), torch.rand(1, 50, 16)
    with FlopCounterMode(display=False) as counter:
        state = k.mT @ v
        _out = q.reshape(1, 200, 16) @ state
    found = price("linear", 50, 50, layer)
    assert found.operations.core == counter.get_total_flops()
    assert found.state_bytes == (state.numel() + 16) * 4


def test_gates_have_the_parameters_of_the_library():
    layer = Layer(width=64, heads=1, kv_heads=1)
    found = price("squeeze", 49, 49, layer, Settings(reduction=16))
    assert found.parameters == 580
    assert found.operations.total == 2 * 49 * 64 + 4 * 64 * 64 // 16
    assert found.live_pairs == 0


def test_deformable_attention_has_points_instead_of_pairs():
    found = price("deformable", 100, 400, D256, Settings(points=16))
    assert (found.live_pairs, found.computed_pairs) == (1_600, 0)
    assert found.operations.projections == 2 * 100 * 256 * 384 + 2 * 400 * 256**2 + 2 * 100 * 256**2


def test_positions_and_sinks_add_parameters_and_no_core():
    full = price("self", 40, 40, D256)
    for kind, more in (("relative", 5 * 8), ("alibi", 0), ("rotary", 0), ("sinks", 8), ("softcap", 0)):
        found = price(kind, 40, 40, D256)
        assert found.operations.core == full.operations.core
        assert found.parameters - full.parameters == more
    # Swin's table for windows of 7 × 7: 13 × 13 distances a head.
    assert price("relative", 49, 49, D256, Settings(window=6), grid=(7, 7)).parameters == 262_144 + 169 * 8
    assert price("differential", 40, 40, D256).plain_bytes == 2 * full.plain_bytes


def test_cross_attention_meets_every_key_of_the_other_sequence_even_beside_a_causal_one():
    found = price("cross", 30, 70, Layer(width=64, causal=True))
    assert found.live_pairs == 2_100
    assert found.operations.core + found.operations.projections == 2_176_000


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("n", [1, 2, 1_000])
def test_every_kind_has_a_price_at_every_length(kind, n):
    found = price(kind, n, n, D256)
    assert 0 <= found.computed_pairs <= n * n
    assert found.operations.total > 0
    assert found.plain_bytes >= 0
    assert found.assumption


def test_an_unknown_kind_and_no_tokens_are_one_sentence():
    with pytest.raises(InputError, match="teleport"):
        price("teleport", 1, 1, D256)
    with pytest.raises(InputError, match="one query"):
        price("self", 0, 1, D256)


@pytest.mark.parametrize("kind", ["window", "block", "strided", "fixed", "global_window_random"])
def test_what_counts_places_of_one_sequence_has_as_many_queries_as_keys(kind):
    with pytest.raises(InputError, match="as many queries as keys were expected, and 100 and 10 were given"):
        price(kind, 100, 10, D256)


@pytest.mark.parametrize("grid", [(5, 5), (0, 5)])
def test_a_grid_has_no_more_cells_than_there_are_queries(grid):
    with pytest.raises(InputError, match="does not go with 10 queries"):
        price("window", 10, 10, D256, grid=grid)


@pytest.mark.parametrize("grid", [None, (4, 4)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_pairs_and_state_are_those_of_the_attention_that_ran(kind, causal, grid):
    chosen = Settings(causal=causal and "causal" in kind.sliders, heads=2, kv_heads=1)
    ran = kind.run(Inputs.drawn(16, width=16, grid=grid), chosen)
    layer = Layer(16, 2, 1 if kind.id == "grouped" else 2, 4.0, 1)
    found = price(kind.id, 16, ran.live.shape[1], layer, chosen, grid=grid)
    assert found.state_bytes == ran.state
    if kind.id != "deformable":  # its points lie between positions: counted as points, not as pairs
        assert found.live_pairs == int(ran.live.sum())
