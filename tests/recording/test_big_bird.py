"""BigBird in the positions of the text, against the dense weights that the model puts together itself."""

import pytest
import torch

import attnviz
from attnviz.attention import BlockBias, Blocks, RowState
from attnviz.recording.big_bird import times_chosen

LENGTH = 64


def text(length=LENGTH, padding=0):
    ids = torch.randint(3, 60, (2, length), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids)
    if padding:
        ids[1, -padding:], mask[1, -padding:] = 0, 0
    return {"input_ids": ids, "attention_mask": mask}


def both(model, inputs):
    """The trace, and the dense weights that every block sparse module gave in that same pass."""
    found = []
    handles = [
        module.register_forward_hook(lambda module, args, output: found.append(output[1]))
        for module in model.modules()
        if hasattr(module, "bigbird_block_sparse_attention")
    ]
    with torch.no_grad():
        plain = model(**inputs).last_hidden_state
        found.clear()
        with attnviz.capture(model) as trace:
            recorded = model(**inputs).last_hidden_state
    for handle in handles:
        handle.remove()
    assert torch.equal(plain, recorded)
    return trace, found


@pytest.mark.parametrize("padding", [0, 6])
def test_random_blocks_as_the_model_drew_them(tiny, padding):
    """While training, blocks are drawn; dropout is 0 here."""
    model, inputs = tiny("big_bird", "eager").train(), text(padding=padding)
    model.set_attn_implementation("eager")
    trace, weights = both(model, inputs)
    assert not trace.notes
    assert trace.layers("encoder") == (0, 1)
    drawn = []
    for found, expected in zip(trace, weights, strict=True):
        assert found.shape == (LENGTH, LENGTH)
        assert found.check.agrees
        for item in (0, 1):
            valid = inputs["attention_mask"][item].bool()
            assert (found.weights(None, item)[:, valid] - expected[item][:, valid]).abs().max() < 1e-5
            assert (found.row_state(0, item)[~valid] == RowState.MASKED).all()
        assert found.logits(None)[found.allowed(None)].abs().max() < 64
        assert found.weights(None).std() > 0.02
        drawn.append(found.allowed(None))
    # Each head draws its own blocks, and each layer.
    assert not torch.equal(drawn[0][0], drawn[0][1])
    assert not torch.equal(drawn[0], drawn[1])


def test_a_block_that_is_chosen_twice_counts_twice(tiny):
    """In inference all "random" blocks are the first one: with two of them it is there three times."""
    model, inputs = tiny("big_bird", "eager"), text()
    trace, weights = both(model, inputs)
    for found, once in zip(trace, weights, strict=True):
        assert isinstance(found.mask, Blocks)
        assert isinstance(found.scores.bias, BlockBias)
        # The model shows one of the three copies; all three go into its output, as the check says.
        times = torch.ones(LENGTH, LENGTH)
        times[4:-4, :4] = 3
        for item in (0, 1):
            assert (found.weights(None, item) - once[item] * times).abs().max() < 1e-5
        torch.testing.assert_close(found.weights(None).sum(-1), torch.ones(4, LENGTH))
        assert found.check.agrees
        # Row of the fourth block of queries: first, three around it, last.
        assert found.allowed(0)[13].view(16, 4).all(1).nonzero().flatten().tolist() == [0, 2, 3, 4, 15]


def test_which_blocks_are_looked_at():
    counts = times_chosen(torch.tensor([[[[5], [0], [5], [1], [2]]]]))[0, 0]
    assert counts.tolist() == [
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 0, 0, 1, 1],
        [2, 1, 1, 1, 0, 0, 1],
        [1, 0, 1, 1, 1, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 1, 1, 1],
        [1, 1, 1, 1, 1, 1, 1],
    ]


def test_memory_is_that_of_queries_and_keys(tiny):
    model = tiny("big_bird", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**text())
    products = 2 * 2 * LENGTH * 32 * 4
    # And a truth value and a number for each head and pair of blocks.
    assert trace[0].nbytes() == products + 4 * 16 * 16 * (1 + 4)


def test_a_trace_comes_back_from_its_file(tiny, tmp_path):
    trace, _ = both(tiny("big_bird", "eager"), text(padding=6))
    trace.save(tmp_path / "run.safetensors")
    for found, again in zip(trace, attnviz.load(tmp_path / "run.safetensors"), strict=True):
        assert torch.equal(found.weights(None, 1).nan_to_num(-1), again.weights(None, 1).nan_to_num(-1))


def test_values_give_the_output(tiny):
    model, found = tiny("big_bird", "eager"), []
    model.encoder.layer[1].attention.self.register_forward_hook(lambda module, args, output: found.append(output[0]))
    with torch.no_grad(), attnviz.capture(model, values=True) as trace:
        model(**text())
    torch.testing.assert_close(trace[1].output(None).transpose(0, 1).flatten(1), found[0][0], atol=1e-5, rtol=0)


def test_the_full_attention_of_short_texts_runs_as_before(tiny):
    model = tiny("big_bird", "eager")
    model.set_attention_type("original_full")
    inputs = text(length=20)
    with torch.no_grad():
        plain = model(**inputs).last_hidden_state
        with attnviz.capture(model) as trace:
            assert torch.equal(model(**inputs).last_hidden_state, plain)
    assert len(trace) == 2 or trace.notes
