import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnviz.base.errors import InputError
from attnviz.cost import operations
from attnviz.cost.layer import Layer


def counted(run):
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    return counter.get_total_flops()


def test_multi_head_attention_is_what_torch_counts():
    layer = operations.block(400, Layer(width=256, heads=4))
    module = torch.nn.MultiheadAttention(256, 4, batch_first=True)
    x = torch.randn(1, 400, 256)
    assert layer.attention == 373_555_200
    assert counted(lambda: module.train()(x, x, x, need_weights=True)) == 373_555_200


def test_the_whole_block_is_what_torch_counts():
    block = torch.nn.TransformerEncoderLayer(64, 4, 256, batch_first=True).train()
    assert counted(lambda: block(torch.randn(1, 50, 64))) == operations.block(50, Layer(width=64)).total
    # 24 · 50 · 64² + 4 · 50² · 64
    assert operations.block(50, Layer(width=64)).total == 4_915_200 + 640_000


def test_cross_attention_is_what_torch_counts():
    module = torch.nn.MultiheadAttention(64, 4, batch_first=True).train()
    run = lambda: module(torch.randn(1, 30, 64), *(torch.randn(1, 70, 64),) * 2)  # noqa: E731
    # 4 · 30 · 70 · 64 + 4 · 30 · 64² + 4 · 70 · 64²
    assert operations.cross(30, 70, Layer(width=64)).total == 537_600 + 491_520 + 1_146_880
    assert counted(run) == 2_176_000


def test_grouped_keys_make_cheaper_projections_and_no_cheaper_core():
    full, grouped = Layer(width=256, heads=8, kv_heads=8), Layer(width=256, heads=8, kv_heads=2)
    assert operations.block(100, full).core == operations.block(100, grouped).core
    wide, narrow = torch.nn.Linear(256, 256, bias=False), torch.nn.Linear(256, 64, bias=False)
    x = torch.randn(100, 256)
    assert operations.projections(100, 100, grouped) == counted(lambda: [wide(x), narrow(x), narrow(x), wide(x)])
    assert operations.parameters(grouped) == 2 * 256 * 256 + 2 * 256 * 64
    assert operations.parameters(full) == 262_144


def test_doubling_the_tokens_is_four_times_the_core_alone():
    layer = Layer(width=256)
    assert operations.times_as_many(400, 2, layer)[0] == 4
    assert operations.times_as_many(400, 2, layer)[1] == pytest.approx(2.413, abs=5e-4)
    assert operations.times_as_many(6_400, 2, layer)[1] == pytest.approx(3.613, abs=5e-4)
    core, block = operations.times_as_many(400, 16, layer)
    assert core == 256
    assert block == pytest.approx(65.6, abs=0.05)


def test_no_tokens_are_one_sentence():
    with pytest.raises(InputError, match="0 tokens were given"):
        operations.times_as_many(0, 2, Layer(width=256))


def test_a_causal_mask_halves_only_where_the_kernel_skips():
    assert operations.causal_pairs(1_000) == 500_500
    layer = Layer(width=64, causal=True)
    assert operations.block(1_000, layer).core == 4 * 500_500 * 64
    assert operations.block(1_000, layer, skips=False).core == 4 * 1_000_000 * 64


def test_the_core_of_an_image_of_1080_lines():
    assert operations.core(8_160**2, Layer(width=256)) == pytest.approx(68.18e9, abs=5e6)
