"""Counting in a network that is at hand: softmaxes over positions, and nothing else that is called so."""

import sys

import pytest
import torch
from torch import nn

from attnviz.base.errors import InputError
from attnviz.cost import detector_live
from attnviz.cost.detector_live import count, counted, is_over_positions


class Attention(nn.Module):
    """As detectors have it: 2 heads, keys of 4 numbers, values of 8, one convolution for all three."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Conv2d(16, 32, 1, bias=False)

    def forward(self, image):
        q, k, v = self.qkv(image).flatten(2).view(1, 2, 16, -1).split([4, 4, 8], dim=2)
        weights = (q.transpose(-2, -1) @ k).softmax(dim=-1)
        return (v @ weights.transpose(-2, -1)).reshape(1, 16, *image.shape[-2:])


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False), Attention())

    def forward(self, image):
        found = self.model(image)
        # As boxes are decoded: 16 places of each of 4 edges. And a softmax over classes.
        torch.softmax(torch.zeros(1, 16, 4, 8400), dim=1)
        nn.functional.softmax(torch.zeros(5, 80), dim=-1)
        return found


def test_one_pass_counted_by_hand():
    found = counted("toy", "0", Network(), torch.zeros(1, 3, 8, 8))
    # 8 × 8 at stride 2: 16 positions.
    assert found.softmaxes == ((1, 2, 16, 16),)
    assert found.layers == (1,)
    assert (found.parameters, found.attention_parameters) == (16 * 3 * 9 + 16 * 32, 16 * 32)
    # 2 operations a multiplication: q kᵀ 2 heads · 16² · 4, weights × values 2 · 16² · 8; the projections 16 · 16 · 32.
    core = 2 * 2 * 16 * 16 * (4 + 8)
    assert found.core_operations == core
    assert found.attention_operations == core + 2 * 16 * 16 * 32
    assert found.operations == core + 2 * 16 * 16 * 32 + 2 * 16 * 16 * 27


@pytest.mark.parametrize(
    ("shape", "positions"),
    [((1, 2, 400, 400), True), ((1, 16, 4, 8400), False), ((1, 80), False), ((1, 2, 240, 240), True), ((7,), False)],
)
def test_only_a_square_is_over_positions(shape, positions):
    assert is_over_positions(shape) is positions


def test_without_the_package_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    with pytest.raises(InputError, match="ultralytics could not be imported"):
        count("yolo26n.yaml", 640, 640)


def test_it_is_not_imported_before_it_is_asked_for():
    assert detector_live.is_installed() in (True, False)
    assert "ultralytics" not in sys.modules
