from dataclasses import replace

import pytest

from attnviz.cost.chips import Chip
from attnviz.cost.fit import GIVES_UP, LOSSES, Need, held, kept_for_the_next, operations, seconds, ways
from attnviz.cost.layer import Layer
from attnviz.cost.tokens import image_tokens

D256 = Layer(width=256, heads=4, kv_heads=4)


def image(stride=8, extra=0, **fields):
    laid = image_tokens(640, 640, stride, "cut", extra)
    return Need(
        laid.count, D256, grid=(laid.rows, laid.columns), stride=stride,
        laid=lambda other: image_tokens(640, 640, other, "cut", extra), **fields,
    )  # fmt: skip


def by_name(found):
    return {way.name: way for way in found}


def test_a_budget_of_operations_is_met_by_the_widest_window_and_the_most_tokens():
    # 4 · pairs · 256 operations: so 1.024 GFLOP are a million pairs.
    found = by_name(ways(Need(6_400, D256), operations(Need(6_400, D256), projections=False), 1.024e9))
    assert not found["plain"].meets
    assert not found["fused"].meets
    # 6,400 (2w + 1) − w (w + 1) ≤ 1,000,000: 77 gives 986,… and 78 too many.
    reach = found["window"].setting
    assert 6_400 * (2 * reach + 1) - reach * (reach + 1) <= 1_000_000
    assert 6_400 * (2 * reach + 3) - (reach + 1) * (reach + 2) > 1_000_000
    assert found["fewer tokens"].tokens == 1_000
    # 4 · 6,400 · 256²/4 operations are 0.42 GFLOP.
    assert found["linear"].meets
    assert found["linear"].cost == 4 * 6_400 * 256 * 64


def test_the_mildest_stride_counts_its_extra_tokens():
    need = image(extra=1)
    found = by_name(ways(need, operations(need, projections=False), 4.0 * 401**2 * 256))
    # 20 × 20 patches and one more token are exactly 401; at a stride of 24 there would be 26 × 26.
    assert found["stride"].tokens == 401
    assert found["stride"].setting == 32
    assert found["fewer tokens"].tokens == 401
    tighter = by_name(ways(need, operations(need, projections=False), 4.0 * 400**2 * 256))
    assert tighter["stride"].tokens == 16 * 16 + 1
    # Even squares of 16 × 16 leave 5 × 5 + 1 keys for 6,401 queries.
    assert (tighter["pooled keys"].setting, tighter["pooled keys"].cost) == (16, 4 * 6_401 * 26 * 256)
    assert not tighter["pooled keys"].meets


def test_memory_is_met_by_a_fused_kernel_alone():
    need = image()
    found = by_name(ways(need, held, 2.0**20))
    # Plain 2 · 4 · 6,400² · 2 bytes; fused 4 bytes for each of 4 · 6,400 rows.
    assert found["plain"].cost == 655_360_000
    assert not found["plain"].meets
    assert found["fused"].cost == 102_400
    assert found["fused"].meets
    assert ways(need, held, 2.0**20)[0].name == "fused"


def test_key_heads_are_counted_in_the_cache():
    layer = Layer(width=4096, heads=32, kv_heads=32, causal=True)
    need = Need(8_192, layer, layers=32)
    found = by_name(ways(need, kept_for_the_next(need), 2.0**30))
    assert found["fused"].cost == 4 * 2**30
    # What a causal layer never compares is not given up.
    assert found["fused"].kept == found["grouped"].kept == 1
    assert (found["grouped"].setting, found["grouped"].cost) == (8, 2.0**30)
    # A window that looks back 2,047 positions keeps 2,048 keys, a quarter.
    assert (found["window"].setting, found["window"].cost) == (2_047, 2.0**30)
    shared = Need(8_192, Layer(width=4096, heads=32, kv_heads=8, causal=True), layers=32)
    assert by_name(ways(shared, kept_for_the_next(shared), 2.0**30))["fused"].meets


def test_time_is_the_longer_of_computing_and_moving():
    chip = Chip(name="made", tflops=1.0, gigabytes=1.0, source="by hand")
    need = Need(1_000, D256)
    found = by_name(ways(need, seconds(need, chip, projections=False), 1.0))
    # 4 · 10⁶ · 256 operations at 10¹² a second; 8 · 1000 · 256 bytes at 10⁹ a second take longer.
    assert found["fused"].cost == pytest.approx(2.048e-3)
    # Plain moves 8 · 4 · 10⁶ bytes more.
    assert found["plain"].cost == pytest.approx(34.048e-3)
    assert by_name(ways(need, seconds(need, chip, projections=True), 1.0))["fused"].cost == pytest.approx(
        (2.048e6 + 2 * 262_144) / 1e9
    )


@pytest.mark.parametrize("most", [1.0, 1e6, 1e9, 1e13])
@pytest.mark.parametrize("projections", [False, True])
def test_what_meets_comes_first_and_what_gives_up_less_before_what_gives_up_more(most, projections):
    need = image(extra=3, layers=2)
    found = ways(need, operations(need, projections=projections), most)
    order = [(not way.meets, LOSSES.index(way.loss)) for way in found]
    assert order == sorted(order)
    assert {way.name for way in found} == set(GIVES_UP)
    assert all(way.meets == (way.cost <= most) for way in found)


def test_one_token_and_a_causal_text_have_ways_too():
    assert ways(Need(1, D256), operations(Need(1, D256), projections=True), 1e12)[0].meets
    causal = Need(100, Layer(causal=True))
    assert "pooled keys" not in by_name(ways(causal, held, 1.0))


def test_a_causal_layer_is_offered_nothing_that_sees_both_ways():
    need = replace(image(), layer=replace(D256, causal=True))
    found = by_name(ways(need, operations(need, projections=False), 1e9))
    assert not {"deformable", "global_window_random", "pooled keys"} & set(found)


@pytest.mark.parametrize("tokens", [1, 2, 3, 5, 8, 20])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("most", [1.0, 1e12])
def test_what_is_said_to_have_fewer_pairs_hides_some(tokens, causal, most):
    need = Need(tokens, replace(D256, causal=causal))
    found = ways(need, operations(need, projections=False), most)
    assert all(way.kept < 1 for way in found if way.loss == "pairs"), found


def test_an_image_of_one_row_has_its_ways():
    laid = image_tokens(1600, 16, 16)
    need = Need(laid.count, D256, grid=(1, 100), stride=16, laid=lambda other: image_tokens(1600, 16, other))
    found = by_name(ways(need, operations(need, projections=False), 0.005e9))
    # 4 · pairs · 256 ≤ 5,000,000: 4,882 pairs. 100 (2w + 1) − w (w + 1) are 4,744 at 27, 4,888 at 28.
    assert found["window"].setting == 27
