import math

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnviz.base.errors import InputError
from attnviz.cost import convolution, operations
from attnviz.cost.convolution import Convolution
from attnviz.cost.layer import Layer

THREE, POOL = Convolution(3), Convolution(2, 2)
VGG16 = [THREE, THREE, POOL] * 2 + ([THREE] * 3 + [POOL]) * 3
RESNET50 = [Convolution(7, 2), Convolution(3, 2)]
for _blocks, _stride in ((3, 1), (4, 2), (6, 2), (3, 2)):
    RESNET50 += [Convolution(3, _stride)] + [Convolution(3)] * (_blocks - 1)


def test_receptive_fields_of_known_networks():
    assert convolution.receptive_field(VGG16[:-1]) == 196
    assert convolution.receptive_field(VGG16) == 212
    assert convolution.receptive_field(RESNET50) == 427


def test_a_receptive_field_is_where_a_gradient_arrives():
    layers = [Convolution(3), Convolution(3, 2), Convolution(3, 1, 2), Convolution(5)]
    net = torch.nn.Sequential(*(torch.nn.Conv1d(1, 1, k, s, dilation=dilation) for k, s, dilation in layers))
    for parameter in net.parameters():
        torch.nn.init.ones_(parameter)
    x = torch.zeros(1, 1, 101, requires_grad=True)
    out = net(x)
    out[0, 0, out.shape[-1] // 2].backward()
    assert convolution.receptive_field(layers) == int((x.grad != 0).sum())


@pytest.mark.parametrize(("distance", "kernel", "seen", "met"), [(19, 3, 19, 10), (79, 3, 79, 40), (79, 7, 27, 14)])
def test_layers_until_two_positions_meet(distance, kernel, seen, met):
    assert convolution.layers_until_seen(distance, kernel) == seen
    assert convolution.layers_until_met(distance, kernel) == met
    assert convolution.attention_layers_until_seen(distance) == 1


def test_what_sees_only_itself_meets_nothing():
    for asked in (
        lambda: convolution.layers_until_seen(5, 1),
        lambda: convolution.layers_until_met(5, 1),
        lambda: convolution.attention_layers_until_seen(5, 0),
    ):
        with pytest.raises(InputError, match="never meets another one"):
            asked()


def test_windowed_attention_reaches_a_window_further_with_every_layer():
    assert convolution.attention_layers_until_seen(79, 8) == 10
    assert convolution.attention_layers_until_seen(80, 8) == 10
    assert convolution.attention_layers_until_seen(0) == 0 == convolution.layers_until_seen(0, 3)


def test_costs_cross_at_the_numbers_of_the_lessons():
    assert [convolution.crossover(d, 3) for d in (64, 128, 256, 512)] == [160, 320, 640, 1280]
    assert [convolution.core_crossover(d, 3) for d in (64, 128, 256, 512)] == [288, 576, 1152, 2304]
    assert convolution.crossover(256, 1) < 0


def test_at_the_crossing_a_convolution_costs_what_torch_counts():
    assert convolution.operations(640, 256, 3) == 754_974_720
    layer = torch.nn.Conv2d(256, 256, 3, padding=1)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.zeros(1, 256, 20, 32))
    assert counter.get_total_flops() == 754_974_720


@pytest.mark.parametrize(("layers", "sigma"), [(5, 1.826), (10, 2.582), (20, 3.651), (40, 5.164)])
def test_the_effective_field_grows_as_the_root(layers, sigma):
    assert convolution.effective_sigma(layers, 3) == pytest.approx(sigma, abs=5e-4)


@pytest.mark.parametrize(("layers", "share"), [(5, 0.82), (10, 0.62), (20, 0.46), (40, 0.31)])
def test_its_size_is_what_even_weights_give_when_they_are_convolved(layers, share):
    kernel = torch.ones(1, 1, 3, dtype=torch.float64) / 3
    seen = torch.ones(1, 1, 1, dtype=torch.float64)
    for _layer in range(layers):
        seen = torch.nn.functional.conv1d(seen, kernel, padding=2)
    wide = int((seen > 0.0455 * seen.max()).sum())
    assert wide / seen.shape[-1] == pytest.approx(share, abs=5e-3)
    assert convolution.effective_size(layers, 3) == pytest.approx(wide, abs=1.0)
    assert math.isclose(convolution.effective_size(1, 3), 3.0)


def test_crossovers_of_a_layer_that_is_grouped_or_causal():
    # d = 256, 3 × 3: 18 n d² is what the filter costs.
    assert convolution.layer_crossovers(Layer(256, 4, 4), 3) == (640, 1152)
    # 4 n d² (1 + 1/4) + 4 n² d: n = 4.5 d − 1.25 d = 3.25 d.
    assert convolution.layer_crossovers(Layer(256, 4, 1), 3) == (832, 1152)
    causal = Layer(256, 4, 4, causal=True)
    assert convolution.layer_crossovers(causal, 3) == (1279, 2303)
    assert convolution.layer_crossovers(causal, 3, skips=False) == (640, 1152)
    for n in (1279, 2303):
        spent = operations.block(n, causal)
        assert convolution.operations(n, 256, 3) in (spent.attention, spent.core)
