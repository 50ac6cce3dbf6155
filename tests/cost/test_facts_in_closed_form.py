"""Numbers of the lessons that follow from a formula and are asserted nowhere else, each worked out by hand."""

import pytest
import torch
from torch import nn

from attnviz.attention import Attention
from attnviz.attention.kinds.kind import Settings
from attnviz.cost import memory, operations
from attnviz.cost.chips import chips
from attnviz.cost.layer import Layer
from attnviz.cost.price import price
from attnviz.cost.roofline import Work, bound
from attnviz.cost.tokens import image_tokens

LLAMA_8B = Layer(width=4096, heads=32, kv_heads=8, bytes_per_number=2)


def test_by_area_alone_1080_lines_would_have_tokens_that_no_padding_gives():
    # 1920 · 1080 / 16² = 8,100; 67.5 rows there are not.
    assert operations.pairs(8_100, 8_100) == 65_610_000
    assert {image_tokens(1920, 1080, 16, padding).count for padding in ("cut", "pad")} == {8_040, 8_160}


def test_a_draw_in_float64_is_another_one():
    torch.manual_seed(0)
    query, key = torch.randn(4, 8, dtype=torch.float64), torch.randn(4, 8, dtype=torch.float64)
    row = Attention.from_qk(query, key).weights(0)[0]
    assert row.tolist() == pytest.approx([0.155, 0.351, 0.189, 0.304], abs=6e-4)


def test_a_hundredth_is_little_among_three_and_much_among_four_hundred():
    weights = torch.softmax(torch.tensor([4.0, 5.0, -1.0], dtype=torch.float64) / 2**0.5, 0)
    assert weights[2].item() * 3 == pytest.approx(0.0286, abs=5e-5)
    assert 1 / image_tokens(640, 640, 32).count == 0.0025
    # From weights of two places the output is another one in its third.
    written = 0.33 * 0.6 + 0.66 * 0.9 + 0.01 * 0.1
    assert written == pytest.approx(0.793, abs=1e-12)


def test_parameters_of_multi_head_attention_are_4dd_and_4d_of_biases():
    assert operations.parameters(Layer(width=256)) == 262_144
    library = nn.MultiheadAttention(256, 4)
    assert sum(one.numel() for one in library.parameters()) == 262_144 + 4 * 256


def test_cross_attention_of_400_queries_and_1600_keys():
    done = operations.cross(400, 1_600, Layer(width=256))
    assert (done.core, done.projections) == (655_360_000, 524_288_000)


def test_additive_attention_of_400_tokens():
    done = price("additive", 400, 400, Layer(width=256)).operations
    # ~4 n m da of sum, tanh and vᵀ, 2 n m dv of values; 2 n dq da and 2 m dk da.
    assert (done.core, done.projections) == (163_840_000 + 81_920_000, 52_428_800 + 52_428_800)


def test_the_state_of_linear_attention_does_not_know_how_long_the_past_is():
    layer = Layer(width=256, heads=8, kv_heads=8, bytes_per_number=1)
    assert price("linear", 400, 400, layer).state_bytes == price("linear", 8_160, 8_160, layer).state_bytes == 8_448


def test_gates_of_400_positions_and_64_channels():
    done = price("squeeze", 400, 400, Layer(width=64), Settings(reduction=16)).operations
    # 2 H W C and 4 C² / r.
    assert (done.core, done.projections) == (51_200, 1_024)


def test_the_block_of_400_tokens():
    # 24 n d² + 4 n² d.
    assert operations.block(400, Layer(width=256)).total == 629_145_600 + 163_840_000


def test_the_cache_of_llama_3_8b_in_decimal_gigabytes():
    assert memory.cache(8_192, LLAMA_8B, layers=32) / 1e9 == pytest.approx(1.0737, abs=5e-5)
    assert memory.cache(8_000, LLAMA_8B, layers=32) / 1e9 == pytest.approx(1.0486, abs=5e-5)


@pytest.mark.parametrize(("chip", "milliseconds"), [("orin", 5.24), ("thor", 3.93), ("h200", 0.224)])
def test_every_step_of_generating_reads_the_whole_cache(chip, milliseconds):
    kept = memory.cache(8_192, LLAMA_8B, layers=32)
    done = Work(float(32 * operations.core(8_192, LLAMA_8B)), float(kept))
    found = bound(done, chips()[chip])
    assert found.by == "memory"
    assert 1000 * found.seconds == pytest.approx(milliseconds, abs=6e-3 if milliseconds > 1 else 6e-4)
    # As many operations a byte as there are heads to a key head, 4.
    assert done.operations / done.bytes == 4


@pytest.mark.parametrize(("heads", "kv_heads", "bytes_a_token"), [(32, 32, 524_288), (32, 8, 131_072), (32, 1, 16_384)])
def test_bytes_of_a_token_with_all_some_and_one_key_head(heads, kv_heads, bytes_a_token):
    assert memory.cache(1, Layer(4096, heads, kv_heads), layers=32) == bytes_a_token
