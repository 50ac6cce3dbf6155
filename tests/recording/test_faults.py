"""What a stranger did to recordings, and what must come of it."""

import copy
import io

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz
from attnviz.base.errors import InputError
from attnviz.recording.routing import recordings


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.packed = nn.Linear(16, 48)

    def rows(self, x):
        return self.packed(x).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)

    def forward(self, x):
        query, key, value = self.rows(x)
        return ((query @ key.mT / 8**0.5).softmax(-1) @ value).transpose(1, 2).flatten(2)


def vectors():
    return torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    "run",
    [
        lambda model, x: torch.func.grad(lambda one: model(one).sum())(x),
        lambda model, x: torch.func.jvp(model, (x,), (x,))[1],
        lambda model, x: torch.vmap(model)(x[None]),
    ],
    ids=["grad", "jvp", "vmap"],
)
def test_transforms_of_torch_func_go_on_and_are_said(run):
    model, x = Model(), vectors()
    plain = run(model, x)
    with attnviz.capture(model) as trace:
        recorded = run(model, x)
    assert torch.equal(plain, recorded)
    assert len(trace) == 0
    assert ["torch.func" in str(note) for note in trace.notes] == [True]


def test_what_runs_beside_a_transform_is_recorded():
    model, x = Model(), vectors()
    with attnviz.capture(model) as trace:
        torch.vmap(model)(x[None])
        model(x)
    assert [found.shape for found in trace] == [(5, 5)]


class Words:
    """A tokenizer as the package tokenizers has it."""

    def id_to_token(self, token):
        return ("zero", "one", "two")[token]


class Ids(Model):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(3, 16)

    def forward(self, input_ids):
        return super().forward(self.embedding(input_ids))


def test_any_tokenizer_that_knows_its_ids_names_the_tokens():
    with attnviz.capture(model := Ids(), tokenizer=Words()) as trace:
        model(torch.tensor([[2, 0, 1]]))
    assert trace[0].key_tokens.texts == ("two", "zero", "one")


def test_what_is_no_tokenizer_is_refused_before_the_model_runs():
    with pytest.raises(InputError, match="float is no tokenizer"), attnviz.capture(Ids(), tokenizer=1.5):
        pytest.fail("the block began")


def test_a_copy_made_within_the_block_can_be_saved_and_records_nothing():
    model, x = Model(), vectors()
    with attnviz.capture(model) as trace:
        copied = copy.deepcopy(model)
        torch.save(model, io.BytesIO())
        torch.save(copied, io.BytesIO())
        copied(x)
        model(x)
    assert [found.name for found in trace] == ["Model"]


def test_blocks_of_generators_may_end_in_any_order():
    model, x = Model(), vectors()

    def block():
        with attnviz.capture(model) as trace:
            yield trace

    first, second = block(), block()
    closed = next(first)
    next(second)
    first.close()
    second.close()
    assert recordings() == ()
    with attnviz.capture(model):
        model(x)
    assert len(closed) == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_weights_that_are_scaled_afterwards_are_found_out_in_every_type(dtype):
    class Gated(Model):
        def forward(self, x):
            query, key, value = self.rows(x)
            weights = (query @ key.mT / 8**0.5).softmax(-1)
            return ((weights * x.mean(-1)[:, None, :, None].sigmoid()) @ value).transpose(1, 2).flatten(2)

    torch.manual_seed(0)
    plain, gated, x = Model().to(dtype), Gated().to(dtype), vectors().to(dtype)
    with torch.no_grad(), attnviz.capture(plain) as trace:
        plain(x)
    assert trace[0].check.agrees
    with torch.no_grad(), attnviz.capture(gated) as trace:
        gated(x)
    assert not trace[0].check.agrees


def test_a_low_bias_does_not_excuse_a_difference():
    class Low(Model):
        def forward(self, x):
            query, key, value = self.rows(x)
            weights = (query @ key.mT / 8**0.5 + torch.tensor([0.0, 0.0, 0.0, 0.0, -1e6])).softmax(-1)
            return ((weights * 0.75) @ value).transpose(1, 2).flatten(2)

    torch.manual_seed(0)
    with torch.no_grad(), attnviz.capture(model := Low()) as trace:
        model(vectors())
    assert not trace[0].check.agrees


def test_guessing_ahead_cannot_be_put_together():
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=32, pad_token_id=0
    )
    model = LlamaForCausalLM(config).eval()
    model.generation_config.eos_token_id = None
    prompt = torch.randint(5, 60, (1, 12)).repeat(1, 2)
    options = {"max_new_tokens": 6, "prompt_lookup_num_tokens": 3, "do_sample": False}
    plain = model.generate(prompt, **options)
    with attnviz.capture(model, generation="stitch") as trace:
        recorded = model.generate(prompt, **options)
    assert torch.equal(plain, recorded)
    assert len(trace) == 0
    assert ["do not follow one another" in str(note) for note in trace.notes] == [True]


def test_blocks_of_a_text_are_no_items_of_the_batch(tiny):
    """Windows that cannot be placed are said, and their layer belongs where its name says."""

    class Encoder(nn.Module):
        def forward(self, rows):
            blocks = rows.new_tensor(rows.flatten().tolist()).view(4, 1, 2, 8)
            return F.scaled_dot_product_attention(blocks, blocks, blocks, is_causal=True).view(1, 8, 8)

    class Texts(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.encoder = nn.Embedding(9, 8), Encoder()

        def forward(self, input_ids):
            return self.encoder(self.embedding(input_ids))

    with torch.no_grad(), attnviz.capture(model := Texts()) as trace:
        model(torch.arange(8)[None])
    assert (trace[0].items, trace[0].role) == (4, "encoder")
    assert ["items of their own" in str(note) for note in trace.notes] == [True]
