import pytest
import torch

from attnviz.attention import Attention, Causal, Lengths
from attnviz.attention.items import one_item
from attnviz.tokens import Tokens


@pytest.fixture
def batch():
    """Two items, the second of 3 queries and 4 keys filled up to 5 and 6."""
    torch.manual_seed(0)
    return Attention.from_qk(
        torch.randn(2, 4, 5, 8),
        torch.randn(2, 2, 6, 8),
        value=torch.randn(2, 2, 6, 8),
        bias=torch.randn(1, 4, 5, 6),
        mask=Lengths((0, 0), (6, 4)) & Causal(1),
        name="cross",
        role="cross",
        layer=3,
    )


def test_one_item_is_what_it_would_be_alone(batch):
    found = one_item(batch, 1, Tokens.numbered(3), Tokens.numbered(4))
    scores, both = batch.scores, slice(None)
    logits = scores.query[1, :, :3].double() @ scores.key[1, :, :4].double().repeat_interleave(2, 0).mT
    logits = logits * scores.scale + scores.bias[0, both, :3, :4].double()
    logits = logits.masked_fill(torch.ones(3, 4).triu(2).bool(), -torch.inf)
    torch.testing.assert_close(found.weights(), logits.softmax(-1).float(), atol=1e-6, rtol=0)
    torch.testing.assert_close(found.weights(), batch.weights(item=1)[:, :3, :4], atol=1e-6, rtol=0)
    torch.testing.assert_close(found.output(), batch.output(item=1)[:, :3], atol=1e-6, rtol=0)
    assert (found.items, found.shape, found.name, found.layer) == (1, (3, 4), "cross", 3)
    assert found.mask == Causal(1), "the padding has gone from the rule"
    assert (len(found.query_tokens), len(found.key_tokens)) == (3, 4)


def test_nothing_of_the_others_stays_in_memory(batch):
    found = one_item(batch, 0, Tokens.numbered(5), Tokens.numbered(6))
    assert found.scores.query.untyped_storage().nbytes() == 4 * 5 * 8 * 4
    assert found.scores.key.untyped_storage().nbytes() == 2 * 6 * 8 * 4


def test_stored_weights_too():
    weights = torch.rand(2, 2, 3, 3)
    found = one_item(Attention.from_weights(weights), 1, Tokens.numbered(2), Tokens.numbered(3))
    torch.testing.assert_close(found.weights(), weights[1, :, :2])
