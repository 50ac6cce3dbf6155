"""The three networks: weights as recorded, absent tokens, the order of tokens."""

import pytest
import torch

import attnviz
from attnviz.models.turn import networks
from attnviz.models.turn.features import FEATURES


@pytest.fixture(params=networks.KINDS)
def kind(request):
    return request.param


def scenes(count=5, tokens=7):
    draw = torch.Generator().manual_seed(3)
    present = torch.rand(count, tokens, generator=draw) < 0.6
    present[:, 0] = True
    return torch.randn(count, tokens, FEATURES, generator=draw), present


def built(kind):
    torch.manual_seed(0)
    return networks.build(kind).eval()


@torch.no_grad()
def test_the_weights_of_many_scenes_are_those_of_a_recorded_trace(kind):
    module, (features, present) = built(kind), scenes()
    decided, weights = networks.ego_weights(module, features, present)
    with attnviz.capture(module) as trace:
        assert torch.equal(module(features, present), decided)
    assert len(trace) == len(weights) == {"ego": 1, "self": 2, "uniform": 0}[kind]
    for attention, layer in zip(trace, weights, strict=True):
        for item in range(len(features)):
            recorded = attention.weights(None, item=item)[:, 0]
            assert torch.allclose(recorded.nan_to_num(0.0), layer[item], atol=1e-6)
    if len(weights):
        assert torch.allclose(weights.sum(-1), torch.ones(()), atol=1e-6)
        assert (weights.movedim(1, 0)[~present[:, None, None].expand(-1, len(weights), networks.HEADS, -1)] == 0).all()


@torch.no_grad()
def test_who_is_absent_does_not_count(kind):
    module, (features, present) = built(kind), scenes()
    other = torch.where(present[..., None], features, 1000.0)
    assert torch.allclose(module(features, present), module(other, present), atol=1e-5)


@torch.no_grad()
def test_the_order_of_the_others_does_not_count(kind):
    module, (features, present) = built(kind), scenes()
    order = torch.tensor([0, 4, 6, 1, 2, 5, 3])
    assert torch.allclose(module(features, present), module(features[:, order], present[:, order]), atol=1e-5)


def test_what_is_learnt_from_is_what_is_looked_at(kind):
    # In training, what nobody reads is left out: the decision and its gradients must not tell.
    features, present = scenes()
    decided, gradients = [], []
    for training in (True, False):
        module = built(kind).double().train(training)
        found = module(features.double(), present)
        found.square().sum().backward()
        decided.append(found)
        gradients.append(torch.cat([one.grad.flatten() for one in module.parameters()]))
    assert torch.allclose(*decided, atol=1e-12)
    assert torch.allclose(*gradients, atol=1e-12)
    assert gradients[0].abs().sum() > 0


@torch.no_grad()
def test_one_head_by_hand():
    heads = networks.Heads()
    for part in (heads.query, heads.key):
        part.weight.copy_(torch.eye(networks.WIDTH))
    tokens = torch.zeros(1, 3, networks.WIDTH)
    # The first head reads the first 16 numbers; the ego asks with 4 in one of them, somebody answers with ln 8.
    tokens[0, 0, 0], tokens[0, 1, 0] = 4.0, torch.tensor(8.0).log()
    present = torch.tensor([[False, True, True]])
    found = heads.weights(tokens[:, :1], tokens, present)
    # Scores 4 · ln 8 / √16 = ln 8 and 0: weights 8 / 9 and 1 / 9; in the second head both are even.
    assert found[0, 0, 0].tolist() == pytest.approx([0, 8 / 9, 1 / 9], abs=1e-6)
    assert found[0, 1, 0].tolist() == pytest.approx([0, 0.5, 0.5])


@torch.no_grad()
def test_a_weight_belongs_to_its_token_also_while_the_network_is_trained(kind):
    # In training the two-layer network packs its tokens; the third of four is absent here.
    module = built(kind)
    features, _present = scenes(4, 4)
    present = torch.tensor([[True, True, False, True]]).expand(4, -1)
    decided, weights = networks.ego_weights(module, features, present)
    module.train()
    learning, looked = networks.ego_weights(module, features, present)
    assert module.training
    assert torch.allclose(learning, decided, atol=1e-6)
    assert torch.equal(looked, weights)
    assert (looked[..., 2] == 0).all()
