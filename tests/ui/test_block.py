"""The Block page's state and what it computes apart from the screen."""

import math
from dataclasses import replace
from typing import get_args

import pytest
import torch
from pydantic import ValidationError

from attnviz.attention.block import through, untrained
from attnviz.attention.summands import Summand
from attnviz.base.errors import InputError
from attnviz.models.following import Followed
from attnviz.recording.blocks import Layer, Normalised, Part, Place, Step, Stream
from attnviz.tokens import Tokens
from attnviz.ui import address
from attnviz.ui.block import diagram
from attnviz.ui.block.followed import Way, way
from attnviz.ui.block.reach import formula
from attnviz.ui.block.stacks import measured, summands
from attnviz.ui.block.switched import neighbours
from attnviz.ui.views.block import BlockView, Depth, Kind, Stack


def test_a_view_goes_into_an_address_and_comes_back():
    view = BlockView(
        part="reach", reach=Depth(kind="global", tokens=3, one=7), stack=Stack(depth=3), token=9, off="attention"
    )
    assert address.decode(address.encode(view), BlockView) == view


def test_a_position_that_is_not_there_is_one_sentence():
    with pytest.raises((InputError, ValidationError), match="16 positions, counted from 0; position 20 was asked for"):
        Depth(positions=16, one=20)


def test_fewer_positions_move_both_to_the_last_one():
    assert Depth(one=60, other=61).but(positions=16)["reach"] == Depth(positions=16, one=15, other=15)


@pytest.mark.parametrize("place", ["before", "after", "none"])
def test_the_summands_of_a_stack_add_up_to_what_leaves_each_layer(place):
    x = torch.randn(5, 32, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    way = through(x, untrained(32, 4, 3, seed=2), place)
    for layer in range(3):
        whole = sum(one.vector for one in summands(way, layer, place))
        torch.testing.assert_close(whole, way.vectors[layer + 1])


def test_measured_shares_add_up_and_lengths_are_those_of_the_place_of_the_norm():
    found = measured(Stack(depth=4, width=32))
    for one in found.values():
        torch.testing.assert_close(one.shares.sum(0), torch.ones(4, dtype=torch.float64))
    # LayerNorm gives vectors of length √32; all three begin with the same ones.
    torch.testing.assert_close(
        found["after"].lengths[1:], torch.full((4,), 32**0.5, dtype=torch.float64), rtol=1e-4, atol=0
    )
    assert len({float(one.lengths[0]) for one in found.values()}) == 1
    assert found["none"].gradients.shape == (4,)


def _layer(parts, normalised):
    """A layer of one step: (1, 0) comes in, and each part adds its own vector."""
    came = torch.tensor([[1.0, 0.0]])
    added = [Part(kind, kind, torch.tensor([vector]), Place(kind, 0, 0, 1)) for kind, vector in parts]
    left = came + sum(part.added for part in added)
    step = Step(came, tuple(added), left, (), normalised)
    return Layer(0, "layer.0", "layer", came, left, (step,), (), 0.0)


def test_a_branch_is_drawn_as_the_model_has_it():
    came, (branch, norm) = diagram.stages(_layer([("attention", [3.0, 4.0])], Normalised(after=True)), 0, "none")
    assert (came, branch.adds) == ("length 1.00", "length 5.00")
    # ‖(4, 4)‖ = √32
    assert branch.after == "length 5.66"
    assert [(box.name, box.key, box.off) for box in branch.boxes] == [("attention", "attention", False)]
    assert norm.box.name == "norm"


def test_parts_beside_each_other_are_one_box_and_the_one_that_is_off_has_a_cross():
    parts = [("attention", [0.0, 3.0]), ("feed-forward", [4.0, 0.0])]
    _came, (branch,) = diagram.stages(_layer(parts, Normalised(before=True, of_part=True)), 0, "feed-forward")
    assert [box.name for box in branch.boxes] == ["norm", "attention + feed-forward ✕", "norm"]
    assert branch.adds == "length 5.00"
    assert all(not box.key for box in branch.boxes)


def test_where_a_part_points_is_its_cosine_with_what_leaves():
    # (1, 0) comes in, (3, 4) is added, (4, 4) leaves: cosines 1/√2 and (12 + 16) / (5 √32) = 7 / √50.
    made = _layer([("attention", [3.0, 4.0])], Normalised(before=True))
    summands = (Summand("carried", made.came_in), Summand("attention", made.parts[0].added))
    there = Way([replace(made, summands=summands)], Tokens(("a",)), 0)
    assert there.directions("carried") == pytest.approx([0.5**0.5])
    assert there.directions("attention") == pytest.approx([7 / 50**0.5])
    # A share is a length along the whole: 5 · 7/√50 / √32 = 7/8, and 1/8 was passed on.
    assert there.shares("attention") == pytest.approx([7 / 8])
    assert math.isnan(there.directions("feed-forward")[0])


def test_where_there_is_one_token_it_is_the_one():
    only = Followed(Stream(layers=[_layer([], Normalised())]), {"layer": Tokens(("a",))})
    assert way(BlockView(token=1), only).token == 0


def test_a_token_is_no_neighbour_of_itself():
    found = neighbours(torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, -2.0]]), 0)
    assert torch.isnan(found[0])
    assert found[1:].tolist() == pytest.approx([0.5**0.5, 0.0])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_formula_of_what_is_reached_has_no_word_that_would_stay_english(kind, causal):
    assert r"\text" not in formula(Depth(kind=kind, causal=causal))
