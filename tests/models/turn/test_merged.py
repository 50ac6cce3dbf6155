"""A turn model whose tokens are fewer than its road users."""

import pytest
import torch

from attnviz.attention.fewer import Fewer, left_out, similar
from attnviz.base.errors import InputError
from attnviz.models.turn import networks
from attnviz.models.turn.merged import OneLook
from attnviz.models.turn.turn_model import TurnModel
from attnviz.scenes.simulator.moments import moments
from attnviz.scenes.simulator.tables import scenes_of

NOW = torch.zeros(1, dtype=torch.float64)


@pytest.fixture(scope="module")
def scenes():
    return scenes_of(moments(5, torch.arange(4), near=True, hazard=1.0).cast, NOW)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(1)
    return TurnModel("trial", None, networks.build("ego"))


def test_with_all_tokens_it_is_the_model_itself(model, scenes):
    seen = model.seen(scenes, "scene-1")
    found = OneLook.of(model, seen).decide()
    torch.testing.assert_close(torch.tensor([found.log_odds]), model.log_odds(seen))
    torch.testing.assert_close(found.weights, model.ego_weights(seen)[0, 0])


def test_left_out_is_what_the_model_decides_without_it(model, scenes):
    seen = model.seen(scenes, "scene-1")
    expected = model.without_each(seen)[0]
    look = OneLook.of(model, seen)
    for token in range(1, len(seen.ids)):
        keep = torch.arange(len(seen.ids)) != token
        assert look.decide(left_out(keep)).log_odds == pytest.approx(float(expected[token]), abs=1e-5)


def test_the_same_token_twice_can_be_one_that_counts_twice(model, scenes):
    """Sizes keep the attention: the decision is as with both, and not as with one alone."""
    seen = model.seen(scenes, "scene-1")
    look = OneLook.of(model, seen)
    count = len(look.tokens)
    doubled = OneLook(look.network, look.attention, torch.cat([look.tokens, look.tokens[-1:]]))
    together = doubled.decide(Fewer.of_groups(torch.tensor([*range(count), count - 1])))
    both = doubled.decide()
    assert together.log_odds == pytest.approx(both.log_odds, abs=1e-5)
    torch.testing.assert_close(together.weights[:, -1], both.weights[:, -2:].sum(-1))
    assert abs(both.log_odds - look.decide().log_odds) > 1e-4


def test_a_merged_token_is_looked_at_by_the_mean_of_its_members(model, scenes):
    """Written out: keys and values of the mean, log of the size on the score."""
    look = OneLook.of(model, model.seen(scenes, "scene-1"))
    kept = similar(look.keys, 3, protected=[0])
    heads = look.attention
    with torch.no_grad():
        tokens = torch.stack([look.tokens[list(kept.members(token))].mean(0) for token in range(3)])
        query, key = heads.query(look.tokens[0]), heads.key(tokens)
        scores = [float(query[:16] @ one[:16]) / 4 for one in key]
    weighed = torch.tensor(scores).exp() * kept.sizes
    torch.testing.assert_close(look.decide(kept).weights[0], weighed / weighed.sum(), atol=1e-5, rtol=0)


def test_a_model_that_looks_twice_is_refused(scenes):
    other = TurnModel("two looks", None, networks.build("self"))
    with pytest.raises(InputError, match="two looks"):
        OneLook.of(other, other.seen(scenes, "scene-1"))
