"""What changed between two runs, by hand."""

import math

import torch

from attnviz.attention.changes import change, choice


def test_a_vector_that_turns_and_grows():
    found = change(torch.tensor([[3.0, 4.0], [1.0, 0.0]]), torch.tensor([[-8.0, 6.0], [1.0, 0.0]]))
    torch.testing.assert_close(found.cosine, torch.tensor([0.0, 1.0], dtype=torch.float64))
    torch.testing.assert_close(found.length, torch.tensor([2.0, 1.0], dtype=torch.float64))
    # (−11, 2) against a length of 5.
    torch.testing.assert_close(found.distance, torch.tensor([math.sqrt(125) / 5, 0.0], dtype=torch.float64))


def test_a_choice_that_flips():
    found = choice(torch.tensor([0.0, math.log(3.0)]), torch.tensor([math.log(4.0), 0.0]))
    assert (found.before, found.after, found.flips) == (1, 0, True)
    expected = (0.75, 0.2, 0.25, 0.8)
    given = (found.probability_before, found.probability_after, found.new_before, found.new_after)
    torch.testing.assert_close(torch.tensor(given), torch.tensor(expected))


def test_a_choice_that_stays():
    assert not choice(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 0.5])).flips
