import pytest
import torch

from attnviz.attention.kinds import fused
from attnviz.base.errors import InputError
from attnviz.cost import memory
from attnviz.cost.layer import Layer

LLAMA_8B = Layer(width=4096, heads=32, kv_heads=8, bytes_per_number=2)


def test_the_cache_of_llama_3_8b_is_one_gibibyte():
    assert memory.cache(1, LLAMA_8B, layers=32) == 131_072
    assert memory.cache(8_192, LLAMA_8B, layers=32) == 1_073_741_824
    assert memory.cache(8_000, LLAMA_8B, layers=32) == 1_048_576_000
    assert memory.cache(2_048, LLAMA_8B, layers=32) == 256 * 2**20


def test_without_grouping_it_is_four_and_of_70b_two_and_a_half():
    assert memory.cache(8_192, Layer(width=4096, heads=32, kv_heads=32), layers=32) == 4 * 2**30
    assert memory.cache(8_192, Layer(width=8192, heads=64, kv_heads=8), layers=80) == 2.5 * 2**30


def test_a_cache_of_less_than_nothing_is_one_sentence():
    with pytest.raises(InputError, match="A cache of -5 tokens"):
        memory.cache(-5, Layer(width=256))


def test_a_window_keeps_its_own_key_too():
    assert memory.kept_tokens(8_192, 1_023) == 1_024
    assert memory.kept_tokens(100, 1_023) == 100
    assert memory.kept_tokens(100, None) == 100


def test_traffic_is_8nd_fused_and_8hnn_more_plain():
    layer = Layer(width=256, heads=4)
    assert memory.fused_traffic(6_400, 6_400, layer) == 8 * 6_400 * 256
    assert memory.plain_traffic(6_400, 6_400, 6_400**2, layer) == 8 * 6_400 * 256 + 8 * 4 * 6_400**2


def test_the_plain_form_holds_scores_and_weights_and_the_fused_one_a_number_a_row():
    layer = Layer(width=256, heads=4, bytes_per_number=4)
    # Measured peaks over the inputs: 96.6 and 1,422 MB for the plain form, 5.6 and 10.3 MB for the fused one.
    assert memory.plain_peak(1_600**2, layer) == 81_920_000 < 96_600_000
    assert memory.plain_peak(6_400**2, layer) == 1_310_720_000 < 1_422_000_000
    assert memory.plain_peak(6_400**2, layer) == pytest.approx(1_422_000_000, rel=0.1)
    assert memory.fused_peak(6_400, layer) == 102_400


@pytest.mark.parametrize("n", [256, 1024])
def test_peaks_are_what_torch_was_seen_to_allocate(n):
    q, k, v = torch.randn(3, 1, 4, n, 32)
    layer = Layer(width=128, heads=4, bytes_per_number=4)
    output = n * 128 * 4
    plain, kept = (fused.peak_bytes(form, q, k, v) - output for form in ("plain", "fused"))
    # Scores and weights and, before the output is there, little else.
    assert memory.plain_peak(n * n, layer) <= plain + output
    assert plain <= 1.1 * memory.plain_peak(n * n, layer)
    # A fused kernel has its tiles besides: a part of the weights that does not grow with their number.
    assert memory.fused_peak(n, layer) <= kept + output
    assert kept < memory.plain_peak(n * n, layer) / 10
