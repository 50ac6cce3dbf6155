"""What the benchmark of kinds compares: the same inputs, forms that give what their names say, one result for each."""

import pytest
import torch

from benchmarks import kinds


@pytest.fixture
def numbers():
    return kinds.inputs(256, torch.device("cpu"))


def test_fused_and_written_out_are_the_same_numbers(numbers):
    torch.testing.assert_close(
        kinds.FORMS[kinds.FUSED](*numbers), kinds.FORMS[kinds.FULL](*numbers), rtol=1e-4, atol=1e-5
    )


def test_the_window_is_the_same_as_a_mask_and_by_blocks(numbers):
    as_mask, by_blocks = (form for name, form in kinds.FORMS.items() if name.startswith("window"))
    torch.testing.assert_close(as_mask(*numbers), by_blocks(*numbers), rtol=1e-4, atol=1e-5)


def test_every_form_is_told_at_every_size_with_its_memory_and_its_growth():
    sizes = (64, 128, 192)
    results = kinds.measure(sizes, rounds=1)
    told = [result.name for result in results]
    for n in sizes:
        for name in kinds.FORMS:
            assert told.count(f"{name}, {n} tokens") == {kinds.FULL: 0, kinds.FUSED: 2}.get(name, 1)
    assert [name for name in told if name.endswith("growth")] == [f"{name}, growth" for name in kinds.FORMS]
    memory = [result for result in results if result.unit == "× the memory of full attention"]
    # Written out, n × n scores, their scaled copy and weights come to the n × 64 outputs: less with more tokens.
    assert memory[0].median > memory[1].median > memory[2].median


def test_two_sizes_have_no_growth():
    with pytest.raises(ValueError, match="at least 3"):
        kinds.measure((64, 128), rounds=1)
