"""Sinks, softcap and differential attention: by hand, by FlexAttention, and by PyTorch's function on other inputs."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import AuxRequest, flex_attention

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.differential import differential_attention, differential_weights
from attnviz.attention.kinds.full import full_attention
from attnviz.attention.kinds.sinks import sink_attention
from attnviz.attention.kinds.softcap import softcap_attention
from attnviz.base.errors import InputError


def _one_query(*scores):
    """A query of width 1 whose scores are these."""
    key = torch.tensor(scores, dtype=torch.float64).view(1, -1, 1)
    return Inputs(torch.ones(1, 1, 1, dtype=torch.float64), key, torch.eye(len(scores), dtype=torch.float64)[None])


def test_a_sink_takes_its_share_by_hand():
    """Scores ln 2 and 0, and 0 for the sink: 2, 1 and 1 parts."""
    found = kind("sinks").run(_one_query(math.log(2), 0), Settings(heads=1, sink=0.0))
    assert found.output.flatten().tolist() == pytest.approx([0.5, 0.25])
    assert found.attention.weights(0)[0].tolist() == pytest.approx([0.5, 0.25])
    assert found.attention.sink_mass(0).item() == pytest.approx(0.25)


def test_the_temperature_divides_the_sinks_score_too():
    """Scores 2·ln 2 and 0 and 2·ln 3 for the sink at T = 2: 2, 1 and 3 parts."""
    settings = Settings(heads=1, sink=2 * math.log(3), temperature=2.0)
    found = kind("sinks").run(_one_query(2 * math.log(2), 0), settings)
    assert found.attention.weights(0)[0].tolist() == pytest.approx([2 / 6, 1 / 6])
    assert found.output.flatten().tolist() == pytest.approx([2 / 6, 1 / 6])


def test_a_sink_is_one_more_key_without_a_value(qkv, sdpa, close):
    sink = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)
    query, *others = qkv
    key, value = (F.pad(each, (0, 0, 0, 1)) for each in others)
    mask = torch.zeros(3, 24, 25, dtype=torch.float64)
    mask[..., -1] = sink[:, None]
    close(sink_attention(*qkv, sink), sdpa(query, key, value, attn_mask=mask))


def test_a_sink_by_flex_attentions_log_sum_exp(qkv, close):
    sink = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)
    output, known = flex_attention(*(each[None] for each in qkv), return_aux=AuxRequest(lse=True))
    close(sink_attention(*qkv, sink), (output * torch.sigmoid(known.lse - sink[:, None])[..., None])[0])


def test_softcap_by_hand():
    """c = 1, scores artanh ½ and 0: bent to ½ and 0."""
    found = kind("softcap").run(_one_query(math.atanh(0.5), 0), Settings(heads=1, softcap=1.0))
    assert found.attention.logits(0)[0].tolist() == pytest.approx([0.5, 0])
    expected = [math.sqrt(math.e) / (1 + math.sqrt(math.e)), 1 / (1 + math.sqrt(math.e))]
    assert found.output.flatten().tolist() == pytest.approx(expected)


@pytest.mark.parametrize("softcap", [0.5, 2.0, 50.0])
def test_softcap_by_flex_attention(qkv, close, softcap):
    found = flex_attention(
        *(each[None] for each in qkv), score_mod=lambda score, b, h, i, j: softcap * torch.tanh(score / softcap)
    )[0]
    close(softcap_attention(*qkv, softcap), found)


def test_no_weight_exceeds_what_the_softcap_allows():
    """Two keys, c = 3: at most 1/(1 + e⁻⁶)."""
    found = kind("softcap").run(_one_query(1e6, -1e6), Settings(heads=1, softcap=3.0))
    assert found.output.max().item() == pytest.approx(1 / (1 + math.exp(-6)), abs=1e-12)


def test_a_temperature_comes_after_the_softcap(qkv, close):
    query, key, value = qkv
    scores = 2 * torch.tanh(query @ key.mT / math.sqrt(8) / 2)
    expected = torch.softmax(scores / 0.5, -1)
    found = kind("softcap").run(Inputs(*qkv), Settings(heads=3, softcap=2.0, temperature=0.5))
    close(found.output, expected @ value)
    torch.testing.assert_close(found.attention.weights(None), expected.float())


def test_differential_by_hand():
    """First halves score ln 3 and 0, second ones the same: ¾ and ¼, minus 0.6 times ½ and ½."""
    query = torch.tensor([[[1.0, 0.0]]])
    key = torch.tensor([[[math.log(3), 5.0], [0.0, -2.0]]])
    assert differential_weights(query, key, 0.6).flatten().tolist() == pytest.approx([0.45, -0.05])


def test_differential_is_two_attentions_subtracted(qkv, sdpa, close):
    query, key, value = qkv
    first, second = (sdpa(query[..., half], key[..., half], value) for half in (slice(0, 4), slice(4, 8)))
    close(differential_attention(*qkv, 0.8), first - 0.8 * second)


def test_differential_rows_sum_to_what_is_left(qkv):
    found = kind("differential").run(Inputs(*qkv), Settings(heads=3, lambda_=0.8)).attention
    weights = found.weights(None)
    torch.testing.assert_close(weights.sum(-1), torch.full((3, 24), 0.2))
    assert (weights < 0).any()
    assert not found.normalised


def test_differential_needs_halves():
    with pytest.raises(InputError, match="width 3 is odd"):
        kind("differential").run(Inputs.drawn(4, width=6), Settings(heads=2))


def test_without_sink_cap_and_difference_they_are_plain_attention(qkv, close):
    query, key, value = qkv
    nothing = torch.full((3,), -torch.inf, dtype=torch.float64)
    close(sink_attention(*qkv, nothing), full_attention(*qkv))
    torch.testing.assert_close(softcap_attention(*qkv, 1e5), full_attention(*qkv), rtol=0, atol=1e-8)
    close(differential_attention(*qkv, 0.0), full_attention(query[..., :4], key[..., :4], value))
