"""Fused kernels: the formula's numbers, what ran, and memory as PyTorch allocated it."""

import pytest
import torch

from attnviz.attention.kinds.fused import (
    fused,
    largest_difference,
    peak_bytes,
    plain,
    which_backend,
    willing_backends,
)
from attnviz.attention.kinds.window import window_pairs


def _drawn(n=512, width=16, value_width=16, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    sizes = (width, width, value_width)
    return tuple(torch.randn(1, 2, n, size, generator=generator, dtype=dtype) for size in sizes)


@pytest.mark.parametrize("mask", [None, window_pairs(512, 4)])
def test_the_numbers_are_those_of_the_formula(mask):
    assert largest_difference(*_drawn(dtype=torch.float64), mask) < 1e-12
    assert largest_difference(*_drawn(), mask) < 1e-5


def test_on_a_cpu_flash_runs_in_four_dimensions_and_math_where_the_widths_differ():
    """What PyTorch's dispatcher for CPUs does (`sdp_utils_cpp.cpp`); read off what ran."""
    flash = which_backend(*_drawn())
    assert flash.name == "FLASH_ATTENTION"
    assert flash.operation == "aten::_scaled_dot_product_flash_attention_for_cpu"
    assert flash.fused
    math = which_backend(*_drawn(value_width=32))
    assert (math.name, math.fused) == ("MATH", False)


def test_where_only_math_is_allowed_math_is_what_ran():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert which_backend(*_drawn(64)).name == "MATH"


def test_a_kernel_that_does_not_run_here_refuses():
    assert willing_backends(*_drawn(64)) == {
        "FLASH_ATTENTION": True,
        "EFFICIENT_ATTENTION": False,
        "CUDNN_ATTENTION": False,
        "MATH": True,
    }
    assert willing_backends(*_drawn(64, value_width=32))["FLASH_ATTENTION"] is False


def test_written_out_it_takes_scores_and_weights_at_once():
    """2 heads of 512 × 512 in float32 are 2 MiB; two of them are there together, and the output beside them is small."""
    peak = peak_bytes("plain", *_drawn())
    assert 2 * 2 * 512**2 * 4 <= peak < 2.1 * 2 * 512**2 * 4


def test_the_peak_of_the_plain_form_grows_with_the_square_and_that_of_the_fused_does_not():
    """From 512 to 2,048 positions: 16 times the weights, 4 times the outputs."""
    small, large = _drawn(512), _drawn(2048)
    assert peak_bytes("plain", *large) / peak_bytes("plain", *small) == pytest.approx(16, rel=0.05)
    output = 2 * 2048 * 16 * 4
    assert output <= peak_bytes("fused", *large) < peak_bytes("plain", *large) / 10


def test_both_forms_leave_a_row_without_a_key_as_it_is_known_of_them():
    mask = torch.ones(8, 8, dtype=torch.bool)
    mask[2] = False
    query, key, value = _drawn(8)
    assert plain(query, key, value, mask)[:, :, 2].isnan().all()
    assert (fused(query, key, value, mask)[:, :, 2] == 0).all()
