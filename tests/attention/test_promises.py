"""What holds for any attention, tried on many."""

import math

import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.attention import Attention, Causal, Lengths, RowState, Window

settings.register_profile("many", deadline=None, max_examples=40)


RECIPES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "items": st.integers(1, 2),
        "kv_heads": st.integers(1, 2),
        "group": st.integers(1, 3),
        "queries": st.integers(1, 9),
        "keys": st.integers(1, 9),
        "width": st.integers(1, 5),
        "size": st.sampled_from([0.0, 1.0, 8.0]),
        "mask": st.sampled_from(["none", "causal", "cached", "window", "padding", "pairs"]),
        "bias": st.booleans(),
        "softcap": st.sampled_from([None, 2.0]),
        "sinks": st.booleans(),
    }
)


def made(recipe, dtype=torch.float32):
    generator = torch.Generator().manual_seed(recipe["seed"])
    items, heads, queries, keys = (
        recipe["items"],
        recipe["kv_heads"] * recipe["group"],
        recipe["queries"],
        recipe["keys"],
    )

    def numbers(*shape):
        return (recipe["size"] * torch.randn(*shape, generator=generator)).to(dtype)

    masks = {
        "none": None,
        "causal": Causal(),
        "cached": Causal(keys - queries),
        "window": Window(1, 1),
        "padding": Lengths((1,), (keys,)),
        "pairs": torch.randn(items, 1, queries, keys, generator=generator) > 0,
    }
    return Attention.from_qk(
        numbers(items, heads, queries, recipe["width"]),
        numbers(items, recipe["kv_heads"], keys, recipe["width"]),
        mask=masks[recipe["mask"]],
        bias=numbers(heads, queries, keys) if recipe["bias"] else None,
        softcap=recipe["softcap"],
        sinks=numbers(heads) if recipe["sinks"] else None,
    )


# Scores in the hundreds, of which a float32 has no more than four decimals.
LARGE_SCORES = {
    "seed": 0, "items": 1, "kv_heads": 1, "group": 3, "queries": 4, "keys": 9, "width": 4, "size": 8.0,
    "mask": "causal", "bias": False, "softcap": None, "sinks": False,
}  # fmt: skip


@given(RECIPES)
@example(LARGE_SCORES)
@settings(settings.get_profile("many"))
def test_normal_rows_and_their_sinks_sum_to_one(recipe):
    attention = made(recipe)
    for item in range(attention.items):
        normal = attention.row_state(None, item) == RowState.NORMAL
        whole = attention.weights(None, item).sum(-1) + attention.sink_mass(None, item)
        torch.testing.assert_close(whole[normal], torch.ones(int(normal.sum())), atol=1e-5, rtol=0)
        assert whole[~normal].isnan().all()
        assert (attention.weights(None, item)[~attention.allowed(None, item)].nan_to_num() == 0).all()


@given(RECIPES, st.randoms())
@settings(settings.get_profile("many"))
def test_keys_in_another_order_have_the_same_weights_in_that_order(recipe, random):
    attention = made(recipe, torch.float64)
    scores, keys = attention.scores, attention.shape[1]
    order = random.sample(range(keys), keys)
    everywhere = torch.stack([attention.allowed(None, item) for item in range(attention.items)])
    shuffled = Attention.from_qk(
        scores.query,
        scores.key[:, :, order],
        mask=everywhere[..., order],
        bias=None if scores.bias is None else scores.bias[..., order],
        softcap=scores.softcap,
        sinks=scores.sinks,
    )
    for item in range(attention.items):
        torch.testing.assert_close(
            shuffled.weights(None, item), attention.weights(None, item)[..., order], equal_nan=True
        )


@given(RECIPES, st.data())
@settings(settings.get_profile("many"))
def test_a_tile_is_the_same_part_of_the_whole(recipe, data):
    attention = made(recipe)
    queries, keys = attention.shape
    rows = data.draw(st.lists(st.integers(0, queries - 1), max_size=4))
    cols = data.draw(st.lists(st.integers(0, keys - 1), max_size=4))
    head = data.draw(st.integers(0, attention.heads - 1))
    tile = attention.weights(head, rows=rows, cols=cols)
    whole = attention.weights()[head][torch.tensor(rows, dtype=torch.long)][:, torch.tensor(cols, dtype=torch.long)]
    torch.testing.assert_close(tile, whole, atol=1e-5, rtol=1e-5, equal_nan=True)


@given(RECIPES)
@settings(settings.get_profile("many"))
def test_lse_agrees_with_double_precision(recipe):
    attention = made(recipe)
    scores = attention.scores
    key = scores.key.double().repeat_interleave(scores.query.shape[1] // scores.key.shape[1], 1)
    logits = scores.query.double() @ key.mT / math.sqrt(scores.query.shape[-1])
    if scores.softcap:
        logits = scores.softcap * torch.tanh(logits / scores.softcap)
    if scores.bias is not None:
        logits = logits + scores.bias
    logits = logits[0].masked_fill(~attention.allowed(), -torch.inf)
    masked = (logits == -torch.inf).all(-1)
    if scores.sinks is not None:
        sinks = scores.sinks.double()[:, None, None].expand(-1, attention.shape[0], 1)
        logits = torch.cat([logits, sinks], -1)
    expected = torch.logsumexp(logits, -1).masked_fill(masked, -torch.inf)
    torch.testing.assert_close(attention.lse().double(), expected, atol=1e-4, rtol=1e-5)


@given(RECIPES, st.integers(1, 12))
@settings(settings.get_profile("many"))
def test_an_overview_holds_the_greatest_weight_and_all_the_mass(recipe, size):
    attention = made(recipe)
    found = attention.overview(size)
    weights, allowed = attention.weights(), attention.allowed()
    normal = attention.row_state() == RowState.NORMAL
    greatest = weights.where(normal[..., None] & allowed, -1).flatten(1).amax(1)
    torch.testing.assert_close(found.maximum.nan_to_num(-1).flatten(1).amax(1), greatest, atol=1e-5, rtol=1e-5)
    seen = (allowed & normal[..., None]).sum(1)
    mass = (found.mass_received.nan_to_num(0) * seen).sum(1)
    torch.testing.assert_close(mass, weights.where(normal[..., None], 0).sum((1, 2)), atol=1e-4, rtol=1e-4)
