"""The example of docs/recording.md, run on the sample model."""

import re
from pathlib import Path

import pytest
import torch

import attnviz
from attnviz.models import load

PAGE = Path(__file__).parents[3] / "docs" / "recording.md"


def test_the_example_runs_and_says_what_it_says():
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(with attnviz\.follow.*?)```", text, re.DOTALL)
    sample = load("minilm")
    encoding, _ = sample.encode("The black cat sat on the mat.")
    names = {"attnviz": attnviz, "model": sample.module, "inputs": {k: torch.tensor(v) for k, v in encoding.items()}}
    with torch.no_grad():
        exec(code, names)  # noqa: S102  our own documentation
    stream, layer, without = names["stream"], names["layer"], names["without"]
    assert len(stream) == 6
    assert [summand.kind for summand in layer.summands] == ["carried", "attention", "feed-forward", "bias"]
    assert layer.left.shape == (1, 384)
    assert float(layer.shares().share[:, 0].sum()) == pytest.approx(1.0)
    assert stream.error == pytest.approx(2e-7, abs=1e-7)
    assert without[1].part("attention").added.abs().max() == 0.0
    assert not torch.equal(without.output, stream.output)


def test_hidden_states_of_the_sample_model_are_the_stream():
    sample = load("minilm")
    encoding, _ = sample.encode("The black cat sat on the mat.")
    inputs = {name: torch.tensor(ids) for name, ids in encoding.items()}
    with torch.no_grad(), attnviz.follow(sample.module) as stream:
        states = sample.module(**inputs, output_hidden_states=True).hidden_states
    assert torch.equal(stream[0].came_in, states[0][0])
    for layer, state in zip(stream, states[1:], strict=True):
        assert torch.equal(layer.left, state[0])
