import dataclasses
import json

import pytest

from attnviz.base.errors import InputError
from attnviz.selection import Selection


def test_a_selection_survives_json():
    selection = Selection(role="cross", layer=3, head="maximum", item=2, query=7, key=None, hide_special=True)
    assert Selection.from_json(json.loads(json.dumps(selection.to_json()))) == selection


def test_what_is_left_out_has_its_default():
    assert Selection.from_json({"layer": 4}) == Selection("encoder", 4, 0, 0, None, None, hide_special=False)


def test_equal_selections_are_one_key_of_a_cache_and_cannot_change():
    assert {Selection(layer=1): "a"}[Selection(layer=1)] == "a"
    with pytest.raises(dataclasses.FrozenInstanceError):
        Selection().layer = 1


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "encoder",
        {"unknown": 1},
        {1: 2},
        {"role": "Encoder"},
        {"role": ["encoder"]},
        {"layer": -1},
        {"layer": 1.0},
        {"layer": True},
        {"layer": "1"},
        {"layer": None},
        {"layer": 2**31},
        {"head": "sum"},
        {"head": None},
        {"head": False},
        {"item": None},
        {"query": -1},
        {"key": "0"},
        {"hide_special": 1},
    ],
)
def test_anything_else_is_refused_in_one_sentence(data):
    with pytest.raises(InputError) as caught:
        Selection.from_json(data)
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(InputError) as caught:
        Selection.from_json({"role": "x" * 100_000})
    assert len(str(caught.value)) < 200
