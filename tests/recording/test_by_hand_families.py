"""Models that go past transformers' attention interface, against the weights that they give out themselves."""

import pytest
import torch
from torch import nn

import attnviz
from attnviz.attention import DotProduct
from tests.recording.models.vision import AreaAttention, VisionAttention, in_the_picture
from tests.recording.test_huggingface import largest_difference

FAMILIES = [
    ("deberta", "encoder"),
    ("bloom", "decoder"),
    ("falcon", "decoder"),
    ("falcon_alibi", "decoder"),
    ("falcon_grouped", "decoder"),
]


@pytest.mark.parametrize("side", ["none", "left", "right"])
@pytest.mark.parametrize(("family", "role"), FAMILIES)
def test_weights_are_those_of_the_model_in_the_same_pass(tiny, padded, family, role, side):
    model, inputs = tiny(family, "eager"), padded(side)
    with torch.no_grad():
        plain = model(**inputs).last_hidden_state
        with attnviz.capture(model) as trace:
            recorded = model(**inputs, output_attentions=True)
    assert torch.equal(plain, recorded.last_hidden_state)
    assert not trace.notes
    assert trace.roles() == (role,)
    assert trace.layers(role) == (0, 1)
    valid = inputs["attention_mask"].bool()
    assert largest_difference(trace.attentions, recorded.attentions, valid) < 1e-5
    for found in trace:
        assert isinstance(found.scores, DotProduct)
        assert found.check.agrees
        assert found.heads == 4
    assert trace[1].weights(None).std() > 0.1


def test_layers_have_the_names_that_the_model_has(tiny, padded):
    model = tiny("bloom", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    assert [found.name for found in trace] == ["h.0.self_attention", "h.1.self_attention"]


def test_one_key_head_stays_one(tiny, padded):
    model = tiny("falcon", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    assert (trace[0].heads, trace[0].kv_heads) == (4, 1)


def test_a_softmax_module_does_a_step_for_its_layer(tiny):
    model = tiny("perceiver", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        output = model(inputs=torch.randn(1, 5, 32), output_attentions=True)
    assert [found.name for found in trace] == [
        "encoder.cross_attention.attention.self",
        "encoder.self_attends.0.attention.self",
    ]
    torch.testing.assert_close(trace[0].weights(None), output.cross_attentions[0][0], atol=1e-6, rtol=0)
    torch.testing.assert_close(trace[1].weights(None), output.attentions[0][0], atol=1e-6, rtol=0)
    assert not trace.notes


@pytest.mark.parametrize("norms", [False, True])
@pytest.mark.parametrize("rotary", [False, True])
def test_vision_attention_is_the_same_fused_or_not(norms, rotary):
    torch.manual_seed(0)
    found = {}
    fused = nn.Sequential(*(VisionAttention(fused=True, norms=norms, rotary=rotary) for _ in range(2))).eval()
    unfused = nn.Sequential(*(VisionAttention(fused=False, norms=norms, rotary=rotary) for _ in range(2))).eval()
    with torch.no_grad():
        for layer in fused:
            layer.qkv.weight[:64] *= 6
    unfused.load_state_dict(fused.state_dict())
    rows = torch.randn(2, 10, 32)
    for name, model in (("fused", fused), ("unfused", unfused)):
        with torch.no_grad(), attnviz.capture(model) as trace:
            model(rows)
        assert not trace.notes
        assert [one.name for one in trace] == ["0", "1"]
        assert [(one.items, one.heads, one.shape) for one in trace] == [(2, 4, (10, 10))] * 2
        assert all(one.check.agrees for one in trace)
        found[name] = trace
    for one, other in zip(found["fused"], found["unfused"], strict=True):
        torch.testing.assert_close(one.weights(None, 1), other.weights(None, 1), atol=1e-5, rtol=0)
    assert found["fused"][0].weights(None).amax(-1).mean() > 0.2


def test_area_attention_with_a_transposed_product_has_the_right_rows():
    torch.manual_seed(0)
    model = AreaAttention().eval()
    with torch.no_grad():
        model.qkv.weight.mul_(4)
    picture = torch.randn(3, 32, 4, 4)
    with torch.no_grad():
        plain = model(picture)
        with attnviz.capture(model, values=True) as trace:
            recorded = model(picture)
    assert torch.equal(plain, recorded)
    (found,) = trace
    assert (found.items, found.heads, found.shape) == (3, 2, (16, 16))
    torch.testing.assert_close(found.weights(None, 1), in_the_picture(model.kept, 4)[1], atol=1e-6, rtol=0)
    assert found.check.agrees
    assert found.output(0, 1).shape == (16, 16)


class OneHead(nn.Module):
    def forward(self, rows):
        return torch.bmm(torch.bmm(rows, rows.transpose(1, 2)).softmax(-1), rows)


def test_one_head_an_item_stays_so():
    rows = torch.randn(4, 5, 8)
    with attnviz.capture(model := nn.Sequential(OneHead())) as trace:
        model(rows)
    assert (trace[0].items, trace[0].heads) == (4, 1)
    assert not trace.notes


@pytest.mark.parametrize(("items", "heads"), [(1, 3), (3, 1), (1, 1)])
@pytest.mark.parametrize("queries", [5, 1])
def test_a_single_item_or_head_keeps_its_dimension(items, heads, queries):
    def attend(query, key):
        return ((query @ key.mT).softmax(-1) @ key).sum()

    class Model(nn.Module):
        def forward(self, query, key):
            return attend(query, key)

    query, key = torch.randn(items, heads, queries, 4), torch.randn(items, heads, 5, 4)
    with attnviz.capture(model := Model()) as trace:
        model(query, key)
    (found,) = trace
    assert (found.items, found.heads, found.shape) == (items, heads, (queries, 5))
    expected = (query @ key.mT).softmax(-1)[-1]
    torch.testing.assert_close(found.weights(None, items - 1), expected, atol=1e-6, rtol=0)
    assert not trace.notes


class PackedByView(nn.Module):
    def __init__(self, stated):
        super().__init__()
        if stated:
            self.num_heads = 2

    def forward(self, rows):
        items, count, width = rows.shape
        apart = rows.view(items, count, 2, width // 2).transpose(1, 2).reshape(items * 2, count, width // 2)
        scaled = apart * 0.5
        weights = torch.bmm(scaled, apart.transpose(1, 2)).softmax(-1)
        joined = torch.bmm(weights, apart)
        return joined.view(items, 2, count, width // 2).transpose(1, 2).reshape(items, count, width)


@pytest.mark.parametrize("stated", [False, True])
def test_heads_and_items_that_a_view_put_together_come_apart(stated):
    rows = torch.randn(3, 5, 8)
    with attnviz.capture(model := nn.Sequential(PackedByView(stated))) as trace:
        model(rows)
    (found,) = trace
    assert (found.items, found.heads, found.shape) == (3, 2, (5, 5))
    part = rows[2, :, 4:]
    torch.testing.assert_close(found.weights(1, 2), (part @ part.mT * 0.5).softmax(-1), atol=1e-6, rtol=0)
    assert found.check.agrees
    assert not trace.notes


def test_what_cannot_be_told_is_one_head_an_item_and_said():
    class Bare(nn.Module):
        def forward(self, rows):
            return torch.bmm(torch.bmm(rows, rows.transpose(1, 2)).softmax(-1), rows).sum()

    with attnviz.capture(model := Bare()) as trace:
        model(torch.randn(6, 5, 8))
    assert (trace[0].items, trace[0].heads) == (6, 1)
    assert ["heads" in str(note) and "6 blocks" in str(note) for note in trace.notes] == [True]


class GroupedQueries(nn.Module):
    """As GPT-BigCode: the heads of one position are rows of one product, all sharing one key."""

    num_heads = 4

    def forward(self, query, key):
        items, count, width = query.shape
        rows = query.view(items, count * 4, width // 4)
        scores = torch.bmm(rows, key.transpose(1, 2)).view(items, count, 4, key.shape[1])
        weights = scores.softmax(-1).view(items, count * 4, key.shape[1])
        return torch.bmm(weights, key).view(items, count, width)


def test_heads_among_the_rows_of_a_product_are_found():
    query, key = torch.randn(2, 5, 32), torch.randn(2, 5, 8)
    with attnviz.capture(model := GroupedQueries(), values=True) as trace:
        model(query, key)
    (found,) = trace
    assert (found.items, found.heads, found.kv_heads, found.shape) == (2, 4, 1, (5, 5))
    expected = (query[1, :, 8:16] @ key[1].mT).softmax(-1)
    torch.testing.assert_close(found.weights(1, 1), expected, atol=1e-5, rtol=0)
    assert found.check.agrees
