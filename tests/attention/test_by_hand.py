"""The steps against numbers worked out by hand, PyTorch's own attention and nn.MultiheadAttention."""

import pytest
import torch
import torch.nn.functional as F

from attnviz.attention import Attention, by_hand
from attnviz.base.errors import InputError


@pytest.fixture
def drawn():
    """Four tokens with eight numbers each, the same in every version of PyTorch so far."""
    query, key, value = torch.randn(3, 4, 8, generator=torch.Generator().manual_seed(0)).unbind(0)
    return query, key, value


@pytest.fixture
def intersection():
    """A car at an intersection: dots 4, 5, −1 and values 0.6, 0.9, 0.1, worked out by hand."""
    query = torch.tensor([[1.0, 2.0]])
    key = torch.tensor([[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0]])
    value = torch.tensor([[0.6], [0.9], [0.1]])
    return query, key, value


def test_weights_of_the_seeded_example(drawn):
    expected = [
        [0.12107915, 0.74096185, 0.10595296, 0.03200600],
        [0.257707, 0.265083, 0.170507, 0.306703],
        [0.336031, 0.017149, 0.186941, 0.459879],
        [0.203221, 0.623467, 0.102497, 0.070815],
    ]
    found = by_hand.steps(*drawn)
    torch.testing.assert_close(found.weights[0], torch.tensor(expected), rtol=0, atol=1e-6)
    scores = torch.tensor([-0.005167, 1.806338, -0.138616, -1.335688])
    torch.testing.assert_close(found.scaled[0, 0], scores, rtol=0, atol=1e-6)


def test_every_step_at_the_intersection(intersection):
    found = by_hand.steps(*intersection)
    assert found.dots[0, 0].tolist() == [4.0, 5.0, -1.0]
    assert found.scaled[0, 0].tolist() == pytest.approx([2.828427, 3.535534, -0.707107], abs=1e-6)
    assert found.weights[0, 0].tolist() == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert found.output[0, 0].item() == pytest.approx(0.794247, abs=1e-6)
    # 0.009532 · 0.1: what the parked car adds to the output.
    assert found.contributions[0, 0, 2].item() == pytest.approx(0.000953, abs=1e-6)


def test_without_the_division_the_softmax_is_sharper(intersection):
    found = by_hand.steps(*intersection, scale=False)
    assert found.weights[0, 0].tolist() == pytest.approx([0.268455, 0.729736, 0.001809], abs=1e-6)
    assert found.output[0, 0].item() == pytest.approx(0.818016, abs=1e-6)


@pytest.mark.parametrize(("scale", "expected"), [(False, [0.880797, 0.119203]), (True, [0.804430, 0.195570])])
def test_the_quiz(scale, expected):
    query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    found = by_hand.steps(query, key, torch.zeros(2, 1), scale=scale)
    assert found.dots[0, 0].tolist() == [2.0, 0.0]
    assert found.weights[0, 0].tolist() == pytest.approx(expected, abs=1e-6)


def test_shares_are_the_projection_on_the_output_and_sum_to_one(drawn):
    found = by_hand.steps(*drawn, heads=2)
    torch.testing.assert_close(found.shares.sum(-1), torch.ones(2, 4))
    # By definition for one pair, in float64.
    part = found.contributions[1, 2, 3].double()
    whole = found.output[1, 2].double()
    assert found.shares[1, 2, 3].item() == pytest.approx((part @ whole / (whole @ whole)).item(), rel=1e-5)


def test_a_zero_output_has_no_shares():
    found = by_hand.steps(torch.zeros(1, 2), torch.zeros(2, 2), torch.tensor([[1.0], [-1.0]]))
    assert found.output.item() == 0
    assert found.shares.isnan().all()


def test_temperature_divides_the_scores(drawn):
    query, key, _value = drawn
    found = by_hand.steps(*drawn, temperature=2)
    expected = torch.softmax(query.double() @ key.double().T / 8**0.5 / 2, -1)
    torch.testing.assert_close(found.weights[0].double(), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("temperature", [0, -1.0, float("nan"), float("inf")])
def test_a_temperature_that_is_not_positive_is_refused(drawn, temperature):
    with pytest.raises(InputError, match="temperature"):
        by_hand.steps(*drawn, temperature=temperature)


def test_causal_lets_no_query_see_later_keys(drawn):
    found = by_hand.steps(*drawn, causal=True)
    assert found.allowed[0].tolist() == torch.ones(4, 4).tril().bool().tolist()
    assert (found.weights[0].triu(1) == 0).all()
    assert found.weights[0, 0].tolist() == [1.0, 0.0, 0.0, 0.0]
    torch.testing.assert_close(found.weights.sum(-1), torch.ones(1, 4))


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_heads_equal_multihead_attention_with_identity_projections(drawn, heads):
    """nn.MultiheadAttention that projects by the identity splits the width and divides by √(width / heads)."""
    query, key, value = drawn
    eye, zero = torch.eye(8), torch.zeros(24)
    output, weights = F.multi_head_attention_forward(
        query, key, value, 8, heads, torch.cat([eye] * 3), zero, None, None, False, 0.0, eye, torch.zeros(8),
        average_attn_weights=False,
    )  # fmt: skip
    found = by_hand.steps(*drawn, heads=heads)
    torch.testing.assert_close(found.weights, weights, rtol=0, atol=1e-6)
    torch.testing.assert_close(found.concatenated, output, rtol=1e-5, atol=1e-6)


def test_projections_and_output_projection_equal_multihead_attention():
    """Two heads with their own W_Q, W_K, W_V and W_O: the module's own weights, taken apart."""
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(6, 2, bias=False).eval()
    features = torch.randn(5, 6, generator=torch.Generator().manual_seed(1))
    expected, weights = module(features, features, features, average_attn_weights=False)
    # in_proj_weight is [3 · 6, 6] and is applied as x Wᵀ; head h owns three of the six columns.
    query, key, value = (
        by_hand.project(features, matrix.T.reshape(6, 2, 3).transpose(0, 1))
        for matrix in module.in_proj_weight.detach().chunk(3)
    )
    found = by_hand.steps(*(part.transpose(0, 1).flatten(1) for part in (query, key, value)), heads=2)
    output = by_hand.project_output(found.output, module.out_proj.weight.detach().T.reshape(2, 3, 6))
    torch.testing.assert_close(found.weights, weights, rtol=0, atol=1e-6)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-6)


def test_a_width_that_does_not_divide_is_refused(drawn):
    with pytest.raises(InputError, match="8 cannot be split into 3"):
        by_hand.steps(*drawn, heads=3)


@pytest.mark.parametrize("options", [{}, {"heads": 2}, {"causal": True}, {"scale": False}, {"temperature": 0.5}])
def test_the_output_is_that_of_torch(drawn, options):
    compared = by_hand.compare_with_torch(by_hand.steps(*drawn, **options))
    assert compared.equal
    assert compared.largest_difference < 1e-5


def test_a_different_output_is_not_called_equal(drawn):
    found = by_hand.steps(*drawn)
    other = by_hand.steps(drawn[0], drawn[1], drawn[2] + 0.01)
    mixed = by_hand.Steps(**{**vars(found), "output": other.output})
    compared = by_hand.compare_with_torch(mixed)
    assert not compared.equal
    assert compared.largest_difference == pytest.approx(0.01, abs=1e-5)


def test_the_backend_is_what_torch_chooses_on_the_cpu(drawn):
    """FlashAttention where keys and values are equally wide, the plain formula where they are not."""
    query, key, value = drawn
    assert by_hand.compare_with_torch(by_hand.steps(query, key, value)).backend == "FLASH_ATTENTION"
    assert by_hand.compare_with_torch(by_hand.steps(query, key, value[:, :4])).backend == "MATH"


def test_more_keys_than_queries_with_a_causal_mask_agree_with_torch(drawn):
    query, key, value = drawn
    found = by_hand.steps(query[:2], key, value, causal=True)
    assert found.allowed[0].tolist() == [[True, False, False, False], [True, True, False, False]]
    assert by_hand.compare_with_torch(found).equal


def test_steps_of_an_attention_are_those_of_its_vectors(intersection):
    query, key, value = intersection
    attention = Attention.from_qk(query, key, value=value)
    found = by_hand.steps_of(attention)
    assert found.attention is attention
    assert found.scale
    assert found.dots[0, 0].tolist() == [4.0, 5.0, -1.0]
    assert found.weights[0, 0].tolist() == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert found.output.item() == pytest.approx(0.794247, abs=1e-6)


def test_steps_of_an_attention_without_scaling(intersection):
    query, key, value = intersection
    found = by_hand.steps_of(Attention.from_qk(query, key, value=value, scale=1.0))
    assert (found.scale, found.temperature) == (False, 1.0)
    assert found.output.item() == pytest.approx(0.818016, abs=1e-6)


@pytest.mark.parametrize("more", [{}, {"bias": torch.ones(1, 3)}, {"softcap": 2.0}, {"sinks": torch.zeros(1)}])
def test_what_cannot_be_worked_out_by_hand_is_refused(intersection, more):
    query, key, value = intersection
    attention = Attention.from_qk(query, key, value=value if more else None, name="layer", **more)
    with pytest.raises(InputError, match="“layer” cannot be worked out by hand"):
        by_hand.steps_of(attention)
