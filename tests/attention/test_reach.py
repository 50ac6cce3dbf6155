"""How far stacked layers reach: closed forms, and paths found one by one."""

import math

import pytest
import torch

from attnviz.attention.kinds.block import block_pairs
from attnviz.attention.kinds.fixed import fixed_pairs
from attnviz.attention.kinds.global_window_random import global_window_random_pairs
from attnviz.attention.kinds.strided import strided_pairs
from attnviz.attention.kinds.window import neighbourhood_pairs, window_pairs
from attnviz.attention.masks import All, Causal, Window
from attnviz.attention.patterns import dilated_pairs, shifted_block_pairs
from attnviz.attention.reach import NEVER, fewest, meets, pairs_of, reach, sees
from attnviz.base.errors import InputError


def _from(reached, one, depth):
    return torch.nonzero(reached[depth, one]).flatten().tolist()


@pytest.mark.parametrize(("each_side", "depth"), [(1, 5), (3, 4), (4, 7)])
def test_a_window_of_w_on_each_side_reaches_l_times_w(each_side, depth):
    reached = reach([window_pairs(64, each_side)] * depth)
    for layers in range(depth + 1):
        far = layers * each_side
        assert _from(reached, 30, layers) == list(range(max(0, 30 - far), min(63, 30 + far) + 1))


def test_a_causal_window_reaches_back_alone():
    # Mistral 7B (Jiang et al. 2023): W − 1 = 4095 back in each of 32 layers; here W = 4, so 3 back.
    reached = reach([pairs_of(Window(3, 0), 40)] * 5)
    assert _from(reached, 30, 5) == list(range(30 - 15, 31))


def test_a_rule_of_several_masks_is_as_good_as_a_matrix():
    both = pairs_of(All((Causal(), Window(2, 2))), 12)
    assert torch.equal(both, pairs_of(Window(2, 0), 12))


def test_blocks_alone_never_leave_their_block_and_shifted_ones_do():
    alone = reach([block_pairs(16, 4)] * 20)
    assert sees(alone, 0, 4) == NEVER
    assert _from(alone, 5, 20) == [4, 5, 6, 7]
    # Swin: blocks [0–3][4–7][8–11]… and, shifted by two, [0–1][2–5][6–9]…
    mixed = reach([block_pairs(16, 4), shifted_block_pairs(16, 4, 2)] * 2)
    # Position 2 asks in layer 2 among 2–5, each of which saw its own block in layer 1: 0–3 and 4–7.
    assert _from(mixed, 2, 2) == list(range(8))
    # Layer 1 comes first: the shifted layer on top of it is what position 0 asks in, where it sees 0 and 1 alone.
    assert _from(mixed, 0, 2) == [0, 1, 2, 3]


@pytest.mark.parametrize("shape", [strided_pairs, fixed_pairs])
@pytest.mark.parametrize(("positions", "stride"), [(64, 8), (49, 7), (30, 4)])
def test_strided_and_fixed_patterns_reach_everything_before_in_two_layers(shape, positions, stride):
    reached = reach([shape(positions, stride, causal=True)] * 2)
    assert torch.equal(reached[2], torch.ones(positions, positions).tril().bool())
    assert not torch.equal(reached[1], reached[2])


def test_with_a_global_token_two_layers_reach_everything():
    reached = reach([global_window_random_pairs(50, 1, 1, 0)] * 2)
    assert reached[2].all()
    assert not reached[1].all()
    assert fewest(reached)[40].tolist() == [1] + [2] * 38 + [1, 0, 1] + [2] * 8


def test_a_dilated_window_reaches_as_far_as_its_steps_and_leaves_gaps():
    reached = reach([dilated_pairs(41, 2, 3)] * 2)
    # Two layers of up to two steps of three positions: every multiple of three, up to twelve away.
    assert _from(reached, 20, 2) == [8, 11, 14, 17, 20, 23, 26, 29, 32]


@pytest.mark.parametrize(("distance", "taps"), [(19, 3), (79, 3), (79, 7), (10, 5)])
def test_convolutions_meet_after_as_many_layers_as_the_formula_says(distance, taps):
    # A filter of k sees (k − 1)/2 on each side: D apart, ceil(D/p) layers until one sees the other, ceil(D/2p) until
    # something between them sees both. Facts: 19 / 10, 79 / 40 for 3, 27 / 14 for 7.
    each_side = (taps - 1) // 2
    reached = reach([window_pairs(distance + 1, each_side)] * distance)
    assert sees(reached, 0, distance) == math.ceil(distance / each_side)
    assert meets(reached, 0, distance) == math.ceil(distance / (2 * each_side))


def test_in_an_image_a_filter_of_three_reaches_one_row_and_one_column_further_with_every_layer():
    reached = reach([neighbourhood_pairs((7, 9), 1)] * 8)
    layers = fewest(reached)[0].reshape(7, 9)
    # From the corner: as many layers as rows or columns, whichever are more.
    assert layers.tolist() == [[max(row, column) for column in range(9)] for row in range(7)]


def test_full_attention_needs_one_layer_and_a_position_sees_itself_in_none():
    reached = reach([torch.ones(9, 9, dtype=torch.bool)])
    assert sees(reached, 0, 8) == 1
    assert sees(reached, 4, 4) == 0
    assert meets(reached, 4, 4) == 0


def test_layers_that_look_nowhere_keep_what_each_position_has():
    nothing = torch.zeros(5, 5, dtype=torch.bool)
    assert torch.equal(reach([nothing, nothing])[2], torch.eye(5, dtype=torch.bool))


def test_a_random_stack_reaches_what_paths_one_by_one_do():
    draws = torch.Generator().manual_seed(3)
    layers = [torch.rand(12, 12, generator=draws) < 0.1 for _ in range(4)]
    reached = reach(layers)
    for one in range(12):
        known = {one}
        for allowed in reversed(layers):  # the last layer asks first
            known |= {j for i in known for j in range(12) if allowed[i, j]}
        assert set(_from(reached, one, 4)) == known


def test_no_layer_is_one_sentence():
    with pytest.raises(InputError, match="At least one layer"):
        reach([])
