import math

import pytest
import torch

from attnviz.attention import Attention, Causal, Dense, Lengths, RowState, Window
from attnviz.tokens import Tokens


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def expected_maps(weights, takes_part, tall, wide):
    """Cell by cell, as it is defined."""
    heads, n, m = weights.shape
    shape = (heads, math.ceil(n / tall), math.ceil(m / wide))
    maximum, mean = torch.full(shape, torch.nan).double(), torch.full(shape, torch.nan).double()
    for head in range(heads):
        for r in range(shape[1]):
            for c in range(shape[2]):
                cell = (head, slice(r * tall, (r + 1) * tall), slice(c * wide, (c + 1) * wide))
                inside = weights[cell][takes_part[cell]]
                if len(inside):
                    maximum[head, r, c], mean[head, r, c] = inside.max(), inside.mean()
    return maximum, mean


def check(found, weights, allowed, counted=None):
    """An overview against all weights in float64."""
    allowed = allowed.expand_as(weights)
    normal = ~weights.isnan().any(-1)
    takes_part = allowed & (normal if counted is None else normal & counted)[..., None]
    maximum, mean = expected_maps(weights, takes_part, *found.cell)
    near = {"atol": 2e-6, "rtol": 1e-5, "equal_nan": True}
    torch.testing.assert_close(found.maximum.double(), maximum, **near)
    torch.testing.assert_close(found.mean.double(), mean, **near)
    bits = torch.special.entr(weights).sum(-1) / math.log(2)
    torch.testing.assert_close(found.entropy.double(), bits, atol=1e-5, rtol=1e-5, equal_nan=True)
    received = weights.where(takes_part, 0).sum(1) / takes_part.sum(1)
    torch.testing.assert_close(found.mass_received.double(), received, **near)
    check_top(found, weights, allowed, normal)


def check_top(found, weights, allowed, normal):
    count = found.top_keys.shape[-1]
    assert count == min(8, weights.shape[-1])
    candidates = weights.masked_fill(~(allowed & normal[..., None]), -1)
    values, _ = candidates.topk(count)
    values = values.masked_fill(values < 0, torch.nan)
    torch.testing.assert_close(found.top_weights.double(), values, atol=2e-6, rtol=1e-5, equal_nan=True)
    assert torch.equal(found.top_keys < 0, values.isnan())
    at_keys = weights.gather(-1, found.top_keys.clamp(min=0))  # ties may name either key
    torch.testing.assert_close(at_keys.where(~values.isnan(), torch.nan), values, atol=2e-6, rtol=1e-5, equal_nan=True)


@pytest.fixture(params=[1 << 20, 2000, 60], ids=["one strip", "some strips", "strips within cells"])
def strip(request, monkeypatch):
    monkeypatch.setattr("attnviz.attention.tiles.STRIP", {"cpu": request.param})


@pytest.mark.parametrize(
    ("queries", "keys", "size"),
    [(7, 7, 512), (12, 12, 4), (7, 10, 3), (13, 5, 4), (1, 40, 6), (24, 90, 5), (90, 24, 1)],
)
@pytest.mark.usefixtures("strip")
def test_it_agrees_with_all_weights_at_ragged_edges(queries, keys, size, in_float64):
    query, key = 2 * draw(1, 4, queries, 8), draw(1, 2, keys, 8, seed=1)
    found = Attention.from_qk(query, key).overview(size)
    assert max(found.maximum.shape[1:]) <= size
    check(found, in_float64(query, key)[0], torch.ones(queries, keys, dtype=torch.bool))


MASKS = {
    "causal": Causal(),
    "causal after a cache": Causal(11),
    "causal before everything": Causal(-4),
    "window": Window(3, 2),
    "window to the left": Window(5, 0, offset=2),
    "padding on the left": Lengths((5,), (31,)),
    "no keys at all": Lengths((31,), (31,)),
    "causal and padding": Causal() & Lengths((0,), (9,)),
    "any pairs": Dense(draw(1, 4, 20, 31, seed=5) > 0),
    "any pairs but none for some": Dense(draw(1, 4, 20, 31, seed=5) > 2),
    "by key": Dense(draw(1, 1, 1, 31, seed=6) > 0),
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.usefixtures("strip")
def test_it_agrees_with_all_weights_under_masks(name, in_float64):
    query, key = 2 * draw(1, 4, 20, 8), draw(1, 2, 31, 8, seed=1)
    attention = Attention.from_qk(query, key, mask=MASKS[name])
    allowed = attention.allowed()
    found = attention.overview(6)
    check(found, in_float64(query, key, allowed=allowed[None])[0], allowed)
    assert (found.row_state == RowState.MASKED).equal(~allowed.any(-1))


@pytest.mark.usefixtures("strip")
def test_it_agrees_with_bias_softcap_and_sinks(in_float64):
    query, key, bias, sinks = 2 * draw(2, 4, 20, 8), draw(2, 2, 31, 8, seed=1), draw(4, 20, 31, seed=2), draw(4, seed=3)
    options = {"bias": bias, "softcap": 2.0, "sinks": sinks}
    attention = Attention.from_qk(query, key, mask=Causal(5), **options)
    allowed = attention.allowed()
    expected = in_float64(query, key, allowed=allowed[None], **options)
    check(attention.overview(6, item=1), expected[1], allowed)
    check(attention.overview(6, item=1, head=3), expected[1, 3:], allowed[3:])


@pytest.mark.usefixtures("strip")
def test_rows_with_nan_take_no_part(in_float64):
    query, key = draw(1, 2, 9, 8), draw(1, 2, 9, 8, seed=1)
    query[0, 1, 4] = torch.nan
    attention = Attention.from_qk(query, key, mask=Causal(-1))
    found = attention.overview(4)
    assert found.row_state[1].tolist() == [RowState.MASKED, 0, 0, 0, RowState.NAN, 0, 0, 0, 0]
    check(found, in_float64(query, key, allowed=attention.allowed()[None])[0], attention.allowed())


@pytest.mark.usefixtures("strip")
def test_padding_among_the_queries_takes_no_part(in_float64):
    query, key = draw(1, 2, 9, 8), draw(1, 2, 9, 8, seed=1)
    tokens = Tokens(tuple("abcdefghi"), padding=(False,) * 6 + (True,) * 3)
    attention = Attention.from_qk(query, key, query_tokens=tokens, key_tokens=tokens, mask=Lengths((0,), (6,)))
    counted = torch.tensor([[True] * 6 + [False] * 3])
    weights = in_float64(query, key, allowed=attention.allowed()[None])[0]
    found = attention.overview(3)
    check(found, weights, attention.allowed(), counted)
    assert found.maximum[:, 2].isnan().all()


@pytest.mark.usefixtures("strip")
def test_stored_weights_are_looked_at_as_they_are():
    weights = torch.softmax(2 * draw(2, 20, 31).double(), -1)
    check(Attention.from_weights(weights).overview(6), weights.clone(), torch.ones(20, 31, dtype=torch.bool))
    masked = Attention.from_weights(weights, mask=Lengths((0,), (31,)) & Window(40, 40))
    check(masked.overview(6), weights.clone(), torch.ones(20, 31, dtype=torch.bool))


def test_stored_rows_of_zeros_and_negative_weights():
    weights = torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.5, -0.5, 0.0, 0.0], [0.25] * 4, [torch.nan] * 4])
    found = Attention.from_weights(weights, normalised=False).overview(2)
    assert found.row_state.tolist() == [[RowState.ZERO, RowState.NORMAL, RowState.NORMAL, RowState.NAN]]
    assert found.entropy[0].nan_to_num(-1).tolist() == [-1, -1, 2, -1]
    assert found.maximum[0].tolist() == [[1.5, 0], [0.25, 0.25]]
    assert found.mean[0].tolist() == [[0.5, 0], [0.25, 0.25]]
    assert found.top_keys[0, 1, 0] == 0
    assert found.mass_received[0].tolist() == [0.875, -0.125, 0.125, 0.125]


def test_uniform_weights_worked_by_hand():
    found = Attention.from_qk(torch.zeros(4, 2), torch.zeros(4, 2), mask=Causal()).overview(2)
    assert found.cell == (2, 2)
    torch.testing.assert_close(found.maximum[0], torch.tensor([[1, torch.nan], [1 / 3, 1 / 3]]), equal_nan=True)
    in_corner = (1 + 1 / 2 + 1 / 2) / 3
    below, last = (1 / 3 + 1 / 3 + 1 / 4 + 1 / 4) / 4, (1 / 3 + 1 / 4 + 1 / 4) / 3
    torch.testing.assert_close(found.mean[0], torch.tensor([[in_corner, torch.nan], [below, last]]), equal_nan=True)
    torch.testing.assert_close(found.entropy[0], torch.tensor([0, 1, math.log2(3), 2]))
    torch.testing.assert_close(
        found.mass_received[0],
        torch.tensor([(1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, (1 / 2 + 1 / 3 + 1 / 4) / 3, (1 / 3 + 1 / 4) / 2, 1 / 4]),
    )


def test_what_it_learns_of_the_rows_serves_the_tiles():
    query, key = 3 * draw(1, 4, 40, 8), draw(1, 2, 31, 8, seed=1)
    attention = Attention.from_qk(query, key, mask=Causal(-2), sinks=draw(4, seed=3))
    attention.overview(5)
    fresh = Attention.from_qk(query, key, mask=Causal(-2), sinks=draw(4, seed=3))
    torch.testing.assert_close(attention.lse(), fresh.lse())
    assert torch.equal(attention.row_state(), fresh.row_state())
    torch.testing.assert_close(attention.weights(2, rows=[1, 30]), fresh.weights(2, rows=[1, 30]), equal_nan=True)


def test_what_it_learns_of_one_head_is_not_taken_for_another():
    query, key = 3 * draw(1, 4, 9, 8), draw(1, 4, 9, 8, seed=1)
    attention = Attention.from_qk(query, key)
    one = attention.overview(5, head=2)
    assert torch.equal(one.maximum[0], attention.overview(5).maximum[2])
    fresh = Attention.from_qk(query, key)
    attention = Attention.from_qk(query, key)
    attention.overview(5, head=2)
    for head in range(4):
        torch.testing.assert_close(attention.weights(head, rows=[3]), fresh.weights(head, rows=[3]))
    torch.testing.assert_close(attention.lse(), fresh.lse())


def test_no_tensor_of_n_by_n_is_made():
    query, key = draw(6000, 8), draw(6000, 8, seed=1)
    largest = 0

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            nonlocal largest
            result = func(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor) and result.device.type == "cpu":
                largest = max(largest, result.untyped_storage().nbytes())
            return result

    attention = Attention.from_qk(query, key, mask=Causal())
    with Watch():
        attention.overview(300)
        attention.lse()
    assert largest <= 8 * 2**20  # all weights would be 144 MB
