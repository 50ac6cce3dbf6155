"""Squeeze-and-Excitation by hand and against values recorded from torchvision 0.29.1 (with torch 2.14.1, float64)."""

import math

import pytest
import torch

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.squeeze import Excitation, excite, flops, gates, parameters
from attnviz.base.errors import InputError

LAYERS = Excitation(
    down=torch.tensor([[0.5, -1.0, 0.25, 2.0], [-0.75, 1.5, 1.0, -0.5]], dtype=torch.float64),
    down_bias=torch.tensor([0.1, -0.2], dtype=torch.float64),
    up=torch.tensor([[1.0, -2.0], [0.5, 0.25], [-1.5, 1.0], [2.0, 0.75]], dtype=torch.float64),
    up_bias=torch.tensor([0.0, 0.3, -0.1, 0.2], dtype=torch.float64),
)
ONE = torch.tensor(
    [[[1.0, 2], [3, -1]], [[0.5, 0], [-0.5, 1]], [[2, 2], [-2, 1]], [[0, 1], [1, 3]]], dtype=torch.float64
)
PICTURES = torch.stack([ONE, -ONE])

# torchvision.ops.SqueezeExcitation(4, 2) with these weights: `_scale(PICTURES)` and the output of the first picture.
RECORDED_GATES = [
    [0.9593984410308719, 0.8677546380682977, 0.007815888789288626, 0.9985358277966933],
    [0.3834334954786807, 0.588889130767832, 0.5343209436693046, 0.5934207962541974],
]
RECORDED_OUTPUT = [
    0.9593984410308719, 1.9187968820617438, 2.8781953230926156, -0.9593984410308719,
    0.43387731903414883, 0.0, -0.43387731903414883, 0.8677546380682977,
    0.01563177757857725, 0.01563177757857725, -0.01563177757857725, 0.007815888789288626,
    0.0, 0.9985358277966933, 0.9985358277966933, 2.9956074833900797,
]  # fmt: skip


def test_gates_and_output_are_those_of_torchvision():
    torch.testing.assert_close(
        gates(PICTURES, LAYERS), torch.tensor(RECORDED_GATES, dtype=torch.float64), atol=1e-14, rtol=0
    )
    expected = torch.tensor(RECORDED_OUTPUT, dtype=torch.float64)
    torch.testing.assert_close(excite(PICTURES, LAYERS)[0].flatten(), expected, atol=1e-14, rtol=0)


def test_the_first_gate_by_hand():
    """Means 1.25, 0.25, 0.75, 1.25; the first hidden number is 3.1625, the second −0.6375 and so 0."""
    assert float(gates(ONE, LAYERS)[0]) == pytest.approx(1 / (1 + math.exp(-3.1625)), abs=1e-12)


def test_gates_lie_between_0_and_1_and_do_not_sum_to_1():
    picture = torch.randn(64, 8, 8, generator=torch.Generator().manual_seed(0))
    found = gates(picture, Excitation.drawn(64, 16))
    assert found.shape == (64,)
    assert (found > 0).all()
    assert (found < 1).all()
    assert float(found.sum()) > 10


def test_places_do_not_matter_to_a_gate():
    mixed = ONE.flatten(1)[:, [2, 0, 3, 1]].reshape(4, 2, 2)
    torch.testing.assert_close(gates(mixed, LAYERS), gates(ONE, LAYERS))


def test_tokens_are_a_picture_of_one_row():
    tokens = ONE.flatten(1).mT
    torch.testing.assert_close(gates(tokens.mT[:, None], LAYERS), gates(ONE, LAYERS))


def test_parameters_and_flops():
    """580 parameters at C = 64, r = 16, as torchvision's module has; 4C²/r + 2HWC operations."""
    assert parameters(64, 16) == 580
    layers = Excitation.drawn(64, 16)
    assert sum(part.numel() for part in (layers.down, layers.down_bias, layers.up, layers.up_bias)) == 580
    assert flops(64, 56 * 56, 16) == 1_024 + 401_408


def test_an_uneven_reduction_is_rounded_down():
    """10 channels at r = 4: 2 hidden numbers; 2 at r = 16: still 1."""
    assert Excitation.drawn(10, 4).down.shape == (2, 10)
    assert Excitation.drawn(2, 16).up.shape == (2, 1)
    with pytest.raises(InputError, match="it is 0"):
        Excitation.drawn(10, 0)


def test_the_kind_gates_the_values_and_looks_nowhere():
    inputs = Inputs.drawn(12, width=16, heads=2, dtype=torch.float64)
    found = kind("squeeze").run(inputs, Settings(reduction=4))
    factor = found.output.transpose(0, 1).flatten(1) / inputs.joined[2]
    torch.testing.assert_close(factor, found.gates.expand(12, -1))
    assert not found.live.any()
    assert not found.computed.any()
    assert found.attention is None
    assert found.state == 16
