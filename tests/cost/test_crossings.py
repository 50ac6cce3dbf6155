import pytest

from attnviz.cost import convolution, operations
from attnviz.cost.crossings import core_equals_projections, core_equals_rest, crossings
from attnviz.cost.layer import Layer


def test_core_and_projections_are_equal_at_2d_and_core_and_rest_at_6d():
    layer = Layer(width=256)
    assert core_equals_projections(layer) == 512
    assert core_equals_rest(layer) == 1536
    at = operations.block(1536, layer)
    assert at.core == at.projections + at.feed_forward
    assert operations.block(512, layer).core == operations.block(512, layer).projections


def test_with_grouped_keys_they_cross_earlier():
    grouped = Layer(width=256, heads=8, kv_heads=2)
    assert core_equals_projections(grouped) == 320
    at = operations.block(320, grouped)
    assert at.core == at.projections


@pytest.mark.parametrize(("width", "expected"), [(64, 160), (256, 640), (512, 1280)])
def test_halving_finds_where_attention_becomes_dearer_than_a_convolution(width, expected):
    attention = lambda n: float(operations.block(n, Layer(width=width)).attention)  # noqa: E731
    filtered = lambda n: float(convolution.operations(n, width, 3))  # noqa: E731
    assert crossings(attention, filtered, 16, 100_000) == (expected,)
    assert crossings(attention, filtered, expected + 1, 100_000) == ()


def test_a_curve_that_crosses_twice_is_marked_twice():
    # (n − 100)(n − 1000) changes sign at 100 and at 1000.
    found = crossings(lambda n: float(n * n + 100_000), lambda n: 1100.0 * n, 10, 10_000)
    assert found == (100, 1000)
    assert crossings(lambda n: 1.0, lambda n: 1.0, 1, 10) == ()
    assert crossings(lambda n: 1.0, lambda n: 2.0, 10, 10) == ()


def test_a_causal_mask_that_is_skipped_lets_them_cross_later():
    # 2 n (n + 1) d = 8 n d²: n = 4 d − 1; with the feed-forward part 12 d − 1.
    causal = Layer(width=256, causal=True)
    assert core_equals_projections(causal) == 1023
    assert core_equals_rest(causal) == 3071
    at = operations.block(1023, causal)
    assert at.core == at.projections
    assert core_equals_projections(causal, skips=False) == 512


def test_where_they_cross_does_not_depend_on_which_is_named_first():
    # 4 n² d = 4 n d² / h at n = 64: there both cost the same.
    def full(n):
        return 4.0 * n * n * 256

    def linear(n):
        return 4.0 * n * 256 * 64

    assert crossings(full, linear, 16, 131_072) == crossings(linear, full, 16, 131_072) == (64,)


def test_curves_that_part_or_touch_do_not_cross():
    # A window is the whole until there is something beyond it.
    def whole(n):
        return float(n)

    def window(n):
        return float(min(n, 25))

    assert crossings(whole, window, 1, 1_000) == crossings(window, whole, 1, 1_000) == ()
    assert crossings(lambda n: abs(n - 100.0), lambda _n: 0.0, 1, 1_000, range(1, 1_001)) == ()
