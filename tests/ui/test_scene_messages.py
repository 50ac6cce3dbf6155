"""What the scene and the sliders send to the browser, and what of its answers they believe."""

import json

import pytest
import streamlit as st

from attnviz.figures import thickness
from attnviz.ui.components import (
    SceneAdd,
    SceneHead,
    SceneHeadSwitch,
    ScenePlace,
    SceneRemove,
    SceneRename,
    SceneSelect,
    SceneUser,
    SliderGroup,
    SliderNumber,
    mount,
    scene,
    sliders,
)

EGO = SceneUser("ego", "ego car", "car", 0.0, -9.0, 90.0, 4.3, 1.8, "ego car")
PARKED = SceneUser("parked", "parked car", "parked-car", 9.0, 4.0, 0.0, 4.3, 1.8, "parked car: weight 0.009532")


@pytest.fixture
def shown(monkeypatch) -> dict:
    seen: dict = {}

    def show(self, key, data, receive=None):
        length = int.from_bytes(data[:4], "little")
        seen.update(header=json.loads(data[4 : 4 + length]), receive=receive)

    monkeypatch.setattr(mount.Component, "show", show)
    monkeypatch.setattr(st, "session_state", {})
    return seen


@pytest.fixture
def said(shown):
    events: list = []
    scene("key", EGO, [PARKED], [SceneHead("")], {"parked": [0.009532]}, description="", on_event=events.append)
    return shown["receive"], events


def test_a_line_is_as_thick_as_the_house_says_and_has_its_number(shown):
    weights = {"parked": [0.009532, 1e-6, float("nan"), 0.0]}
    scene("key", EGO, [PARKED], [SceneHead(str(head)) for head in range(4)], weights, description="")
    small, tiny, missing, zero = shown["header"]["lines"]["parked"]
    assert small == {"weight": 0.009532, "width": thickness(0.009532), "text": "0.0095"}
    assert (tiny["width"], tiny["text"]) == (thickness(1e-6), "1.0·10⁻⁶")
    assert tiny["width"] >= 0.8
    assert missing == {"weight": None, "width": 0.0, "text": "NaN"}
    assert zero["text"] == "0"


@pytest.mark.parametrize(
    ("message", "event"),
    [
        ({"kind": "select", "id": "parked"}, SceneSelect("parked")),
        ({"kind": "select", "id": "ego"}, SceneSelect("ego")),
        ({"kind": "place", "id": "ego", "x": 1, "y": 2.5, "heading": -90, "done": True}, ScenePlace("ego", 1.0, 2.5, -90.0, True)),
        ({"kind": "add", "what": "child", "x": 1, "y": 2}, SceneAdd("child", 1.0, 2.0)),
        ({"kind": "remove", "id": "parked"}, SceneRemove("parked")),
        ({"kind": "rename", "id": "parked", "name": "  van  "}, SceneRename("parked", "van")),
        ({"kind": "rename", "id": "parked", "name": "x" * 500}, SceneRename("parked", "x" * 60)),
        ({"kind": "rename", "id": "parked", "name": "   "}, SceneRename("parked", "")),
        ({"kind": "rename", "id": "parked", "name": "a\ud800b"}, SceneRename("parked", "ab")),
        ({"kind": "head", "head": 0}, SceneHeadSwitch(0)),
    ],
)  # fmt: skip
def test_what_makes_sense_is_believed(said, message, event):
    receive, events = said
    receive(message)
    assert events == [event]


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"kind": "select", "id": "nobody"},
        {"kind": "select", "id": ["parked"]},
        {"kind": "place", "id": "parked", "x": "1", "y": 2, "heading": 0},
        {"kind": "place", "id": "parked", "x": float("nan"), "y": 2, "heading": 0},
        {"kind": "place", "id": "parked", "x": float("inf"), "y": 2, "heading": 0},
        {"kind": "place", "id": "parked", "x": True, "y": 2, "heading": 0},
        {"kind": "add", "what": "tank", "x": 1, "y": 2},
        {"kind": "add", "what": "car", "x": None, "y": 2},
        {"kind": "remove", "id": "ego"},
        {"kind": "rename", "id": "ego", "name": "x"},
        {"kind": "rename", "id": "parked", "name": 3},
        {"kind": "head", "head": 1},
        {"kind": "head", "head": True},
        {"kind": "head", "head": "0"},
    ],
)
def test_what_makes_none_is_not(said, message):
    receive, events = said
    receive(message)
    assert events == []


NUMBER = SliderNumber("key:0", "key · 1", "key · 1", 0.0, -4.0, 4.0, floor=-10.0, ceiling=10.0)


def test_a_number_is_kept_within_its_bounds(shown):
    heard: list = []
    sliders("key", [SliderGroup("", [NUMBER])], description="", on_number=lambda *said: heard.append(said))
    for value in (3, 99, -99, "3", None, True, float("nan")):
        shown["receive"]({"kind": "number", "id": "key:0", "value": value})
    shown["receive"]({"kind": "number", "id": "other", "value": 1})
    assert heard == [("key:0", 3.0), ("key:0", 10.0), ("key:0", -10.0)]
