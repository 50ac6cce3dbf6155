"""Key heads that several query heads share, against PyTorch's `enable_gqa` and against keys that are repeated."""

import pytest
import torch

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.grouped import grouped_attention, mean_of_groups
from attnviz.base.errors import InputError


@pytest.fixture
def grouped():
    generator = torch.Generator().manual_seed(3)
    shapes = ((6, 10, 4), (2, 12, 4), (2, 12, 5))
    return tuple(torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in shapes)


def test_it_is_pytorchs(grouped, sdpa, close):
    close(grouped_attention(*grouped), sdpa(*grouped, enable_gqa=True))


def test_it_is_attention_with_keys_repeated(grouped, sdpa, close):
    query, key, value = grouped
    repeated = (each.repeat_interleave(3, 0) for each in (key, value))
    close(grouped_attention(query, key, value), sdpa(query, *repeated))


def test_without_the_flag_one_key_head_is_broadcast_and_two_are_refused(grouped, sdpa, close):
    query, key, value = grouped
    close(sdpa(query, key[:1], value[:1]), grouped_attention(query, key[:1], value[:1]))
    with pytest.raises(RuntimeError):
        sdpa(query, key, value)


def test_the_heads_of_a_group_are_averaged():
    heads = torch.tensor([[[1.0]], [[3.0]], [[10.0]], [[20.0]]])
    assert mean_of_groups(heads, 2).flatten().tolist() == [2, 15]
    assert mean_of_groups(heads, 1).flatten().tolist() == [8.5]


def test_with_a_key_head_for_each_query_head_it_is_full_attention(close):
    inputs = Inputs.drawn(dtype=torch.float64)
    settings = Settings(heads=4, kv_heads=4)
    close(kind("grouped").run(inputs, settings).output, kind("self").run(inputs, settings).output)


@pytest.mark.parametrize(("kv_heads", "state"), [(8, 1024), (2, 256), (1, 128)])
def test_the_cache_shrinks_with_the_key_heads(kv_heads, state):
    """32 positions, width 16: 2 · 32 · 16 = 1,024 numbers with 8 heads of 2."""
    found = kind("grouped").run(Inputs.drawn(32), Settings(heads=8, kv_heads=kv_heads))
    assert found.state == state
    assert (found.attention.heads, found.attention.kv_heads) == (8, kv_heads)
    assert int(found.live.sum()) == 32 * 32


def test_heads_that_do_not_divide_are_refused():
    with pytest.raises(InputError, match="4 query heads cannot share 3 key heads"):
        kind("grouped").run(Inputs.drawn(), Settings(heads=4, kv_heads=3))
