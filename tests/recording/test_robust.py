"""Whatever a model does while it is recorded, it goes on as it would, and what is recorded is right or is said."""

import subprocess
import sys
import threading
from textwrap import dedent

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

import attnviz
from attnviz.attention import RowState
from attnviz.base.errors import InputError
from attnviz.recording.compiled import uncompiled

pytestmark = pytest.mark.filterwarnings("ignore:Using `torch.compile")


def said(trace):
    return [str(note) for note in trace.notes]


def stance():
    import torch._dynamo.eval_frame as frame

    return frame._stance.stance


class Layer(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.project = nn.Linear(width, 3 * width)

    def forward(self, x):
        q, k, v = self.project(x).view(*x.shape[:2], 3, 2, x.shape[2] // 2).permute(2, 0, 3, 1, 4).unbind(0)
        return x + F.scaled_dot_product_attention(q * 4, k, v).transpose(1, 2).flatten(2)

    def right(self, x):
        q, k, _ = self.project(x).double().view(*x.shape[:2], 3, 2, x.shape[2] // 2).permute(2, 0, 3, 1, 4).unbind(0)
        return (4 * q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)


def layers(count=2):
    torch.manual_seed(0)
    return nn.Sequential(*(Layer() for _ in range(count))).eval()


def assert_right(trace, model, x):
    with torch.no_grad():
        for attention, layer in zip(trace, model, strict=True):
            for item in range(attention.items):
                right = layer.right(x)[item]
                torch.testing.assert_close(attention.weights(None, item).double(), right, atol=1e-5, rtol=0)
            x = layer(x)


# Exceptions


def test_what_was_recorded_before_an_exception_stays():
    class Breaks(nn.Module):
        def forward(self, x):
            raise RuntimeError("broken off")

    model = nn.Sequential(*layers(), Breaks())
    x = torch.randn(1, 5, 8)
    with pytest.raises(RuntimeError, match="broken off"), attnviz.capture(model) as trace:
        model(x)
    assert [found.name for found in trace] == ["0", "1"]
    assert_right(trace, model[:2], x)


def test_an_exception_in_a_block_around_a_compiled_model_gives_the_stance_back():
    model = torch.compile(layers(), backend="eager")
    seen = []

    def stop(_module, _args):
        seen.append(stance())
        raise RuntimeError("stop")

    model.register_forward_pre_hook(stop)
    with pytest.raises(RuntimeError, match="stop"), attnviz.capture(model):
        model(torch.randn(1, 5, 8))
    assert seen == ["force_eager"]
    assert stance() == "default"


# Nested captures


def test_one_model_in_two_blocks_one_in_the_other():
    model, x = layers(), torch.randn(1, 5, 8)
    with torch.no_grad(), attnviz.capture(model) as outer:
        model(x)
        with attnviz.capture(model) as inner:
            model(x)
        model(x)
    assert [len(outer), len(inner)] == [6, 2]
    assert_right(inner, model, x)


def test_two_models_in_two_blocks_one_in_the_other():
    first, second, x = layers(), layers(3), torch.randn(1, 5, 8)
    with torch.no_grad(), attnviz.capture(first) as outer, attnviz.capture(second) as inner:
        first(x)
        second(x)
    assert [len(outer), len(inner)] == [2, 3]
    assert_right(outer, first, x)
    assert_right(inner, second, x)


# Threads and the compiler's stance


def both_threads(work):
    """Runs the two, and passes on what went wrong in either."""
    wrong = []

    def guarded(index):
        try:
            work(index)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("first_out", [0, 1])
@pytest.mark.parametrize("fails", [None, 0, 1])
def test_two_threads_that_overlap_leave_no_stance(first_out, fails):
    """Thread 0 enters first; either leaves first, and either may leave by an exception."""
    entered = [threading.Event(), threading.Event()]
    left = [threading.Event(), threading.Event()]
    models, traces = [layers(), layers()], [None, None]
    compiled = [torch.compile(model, backend="eager") for model in models]
    x = torch.randn(1, 5, 8)
    seen = []

    def work(index):
        if index == 1:
            assert entered[0].wait(60)
        try:
            with torch.no_grad(), attnviz.capture(compiled[index]) as traces[index]:
                entered[index].set()
                assert entered[1 - index].wait(60)
                compiled[index](x)
                if index != first_out:
                    assert left[1 - index].wait(60)
                    seen.append(stance())
                    compiled[index](x)
                if index == fails:
                    raise InputError("fails")
        except InputError:
            assert index == fails
        left[index].set()

    both_threads(work)
    assert stance() == "default"
    # The one who is still there keeps it.
    assert seen == ["force_eager"]
    assert [len(traces[first_out]), len(traces[1 - first_out])] == [2, 4]
    assert_right(traces[first_out], models[first_out], x)


def test_a_stance_that_was_set_before_comes_back():
    model = torch.compile(layers(), backend="eager")
    with torch.compiler.set_stance("eager_on_recompile"):
        with torch.no_grad(), attnviz.capture(model) as trace:
            model(torch.randn(1, 5, 8))
        assert stance() == "eager_on_recompile"
    assert len(trace) == 2


def test_a_stance_that_is_set_within_the_block_stays_and_ours_does_not_come_back():
    with uncompiled:
        theirs = torch.compiler.set_stance("fail_on_recompile")
        theirs.__enter__()
    assert stance() == "fail_on_recompile"
    theirs.__exit__(None, None, None)
    assert stance() == "default"


def test_two_threads_each_have_their_own_trace():
    models, traces = [layers(), layers(3)], [None, None]
    inputs = [torch.randn(1, 5, 8), torch.randn(2, 9, 8)]
    meet = threading.Barrier(2, timeout=60)

    def work(index):
        with torch.no_grad(), attnviz.capture(models[index]) as traces[index]:
            meet.wait()
            models[index](inputs[index])
            meet.wait()

    both_threads(work)
    for trace, model, x in zip(traces, models, inputs, strict=True):
        assert_right(trace, model, x)


def test_a_thread_that_runs_longer_than_the_block_is_left_alone():
    """It was started within the block, which has ended when it calls the model."""
    model, x, found = layers(), torch.randn(1, 5, 8), []
    ended = threading.Event()

    def late():
        assert ended.wait(60)
        with torch.no_grad():
            found.append(model(x))

    thread = threading.Thread(target=late)
    with torch.no_grad(), attnviz.capture(model) as trace:
        thread.start()
        right = model(x)
    ended.set()
    thread.join()
    assert torch.equal(found[0], right)
    assert len(trace) == 2


# Compiled


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("when", ["before", "during"])
@pytest.mark.parametrize("what", ["model", "in place", "layer", "function"])
def test_compiled_models_layers_and_functions(backend, when, what):
    torch._dynamo.reset()
    model, x = layers(), torch.randn(1, 5, 8)

    def build():
        options = {"backend": backend, "fullgraph": True}
        if what == "model":
            return torch.compile(model, **options)
        if what == "in place":
            model.compile(**options)
        elif what == "layer":
            model[1] = torch.compile(model[1], **options)
        else:
            model[0].forward = torch.compile(model[0].forward, **options)
        return model

    with torch.no_grad():
        if when == "before":
            ready = build()
            plain = ready(x)
            with attnviz.capture(ready) as trace:
                recorded = ready(x)
        else:
            plain = model(x)
            with attnviz.capture(model) as trace:
                recorded = build()(x)
    torch.testing.assert_close(plain, recorded)
    assert [found.name for found in trace] == ["0", "1"]
    plain_layers = [getattr(layer, "_orig_mod", layer) for layer in model]
    assert_right(trace, plain_layers, x)
    with torch.no_grad():
        # Afterwards it is compiled as before.
        torch.testing.assert_close((build() if when == "during" and what == "model" else model)(x), plain)


@pytest.mark.parametrize("how", ["in place", "around", "function"])
def test_the_compiler_may_come_within_the_block(how):
    """In a process of its own, where nothing has loaded the compiler yet."""
    code = f"""
        import sys
        import torch
        import attnviz
        from torch import nn
        from torch.nn.functional import scaled_dot_product_attention

        class Layer(nn.Module):
            def forward(self, x):
                return scaled_dot_product_attention(x, x, x)

        model, x, how = nn.Sequential(Layer(), Layer()), torch.randn(1, 2, 5, 8), {how!r}
        with attnviz.capture(model) as trace:
            assert "torch._dynamo" not in sys.modules
            if how == "in place":
                model.compile(backend="eager", fullgraph=True)
                model(x)
            elif how == "around":
                torch.compile(model, backend="eager", fullgraph=True)(x)
            else:
                model[0].forward = torch.compile(model[0].forward, backend="eager")
                model(x)
        print(len(trace), sum("compiled" in str(note) for note in trace.notes))
        print(sys.modules["torch._dynamo.eval_frame"]._stance.stance)
    """
    found = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, timeout=300)
    assert found.stdout.split() == ["2", "1", "default"], found.stderr[-2000:]


def test_a_hugging_face_model_that_is_compiled_within_the_block(tiny, padded):
    model = tiny("bert", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        torch.compile(model, backend="eager")(**padded("none"))
    assert len(trace) == 2
    assert ["compiled" in text for text in said(trace)] == [True]


# Calls


def test_a_model_that_is_called_twice():
    model, x = layers(), torch.randn(1, 5, 8)
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(x)
        model(x[:, :3])
    assert [found.shape for found in trace] == [(5, 5)] * 2 + [(3, 3)] * 2
    assert [found.layer for found in trace] == [0, 1, 0, 1]
    assert ["2 times" in text for text in said(trace)] == [True]


def test_a_layer_that_is_used_three_times_is_three_layers():
    layer, x = Layer(), torch.randn(2, 5, 8)
    model = nn.Sequential(layer, layer, layer).eval()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(x)
    assert [found.layer for found in trace] == [0, 1, 2]
    assert_right(trace, model, x)


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointed_training_records_each_layer_once(reentrant):
    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = layers(3)

        def forward(self, x):
            for layer in self.layers:
                x = checkpoint(layer, x, use_reentrant=reentrant)
            return x

    x, gradients = torch.randn(1, 5, 8), []
    model = Checkpointed()
    for record in (False, True):
        model.zero_grad()
        leaf = x.clone().requires_grad_()
        if record:
            with attnviz.capture(model) as trace:
                model(leaf).square().sum().backward()
        else:
            model(leaf).square().sum().backward()
        gradients.append([leaf.grad, *(one.grad for one in model.parameters())])
    for plain, recorded in zip(*gradients, strict=True):
        assert torch.equal(plain, recorded)
    assert [found.name for found in trace] == ["layers.0", "layers.1", "layers.2"]
    assert_right(trace, model.layers, x)


# Types and devices


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_kept_and_its_weights_are_those_of_its_own_queries_and_keys(dtype):
    model, x = layers().to(dtype), torch.randn(1, 33, 8).to(dtype)
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(x)
    for attention in trace:
        assert attention.scores.query.dtype == attention.scores.key.dtype == dtype
        q, k = attention.scores.query[0].double(), attention.scores.key[0].double()
        right = (q @ k.mT / 2).softmax(-1)
        torch.testing.assert_close(attention.weights(None).double(), right, atol=1e-6, rtol=0)
        assert attention.check.agrees


def test_autocast_computes_in_its_type_and_that_is_recorded():
    model, x = layers(), torch.randn(1, 9, 8)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        plain = model(x)
        with attnviz.capture(model) as trace:
            recorded = model(x)
    assert torch.equal(plain, recorded)
    assert {found.scores.query.dtype for found in trace} == {torch.bfloat16}
    assert all(found.check.agrees for found in trace)


@pytest.mark.parametrize("kind", ["sdpa", "mha", "bert"])
def test_meta_tensors_are_said_and_nothing_is_shown(tiny, padded, kind):
    if kind == "bert":
        model = tiny("bert", "sdpa").to("meta")
        inputs = {name: value.to("meta") for name, value in padded("none").items() if name == "input_ids"}
    elif kind == "mha":
        model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, device="meta").eval()
        inputs = {"src": torch.empty(1, 5, 8, device="meta")}
    else:
        model, inputs = layers().to("meta"), {"input": torch.empty(1, 5, 8, device="meta")}
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**inputs)
    assert len(trace) == 0
    assert said(trace)
    assert any("meta device" in text for text in said(trace))
    assert trace.to_bytes()


@pytest.mark.parametrize("shape", [(1, 0, 8), (0, 5, 8)])
def test_nothing_to_attend_to_is_said(shape):
    model = layers()
    with torch.no_grad(), attnviz.capture(model) as trace:
        output = model(torch.randn(shape))
    assert output.shape == shape
    assert len(trace) == 0
    assert said(trace)


def test_a_model_without_attention():
    with torch.no_grad(), attnviz.capture(model := nn.Sequential(nn.Linear(8, 8), nn.ReLU())) as trace:
        model(torch.randn(2, 8))
    assert len(trace) == 0
    assert ["No attention" in text for text in said(trace)] == [True]


def test_an_interrupted_file_is_refused(tmp_path):
    model = layers()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.randn(1, 5, 8))
    whole = trace.to_bytes()
    for length in (0, 4, 100, len(whole) // 2, len(whole) - 1):
        path = tmp_path / f"{length}.safetensors"
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            attnviz.load(path)


# Nested tensors


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_jagged_tensors_are_padded_to_the_longest():
    class Jagged(nn.Module):
        def forward(self, q, k):
            return F.scaled_dot_product_attention(q, k, k, scale=2.0)

    torch.manual_seed(0)
    queries, keys = ([torch.randn(length, 2, 8) for length in lengths] for lengths in ((5, 3), (4, 6)))
    q, k = (torch.nested.nested_tensor(one, layout=torch.jagged).transpose(1, 2) for one in (queries, keys))
    model = Jagged()
    with torch.no_grad():
        plain = model(q, k)
        with attnviz.capture(model, values=True) as trace:
            recorded = model(q, k)
    for one, other in zip(plain.unbind(), recorded.unbind(), strict=True):
        assert torch.equal(one, other)
    (attention,) = trace
    assert attention.shape == (5, 6)
    assert attention.check.agrees
    for item in (0, 1):
        n, m = len(queries[item]), len(keys[item])
        scores = 2.0 * queries[item].transpose(0, 1).double() @ keys[item].permute(1, 2, 0).double()
        found = attention.weights(None, item)
        torch.testing.assert_close(found[:, :n, :m].double(), scores.softmax(-1), atol=1e-5, rtol=0)
        assert (found[:, :n, m:] == 0).all()
        states = attention.row_state(0, item).tolist()
        assert states == [RowState.NORMAL] * n + [RowState.MASKED] * (5 - n)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_transformer_encoder_with_padding_on_its_nested_fast_path():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=True).eval()
    x, absent = torch.randn(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    with torch.no_grad():
        plain = model(x, src_key_padding_mask=absent)
        with attnviz.capture(model) as trace:
            recorded = model(x, src_key_padding_mask=absent)
    torch.testing.assert_close(plain[~absent], recorded[~absent], atol=1e-5, rtol=0)
    assert [found.name for found in trace] == ["layers.0.self_attn", "layers.1.self_attn"]
    assert all(found.check.agrees for found in trace)
    assert (trace[0].weights(None, 1)[:, :, 3:] == 0).all()
    _, right = model.layers[0].self_attn(x, x, x, key_padding_mask=absent, average_attn_weights=False)
    torch.testing.assert_close(trace[0].weights(None, 0), right[0], atol=1e-5, rtol=0)
