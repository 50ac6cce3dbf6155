"""What cannot be followed or switched off is one sentence, before anything runs."""

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.recording.blocks.asked import places_of, positions_of
from attnviz.recording.blocks.graph import Place


def test_positions_are_whole_numbers():
    assert positions_of(None) is None
    assert positions_of([0, -1]) == (0, -1)
    assert positions_of(range(3)) == (0, 1, 2)
    assert positions_of(torch.tensor([2, 0])) == (2, 0)


@pytest.mark.parametrize("asked", [3, [1.5], "ab", torch.tensor(1)])
def test_other_positions_are_one_sentence(asked):
    with pytest.raises(InputError, match="whole numbers in a list were expected"):
        positions_of(asked)


def test_parts_are_those_of_an_earlier_run():
    place = Place("layers.0.attention", 0, 0, 1)
    assert places_of([place]) == [place]
    with pytest.raises(InputError, match="'attention' is no part that can be off"):
        places_of(["attention"])
