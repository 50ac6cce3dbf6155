"""The two kinds of model against their formulas, worked out in loops and float64."""

import math

import pytest
import torch
from torch import nn

from attnviz.models.translation.recurrent import AdditiveAttention, Encoded, Recurrent
from attnviz.models.translation.transformer import HeadsAttention, Transformer, sinusoids

SOURCE = torch.tensor([[3, 4, 5, 2], [4, 2, 0, 0]])
TARGET = torch.tensor([[1, 3, 4], [1, 5, 0]])


def test_additive_scores_by_hand():
    torch.manual_seed(0)
    attention = AdditiveAttention(3).double()
    states = torch.randn(1, 4, 6, dtype=torch.float64)
    state = torch.randn(1, 6, dtype=torch.float64)
    padding = torch.tensor([[False, False, False, True]])
    attention.requires_grad_(False)
    context, weights = attention(state, Encoded(states, attention.key(states), padding, states[:, 0]))
    scores = []
    for place in range(3):
        summed = [
            sum(attention.query.weight[i, j] * state[0, j] for j in range(6))
            + sum(attention.key.weight[i, j] * states[0, place, j] for j in range(6))
            + attention.key.bias[i]
            for i in range(3)
        ]
        scores.append(sum(float(attention.score.weight[0, i]) * math.tanh(float(summed[i])) for i in range(3)))
    norm = sum(math.exp(score) for score in scores)
    expected = [math.exp(score) / norm for score in scores] + [0.0]
    torch.testing.assert_close(weights[0], torch.tensor(expected, dtype=torch.float64))
    torch.testing.assert_close(context[0], sum(expected[place] * states[0, place] for place in range(4)))


def test_heads_against_torchs_own_module():
    torch.manual_seed(0)
    ours, theirs = HeadsAttention(8, 2).eval(), nn.MultiheadAttention(8, 2, batch_first=True).eval()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
        theirs.out_proj.weight.copy_(ours.output.weight)
        theirs.out_proj.bias.copy_(ours.output.bias)
        read, looked_at = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
        absent = torch.tensor([[False] * 5, [False, False, False, True, True]])
        expected, _ = theirs(read, looked_at, looked_at, key_padding_mask=absent)
        torch.testing.assert_close(ours(read, looked_at, ~absent[:, None, None]), expected)


def test_positions_are_sines_and_cosines():
    found = sinusoids(3, 4)
    assert found[2].tolist() == pytest.approx([math.sin(2), math.sin(0.02), math.cos(2), math.cos(0.02)], abs=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Recurrent(6, 6, width=4),
        lambda: Recurrent(6, 6, width=4, attention=False),
        lambda: Transformer(6, 6, width=8, layers=2, heads=2),
    ],
    ids=["gru", "bottleneck", "transformer"],
)
def test_padding_changes_nothing(make):
    torch.manual_seed(0)
    model = make().eval()
    with torch.no_grad():
        together = model(SOURCE, TARGET)
        alone = model(SOURCE[1:, :2], TARGET[1:, :2])
    torch.testing.assert_close(together[1:, :2], alone, atol=1e-6, rtol=1e-5)


def test_without_attention_only_the_two_last_states_go_over():
    torch.manual_seed(0)
    model = Recurrent(6, 6, width=4, attention=False).eval()
    with torch.no_grad():
        encoded = model.encode(SOURCE)
        other = encoded._replace(states=torch.randn_like(encoded.states))
        torch.testing.assert_close(model.decode(TARGET, encoded), model.decode(TARGET, other))


def test_a_transformer_does_not_see_what_comes_later():
    torch.manual_seed(0)
    model = Transformer(6, 6, width=8, layers=1, heads=2).eval()
    changed = TARGET.clone()
    changed[0, 2] = 5
    with torch.no_grad():
        torch.testing.assert_close(model(SOURCE, TARGET)[0, :2], model(SOURCE, changed)[0, :2])
