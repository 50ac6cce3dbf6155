import pytest
import torch

from attnviz.attention import Attention, Causal, Lengths, RowState

NAN, MASKED, NORMAL, ZERO = RowState.NAN, RowState.MASKED, RowState.NORMAL, RowState.ZERO


def three(**options):
    generator = torch.Generator().manual_seed(0)
    return Attention.from_qk(torch.randn(3, 4, generator=generator), torch.randn(5, 4, generator=generator), **options)


FORBIDDING = [
    (torch.float32, -torch.inf),
    (torch.float32, torch.finfo(torch.float32).min),
    (torch.float32, -1e9),
    (torch.float64, -1e9),
    (torch.float64, torch.finfo(torch.float64).min),
    (torch.bfloat16, torch.finfo(torch.bfloat16).min),
    (torch.bfloat16, -1e9),  # is rounded to −998,244,352
    (torch.float16, torch.finfo(torch.float16).min),
    (torch.float16, -1e9),  # is −∞
]


@pytest.mark.parametrize(("dtype", "low"), FORBIDDING)
def test_a_row_in_which_everything_is_forbidden_is_masked(dtype, low):
    mask = torch.zeros(3, 5, dtype=dtype)
    mask[1] = low
    mask[2, 1:] = low
    attention = three(mask=mask)
    assert attention.row_state(0).tolist() == [NORMAL, MASKED, NORMAL]
    weights = attention.weights(0)
    assert weights[1].isnan().all()
    assert weights[2].tolist() == [1, 0, 0, 0, 0]
    assert attention.lse()[0, 1] == -torch.inf
    assert attention.allowed(0).sum(-1).tolist() == [5, 0, 1]


def test_two_forbidding_masks_may_have_been_added():
    low = torch.finfo(torch.float32).min
    mask = torch.zeros(3, 5)
    mask[1] = torch.tensor([low, low / 2 + low / 2, low + 300, -1e9 - 1e9, -1e9 + 300])
    assert three(mask=mask).row_state(0).tolist() == [NORMAL, MASKED, NORMAL]


def test_a_mask_of_minus_ten_thousand_is_a_bias():
    """Early BERT masks so: a row that has nothing else keeps a softmax, and that is what the model used."""
    attention = three(mask=torch.full((3, 5), -10_000.0))
    assert attention.row_state(0).tolist() == [NORMAL] * 3
    torch.testing.assert_close(attention.weights(0), three().weights(0), atol=5e-4, rtol=0)


def test_nan_spoils_its_row_alone():
    query, key, bias = torch.ones(4, 2), torch.ones(3, 2), torch.zeros(4, 3)
    query[1] = torch.nan
    bias[2, 0] = torch.nan
    attention = Attention.from_qk(query, key, bias=bias)
    assert attention.row_state(0).tolist() == [NORMAL, NAN, NAN, NORMAL]
    assert attention.weights(0).isnan().any(-1).tolist() == [False, True, True, False]
    assert attention.weights(0)[1:3].isnan().all()


def test_infinite_scores_have_no_softmax():
    query, key = torch.tensor([[1.0], [1.0]]), torch.tensor([[1.0], [2.0]])
    attention = Attention.from_qk(query, key, bias=torch.tensor([[torch.inf, 0.0], [0.0, 0.0]]))
    assert attention.row_state(0).tolist() == [NAN, NORMAL]


def test_nan_in_a_key_that_is_masked_does_no_harm():
    key = torch.ones(3, 2)
    key[2] = torch.nan
    attention = Attention.from_qk(torch.ones(3, 2), key, mask=Lengths((0,), (2,)))
    assert attention.weights(0).tolist() == [[0.5, 0.5, 0.0]] * 3


def test_a_masked_row_stays_masked_beside_a_sink():
    attention = three(mask=Causal(-1), sinks=torch.tensor([2.0]))
    assert attention.row_state(0).tolist() == [MASKED, NORMAL, NORMAL]
    assert attention.weights(0)[0].isnan().all()
    assert attention.sink_mass(0)[0].isnan()
    assert attention.lse()[0, 0] == -torch.inf
    torch.testing.assert_close(attention.weights(0)[1:].sum(-1) + attention.sink_mass(0)[1:], torch.ones(2))


def test_the_states_of_stored_rows():
    stored = torch.tensor([[0.5, 0.5], [0.0, 0.0], [torch.nan, 0.0], [1.0, 0.0]])
    mask = torch.tensor([[True, True], [True, True], [True, True], [False, False]])
    attention = Attention.from_weights(stored, mask=mask)
    assert attention.row_state(0).tolist() == [NORMAL, ZERO, NAN, MASKED]
    assert attention.row_state().dtype == torch.int8
    assert attention.weights(0)[3].isnan().all()


def test_output_of_a_masked_row_is_not_a_number():
    output = three(mask=Causal(-1), value=torch.ones(5, 2)).output(0)
    assert output[0].isnan().all()
    torch.testing.assert_close(output[1:], torch.ones(2, 2))


def test_strips_of_any_size_find_the_same(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    query, key = torch.randn(1, 4, 12, 8, generator=generator), torch.randn(1, 2, 15, 8, generator=generator)
    mask = torch.randn(1, 4, 12, 15, generator=generator) > 0

    def fresh():
        return Attention.from_qk(query, key, mask=mask, value=key)

    whole = fresh()
    for elements in (1, 50, 300, 10_000):
        monkeypatch.setattr("attnviz.attention.tiles.STRIP", {"cpu": elements})
        torch.testing.assert_close(fresh().lse(), whole.lse())
        torch.testing.assert_close(fresh().lse()[2], torch.logsumexp(whole.logits(2).where(mask[0, 2], -torch.inf), 1))
        torch.testing.assert_close(fresh().output(), whole.output())
        torch.testing.assert_close(fresh().weights(1, rows=[3, 11], cols=[0]), whole.weights(1)[[3, 11]][:, :1])
