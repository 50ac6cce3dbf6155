"""What the page says of fused kernels is what ran."""

from dataclasses import replace

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnviz.ui.kinds import fused, measured
from attnviz.ui.kinds.measured import HEADS, WIDTH, Spec


@pytest.fixture(scope="module")
def on_the_cpu():
    return measured.measure(256, causal=False, on=torch.device("cpu"))


def test_the_kernel_that_ran_is_one_that_would_run_alone(on_the_cpu):
    query, key, value = measured.vectors(256, torch.device("cpu"))
    with sdpa_kernel(getattr(SDPBackend, on_the_cpu.backend)):
        torch.nn.functional.scaled_dot_product_attention(query, key, value)
    assert on_the_cpu.backend in on_the_cpu.willing


def test_the_plain_form_holds_at_least_its_weights_and_the_fused_one_does_not(on_the_cpu):
    weights = HEADS * 256 * 256 * 4
    output = HEADS * 256 * WIDTH * 4
    assert on_the_cpu.plain_bytes >= weights + output
    if on_the_cpu.is_fused:
        assert output <= on_the_cpu.fused_bytes < weights


def test_numbers_agree_to_the_rounding_of_float32(on_the_cpu):
    assert 0 <= on_the_cpu.difference < 1e-5 * on_the_cpu.largest + 1e-5


def test_lengths_are_measured_up_to_the_chosen_one():
    assert measured.lengths(Spec(512, causal=False)) == [128, 256, 512]


def test_the_sentence_tells_backend_difference_and_both_amounts(on_the_cpu):
    said = fused.sentence(replace(on_the_cpu, difference=2.682e-07))
    assert f"**{on_the_cpu.backend}**" in said
    assert "at most **2.7·10⁻⁷**" in said
    assert fused.table([on_the_cpu]).shape == (1, 7)
