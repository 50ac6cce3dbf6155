"""Effects and octants of a model whose arithmetic is known."""

import math

import pytest
import torch

from attnviz.models.turn.turn_model import Seen
from attnviz.safety.influence import OCTANTS, influence, octants


class Sum:
    """A model whose log-odds are the sum of the first features of all that are present."""

    def log_odds(self, seen):
        return (seen.features[..., 0] * seen.present).sum(-1)

    def without_each(self, seen):
        found = self.log_odds(seen)[:, None] - seen.features[..., 0] * seen.present
        found[:, 0] = math.nan
        return found.masked_fill(~seen.present, math.nan)

    def ego_weights(self, seen):
        even = seen.present.float() / seen.present.sum(-1, keepdim=True)
        return even.masked_fill(~seen.present, math.nan)[None, :, None]


def seen(*numbers, absent=()):
    features = torch.zeros(1, len(numbers), 2)
    features[0, :, 0] = torch.tensor(numbers)
    present = torch.ones(1, len(numbers), dtype=torch.bool)
    present[0, list(absent)] = False
    return Seen(tuple(f"id-{n}" for n in range(len(numbers))), features, present)


def test_the_effect_is_with_it_less_without_it():
    found = influence(Sum(), seen(0.0, 2.0, -0.5, 1.0, absent=[3]))
    assert float(found.log_odds) == 1.5
    assert found.effect[0, 1:3].tolist() == [2.0, -0.5]
    assert found.effect[0, [0, 3]].isnan().all()
    assert float(found.probability) == pytest.approx(1 / (1 + math.exp(-1.5)))


def test_what_flips_the_decision():
    found = influence(Sum(), seen(0.0, 2.0, -0.5))
    # With all 1.5, without the first −0.5, without the second 2.
    assert found.flips(0.5)[0].tolist() == [False, True, False]
    # At 0.85, log-odds 1.73: 1.5 goes, 2 would wait, −0.5 would go.
    assert found.flips(0.85)[0].tolist() == [False, False, True]


def test_every_object_is_in_one_octant_and_nan_in_none():
    relevant = torch.tensor([True, True, False, False, True])
    effect = torch.tensor([2.0, -0.1, -1.0, 0.0, math.nan])
    weight = torch.tensor([0.01, 0.5, 0.01, 0.4, 0.5])
    found = octants(relevant, effect, weight, least_effect=0.5, least_weight=0.1)
    assert set(found) == set(OCTANTS)
    assert len(OCTANTS) == 8
    assert sum(part.int() for part in found.values()).tolist() == [1, 1, 1, 1, 0]
    names = {place: one for one, part in found.items() for place in part.nonzero()[:, 0].tolist()}
    assert (names[0].relevant, names[0].effect, names[0].weight) == (True, True, False)
    assert (names[1].relevant, names[1].effect, names[1].weight) == (True, False, True)
    assert (names[2].relevant, names[2].effect, names[2].weight) == (False, True, False)
    assert (names[3].relevant, names[3].effect, names[3].weight) == (False, False, True)
