"""Linear attention, which makes no weights, and state-space layers, which have none."""

import pytest
import torch
from torch import nn

import attnviz
from attnviz.attention import Linear, Stored
from tests.recording.models.linear import (
    COUNT,
    FORMS,
    HEADS,
    ITEMS,
    WIDTH,
    Attention,
    mamba,
    matmul,
    normalised,
    random,
    softmax_features,
    summed_up,
    tensors,
    unnormalised,
)
from tests.recording.models.recurrent import Bahdanau, Joined, Luong, Translator


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_it_is_said_that_linear_attention_has_no_weights(form):
    model = nn.ModuleDict({"attn": Attention(form)})
    with attnviz.capture(model) as trace:
        model["attn"](*tensors())
    assert len(trace) == 0
    assert not trace.lookalikes
    assert [str(note) for note in trace.notes] == [
        "“attn” is linear attention: it has no softmax weights. implicit=True records the weights that its output "
        "amounts to."
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_its_implicit_weights_come_out_on_request(form, tmp_path):
    q, k, v = tensors()
    model = nn.Sequential(Attention(form))
    plain = form(q, k, v)
    with attnviz.capture(model, implicit=True, values=True) as trace:
        recorded = model[0](q, k, v)
    assert torch.equal(plain, recorded)
    assert not trace.notes
    trace.save(tmp_path / "trace.safetensors")
    for found in (trace[0], attnviz.load(tmp_path / "trace.safetensors")[0]):
        assert found.form == "linear"
        assert isinstance(found.scores, Linear)
        assert (found.items, found.heads, found.shape) == (ITEMS, HEADS, (COUNT, COUNT))
        weights = found.weights(None, 1)
        torch.testing.assert_close(weights.double(), FORMS[form](q, k)[1], atol=2e-6, rtol=0)
        torch.testing.assert_close(found.weights(2, 1, [4], [1, 3]), weights[2, 4:5][:, [1, 3]], atol=1e-7, rtol=0)
        torch.testing.assert_close(found.output(None, 1), plain[1], atol=1e-5, rtol=0)
        assert found.check.agrees
    assert trace[0].normalised is (form not in (unnormalised, softmax_features))
    assert trace[0].role == ("decoder" if form is summed_up else "encoder")


def test_no_weights_are_ever_made():
    rows = random(1, 1, 4096, WIDTH)
    with attnviz.capture(model := nn.Sequential(Attention(matmul)), implicit=True) as trace:
        model[0](rows, rows.clone(), rows)
    assert trace[0].nbytes() == 2 * rows.nbytes


def test_other_products_of_three_are_no_linear_attention():
    def bilinear(q, k, v):
        return q @ (k.mT @ v)

    def twice(q, k, v):
        adjacent = normalised(torch.ones(COUNT, COUNT))
        return adjacent @ (adjacent @ v)

    for form in (bilinear, twice):
        with attnviz.capture(model := nn.Sequential(Attention(form)), implicit=True) as trace:
            model[0](*tensors())
        assert len(trace) == 0
        assert ["No attention" in str(note) for note in trace.notes] == [True]


@pytest.mark.parametrize("field", ["query", "key"])
def test_a_file_with_features_that_do_not_fit_is_refused(field, tmp_path, monkeypatch):
    q, k, v = tensors()
    with attnviz.capture(model := nn.Sequential(Attention(matmul)), implicit=True) as trace:
        model[0](q, k, v)
    wrong = {"query": q[..., :2], "key": k[:, :2, :, :]}[field]
    scores = trace[0].scores
    object.__setattr__(scores, field, wrong)
    monkeypatch.setattr("attnviz.trace.trace.from_document", lambda *_: None)
    trace.save(tmp_path / "trace.safetensors")
    monkeypatch.undo()
    with pytest.raises(attnviz.InputError):
        attnviz.load(tmp_path / "trace.safetensors")
    with pytest.raises(attnviz.InputError):
        trace.to_bytes()


def test_state_space_layers_are_said_to_have_no_weights():
    model = mamba().eval()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.tensor([[1, 2, 3]]))
    assert len(trace) == 0
    assert [str(note) for note in trace.notes] == [
        "3 state-space layers, “layers.0.mixer” the first of them, have no attention weights."
    ]


def test_a_layer_that_only_has_the_name_of_one_is_one():
    class S4Layer(nn.Module):
        def forward(self, rows):
            return rows.cumsum(1)

    with attnviz.capture(model := nn.Sequential(S4Layer())) as trace:
        model(torch.randn(1, 3, 4))
    assert [str(note) for note in trace.notes] == ["“0” is a state-space layer: it has no attention weights."]


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)

    def forward(self, rows):
        weights = self.score(rows).softmax(1)
        self.kept = weights
        return (weights * rows).sum(1)


def test_weights_that_multiply_values_are_attention_without_queries_and_keys():
    model, rows = nn.Sequential(Pooling()), torch.randn(2, 5, 8)
    with attnviz.capture(model) as trace:
        model(rows)
    (found,) = trace
    assert found.form == "stored"
    assert isinstance(found.scores, Stored)
    assert (found.items, found.heads, found.shape) == (2, 1, (1, 5))
    torch.testing.assert_close(found.weights(0, 1)[0], model[0].kept[1, :, 0].detach())
    assert found.check.agrees
    assert not trace.lookalikes


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)

    def forward(self, rows):
        chances = self.gate(rows).softmax(-1)
        best, places = chances.topk(2, -1)
        return rows * best.sum(-1, keepdim=True) + places.sum(-1, keepdim=True)


class Boxes(nn.Module):
    """Distributions over the places of a box's edge, as YOLO's head makes them."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 1, 1, bias=False)

    def forward(self, rows):
        items, _, anchors = rows.shape
        return self.conv(rows.view(items, 4, 16, anchors).transpose(2, 1).softmax(1)).view(items, 4, anchors)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 3))

    def forward(self, rows):
        return (rows @ self.weight).softmax(-1)


@pytest.mark.parametrize(
    ("kind", "rows", "shape", "count"),
    [
        (Router, torch.randn(2, 5, 8), (2, 5, 4), 4),
        (Boxes, torch.randn(1, 64, 30), (1, 16, 4, 30), 16),
        (Classifier, torch.randn(2, 5, 8), (2, 5, 3), 3),
    ],
)
def test_a_softmax_that_multiplies_no_values_is_listed_apart(kind, rows, shape, count, tmp_path):
    model = nn.Sequential(kind())
    with attnviz.capture(model) as trace:
        model(rows)
    assert len(trace) == 0
    trace.save(tmp_path / "trace.safetensors")
    for one in (trace, attnviz.load(tmp_path / "trace.safetensors")):
        (found,) = one.lookalikes
        assert (found.name, found.shape) == ("0", shape)
        assert f"over {count} entries" in str(found.reason)


def test_a_router_of_hugging_face_is_listed_apart(tiny, padded):
    model = tiny("gpt_oss", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    assert len(trace) == 2
    assert [(found.name, found.shape) for found in trace.lookalikes] == [
        ("layers.0.mlp.router", (18, 1)),
        ("layers.1.mlp.router", (18, 1)),
    ]


@pytest.mark.parametrize(
    ("kind", "form"), [(Bahdanau, "additive"), (Joined, "additive"), (Luong, "dot-product")], ids=lambda kind: str(kind)
)
def test_the_steps_of_a_recurrent_decoder_are_the_rows_of_one_attention(kind, form):
    torch.manual_seed(0)
    model, rows = Translator(kind), torch.randn(3, 6, 8)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)
        plain = model(rows)
        with attnviz.capture(model) as trace:
            recorded = model(rows)
    assert torch.equal(plain, recorded)
    (found,) = trace
    assert (found.name, found.role, found.form) == ("attention", "cross", form)
    assert (found.items, found.heads, found.shape) == (3, 1, (5, 6))
    for item in range(3):
        expected = torch.stack([step[item] for step in model.kept])
        torch.testing.assert_close(found.weights(0, item), expected, atol=1e-6, rtol=0)
    assert found.check.agrees
    assert not trace.notes
    assert not trace.lookalikes


def test_each_run_is_an_attention_of_its_own():
    torch.manual_seed(0)
    model = Translator(Bahdanau)
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.randn(1, 6, 8))
        model(torch.randn(1, 4, 8))
    assert [found.shape for found in trace] == [(5, 6), (5, 4)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_one_item_is_one_item_and_not_one_head(form):
    q, k, v = (one[:1] for one in tensors())
    with attnviz.capture(model := Attention(form), implicit=True) as trace:
        model(q, k, v)
    assert (trace[0].items, trace[0].heads) == (1, HEADS)
    torch.testing.assert_close(trace[0].weights(None).double(), FORMS[form](q, k)[0], atol=2e-6, rtol=0)
