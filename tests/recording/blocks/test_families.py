"""Followed vectors against what the same models say themselves: their hidden states, and what their modules give."""

from collections import defaultdict
from copy import deepcopy

import pytest
import torch

import attnviz
from tests.recording.blocks.models import FAMILIES, inputs_of


@pytest.fixture(params=FAMILIES, name="family", scope="module")
def _family(request):
    expected = FAMILIES[request.param]
    model = expected.build()
    with torch.no_grad():
        # A small random part adds next to nothing; larger weights make it matter.
        for name, parameter in model.named_parameters():
            parameter.mul_(4.0) if parameter.ndim == 2 and "embed" not in name else None
            # Norms begin as 1 and 0, which would prove little.
            parameter.add_(0.3 * torch.randn_like(parameter)) if parameter.ndim == 1 else None
    return expected, model, inputs_of(expected, model)


def first(output):
    while not torch.is_tensor(output):
        output = output[0]
    return output


def run_with_hooks(model, inputs):
    """What each module gave in each of its calls."""
    gave = defaultdict(list)

    def hook(name):
        # Some models add to what a module gave in place.
        return lambda _module, _args, output: gave[name].append(first(output).clone())

    handles = [module.register_forward_hook(hook(name)) for name, module in model.named_modules()]
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True)
    for handle in handles:
        handle.remove()
    return gave, output


def follow(model, inputs, **options):
    with torch.no_grad(), attnviz.follow(model, **options) as stream:
        output = model(**inputs)
    return stream, output


def test_every_layer_is_found_and_leaves_what_the_model_says(family):
    expected, model, inputs = family
    gave, output = run_with_hooks(model, inputs)
    stream, again = follow(model, inputs, item=1)
    assert torch.equal(again[0], output[0])
    assert stream.names == tuple(expected.streams)
    assert not stream.notes
    for name, where in expected.streams.items():
        layers = stream.of(name)
        assert [layer.number for layer in layers] == [0, 1]
        calls = defaultdict(int)
        for layer in layers:
            mine = gave[layer.name][calls[layer.name]][1]
            calls[layer.name] += 1
            assert torch.equal(layer.left, mine.flatten(0, -2))
        if where:
            states = output[where]
            assert torch.equal(layers[0].came_in, states[0][1])
            assert torch.equal(layers[1].came_in, states[1][1])
            assert torch.equal(layers[0].left, states[1][1])


def test_what_is_carried_and_added_adds_up_to_what_leaves(family):
    expected, model, inputs = family
    near = 1e-6
    if not expected.single:
        near, model = 1e-13, deepcopy(model).double()
        inputs = {name: value.double() if value.is_floating_point() else value for name, value in inputs.items()}
    stream, _ = follow(model, inputs)
    assert len(stream) >= 2
    for layer in stream:
        for summands, left in [(layer.summands, layer.left), *((step.summands, step.left) for step in layer.steps)]:
            difference = sum(summand.vector for summand in summands) - left
            assert (difference.norm(dim=-1) / left.norm(dim=-1)).max() < near
        assert torch.equal(layer.steps[-1].left, layer.left)
        assert layer.error < near
        torch.testing.assert_close(layer.shares().share.sum(0), torch.ones(len(layer.left), dtype=torch.float64))


def test_parts_and_norms_are_told_by_what_runs(family):
    expected, model, inputs = family
    stream, _ = follow(model, inputs)
    layer = stream.of(stream.names[-1])[0]
    assert [(part.kind, part.name.removeprefix(f"{layer.name}.")) for part in layer.parts] == expected.parts
    assert [tuple(step.normalised) for step in layer.steps] == expected.normalised


def test_what_a_part_adds_is_what_its_module_gave(family):
    _, model, inputs = family
    gave, _ = run_with_hooks(model, inputs)
    stream, _ = follow(model, inputs)
    layer = stream.of(stream.names[-1])[0]
    for step in layer.steps:
        for part in step.parts:
            mine = gave[part.name][0].reshape(2, *part.added.shape)[0]
            # A norm or a scale between a module and the stream changes what it gave.
            if step.normalised.of_part or "layer_scale1" in str(model):
                continue
            if "Swin" in str(model):  # whose attention gives windows, one after the other
                assert torch.equal(part.added.flatten().sort().values, mine.flatten().sort().values)
            else:
                assert torch.equal(part.added, mine)
