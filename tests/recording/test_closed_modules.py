"""TorchScript and graphs of torch.export run no Python; their attentions are found among the operators."""

import pytest
import torch
from torch import nn

import attnviz
from attnviz.attention import Causal
from tests.recording.models.closed import Model, closed, expected

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Model().eval()


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize("how", ["trace", "script", "export"])
def test_weights_names_and_output(model, how, mode):
    x = torch.randn(2, 6, 8)
    with torch.no_grad():
        right, ready = expected(model, x), closed(how, model, x)
        ready(x), ready(x)
    with getattr(torch, mode)():
        plain = ready(x)
        with attnviz.capture(ready) as trace:
            recorded = ready(x)
    assert torch.equal(plain, recorded)
    assert [found.name for found in trace] == ["layers.0", "layers.1"]
    assert trace.layers("decoder") == (0, 1)
    for attention, weights in zip(trace, right, strict=True):
        assert attention.mask == Causal(0)
        assert attention.form == "dot-product"
        assert attention.check.agrees
        for item in (0, 1):
            torch.testing.assert_close(attention.weights(None, item).double(), weights[item], atol=1e-5, rtol=0)
    assert [(found.shape, "product with values" in str(found.reason)) for found in trace.lookalikes] == [
        ((2, 6, 3), True)
    ]
    assert not trace.notes


@pytest.mark.parametrize("how", ["trace", "export"])
def test_inside_another_model_the_names_go_on_from_there(model, how):
    x = torch.randn(1, 4, 8)
    outer = nn.Sequential(nn.Identity(), closed(how, model, x))
    with torch.inference_mode(), attnviz.capture(outer) as trace:
        outer(x)
    assert [found.name for found in trace] == ["1.layers.0", "1.layers.1"]


def test_under_autocast_the_model_computes_in_its_type(model):
    x = torch.randn(1, 6, 8)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        ready = torch.jit.trace(model, (x,), check_trace=False)
        plain = ready(x)
        with attnviz.capture(ready) as trace:
            recorded = ready(x)
    assert torch.equal(plain, recorded)
    assert [found.scores.query.dtype for found in trace] == [torch.bfloat16] * 2
    assert all(found.check.agrees for found in trace)


def test_weights_that_come_from_no_product_are_kept_as_they_are():
    class Additive(nn.Module):
        def forward(self, x):
            scores = (x[:, :, None] + x[:, None]).tanh().sum(-1)
            return scores.softmax(-1) @ x

    x = torch.randn(2, 5, 3)
    with torch.no_grad():
        ready = torch.jit.trace(Additive(), (x,))
        with attnviz.capture(ready) as trace:
            ready(x)
    (attention,) = trace
    assert attention.form == "stored"
    assert attention.check.agrees
    right = (x[1, :, None] + x[1, None]).tanh().sum(-1).softmax(-1)
    torch.testing.assert_close(attention.weights(0, 1), right)


def test_a_head_that_is_removed_afterwards_is_no_disagreement():
    class Gated(nn.Module):
        def forward(self, x):
            return ((x @ x.transpose(1, 2)).softmax(-1) * torch.linspace(0, 1, x.shape[1])) @ x

    x = torch.randn(2, 5, 3)
    with torch.no_grad():
        ready = torch.jit.trace(Gated(), (x,))
        with attnviz.capture(ready) as trace:
            ready(x)
    assert trace[0].check is None
    torch.testing.assert_close(trace[0].weights(0, 1), (x[1] @ x[1].T).softmax(-1))


def test_a_bias_in_the_product_itself_is_one_of_each_head():
    class Biased(nn.Module):
        def forward(self, x, bias):
            return torch.baddbmm(bias, x, x.transpose(1, 2), alpha=0.5).view(2, 2, 5, 5).softmax(-1).view(4, 5, 5) @ x

    x, bias = torch.randn(4, 5, 3), torch.randn(4, 5, 5)
    with torch.no_grad():
        ready = torch.jit.trace(Biased(), (x, bias))
        with attnviz.capture(ready) as trace:
            ready(x, bias)
    right = (0.5 * x @ x.mT + bias).softmax(-1).view(2, 2, 5, 5)
    for item in (0, 1):
        torch.testing.assert_close(trace[0].weights(None, item), right[item], atol=1e-6, rtol=0)
    assert trace[0].check.agrees


def test_what_pytorch_computes_whole_is_said():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = torch.randn(1, 4, 8)
    with torch.no_grad():
        ready = torch.jit.script(layer)
        plain = ready(x)
        with attnviz.capture(ready) as trace:
            recorded = ready(x)
    assert torch.equal(plain, recorded)
    assert len(trace) == 0
    assert ["computes it whole" in str(note) for note in trace.notes] == [True]


def test_an_exception_inside_leaves_nothing(model):
    ready = torch.jit.script(model)
    with torch.no_grad(), attnviz.capture(ready) as trace:
        with pytest.raises(RuntimeError):
            ready(torch.randn(1, 4, 7))
        ready(torch.randn(1, 4, 8))
    assert len(trace) == 2


def test_exceptions_and_two_recordings_of_one_closed_module(model):
    x = torch.randn(1, 4, 8)
    with torch.no_grad():
        ready = torch.jit.trace(model, (x,))
        with attnviz.capture(ready) as outer, attnviz.capture(ready) as inner:
            ready(x)
    assert [len(outer), len(inner)] == [2, 2]
    assert [found.name for found in outer] == [found.name for found in inner]
