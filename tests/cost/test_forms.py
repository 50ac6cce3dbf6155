"""The forms that are timed compute the same numbers: against torch's own function, in float64."""

import pytest
import torch
import torch.nn.functional as F

from attnviz.cost import forms


def inputs(n, heads=2, width=8):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(1, heads, n, width, generator=generator, dtype=torch.float64) for _part in range(3)]


@pytest.mark.parametrize("form", ["plain", "fused"])
@pytest.mark.parametrize("n", [1, 7, 33])
def test_plain_and_fused(form, n):
    q, k, v = inputs(n)
    torch.testing.assert_close(forms.of(form, 4)(q, k, v), F.scaled_dot_product_attention(q, k, v))


@pytest.mark.parametrize(("n", "window"), [(1, 4), (7, 2), (8, 2), (33, 5), (20, 64), (12, 1)])
def test_window_is_full_attention_under_a_band(n, window):
    q, k, v = inputs(n)
    places = torch.arange(n)
    band = (places[:, None] - places[None, :]).abs() <= window
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=band)
    torch.testing.assert_close(forms.windowed(q, k, v, window), expected)


def test_fused_does_not_fall_back_to_the_written_out_form():
    # Values of another width than the keys: the CPU has no fused kernel for them.
    q, k, _v = inputs(7)
    with pytest.raises(RuntimeError):
        forms.fused(q, k, torch.zeros(1, 2, 7, 4, dtype=torch.float64))


def test_peaks_by_hand():
    # 4 heads, d = 256, fp32: scores and weights 2·4·1600², four times n·d beside them.
    assert forms.peak_bytes("plain", 1600, 4, 256, 64, 4) == 4 * (2 * 4 * 1600**2 + 4 * 1600 * 256)
    assert forms.peak_bytes("fused", 1600, 4, 256, 64, 4) == 4 * 4 * 1600 * 256
