import pytest

from attnviz.base.errors import InputError
from attnviz.cost.layer import Layer


def test_a_head_is_its_share_of_the_width_and_grouped_keys_have_fewer():
    layer = Layer(width=4096, heads=32, kv_heads=8)
    assert layer.head_width == 128
    assert layer.kv_width == 1024


@pytest.mark.parametrize(
    ("fields", "word"),
    [({"width": 100, "heads": 3, "kv_heads": 3}, "100"), ({"heads": 8, "kv_heads": 3}, "3"), ({"width": 0}, "width")],
)
def test_what_does_not_divide_is_one_sentence(fields, word):
    with pytest.raises(InputError, match=word):
        Layer(**fields)
