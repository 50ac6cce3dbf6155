"""What the components' Python side packs, echoes and refuses; the browser's side is tested in a browser."""

import json
import math

import plotly.graph_objects as go
import pytest

from attnviz.base.errors import InputError
from attnviz.ui.address import ADDRESS_LIMIT
from attnviz.ui.components import ChartClick, ChartDrag, address, chart, mount


def unpacked(packed: bytes) -> tuple[dict, list[bytes]]:
    length = int.from_bytes(packed[:4], "little")
    header, at, parts = json.loads(packed[4 : 4 + length]), 4 + length, []
    for size in header["parts"]:
        parts.append(packed[at : at + size])
        at += size
    assert at == len(packed)
    return header, parts


@pytest.fixture
def shown(monkeypatch) -> dict:
    """What a component was asked to show; `shown["receive"]` stands for the browser's answers."""
    seen: dict = {}

    def show(self, key, data, receive=None):
        seen.update(key=key, data=data, receive=receive)

    monkeypatch.setattr(mount.Component, "show", show)
    return seen


def figure() -> go.Figure:
    return go.Figure(go.Scatter(x=[0, 1], y=[0, 1]))


def test_packing_keeps_header_and_parts_apart():
    header, parts = unpacked(mount.pack({"name": "ü"}, b"", b"\x00\xff", b"abc"))
    assert header == {"name": "ü", "parts": [0, 2, 3]}
    assert parts == [b"", b"\x00\xff", b"abc"]


def test_a_chart_sends_every_figure_without_its_template(shown):
    made = figure()
    chart("key", {"one": made, "two": made}, descriptions={"one": "1", "two": "2"}, height={"one": 100, "two": 200})
    header, parts = unpacked(shown["data"])
    assert [(entry["name"], entry["height"]) for entry in header["figures"]] == [("one", 100), ("two", 200)]
    assert all("template" not in json.loads(part)["layout"] for part in parts)
    assert made.layout.template.layout.colorway is not None  # the caller's own figure is left alone


def test_clicks_and_drags_are_read_from_messages(shown):
    clicks: list[ChartClick] = []
    drags: list[ChartDrag] = []
    chart("key", {"one": figure()}, descriptions={"one": ""}, on_click=clicks.append, on_drag=drags.append)
    shown["receive"]({"kind": "click", "figure": "one", "x": 1, "y": "b", "z": 0.5, "trace": 0, "point": [2, 3]})
    shown["receive"]({"kind": "drag", "figure": "one", "handle": "query:0", "x": 1, "y": -2.5, "done": True})
    assert clicks == [ChartClick("one", 1, "b", 0.5, 0, (2, 3), None)]
    assert drags == [ChartDrag("one", "query:0", 1.0, -2.5, True)]


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "drag", "figure": "another", "handle": "a", "x": 1, "y": 1},
        {"kind": "drag", "figure": "one", "handle": "a", "x": "1", "y": 1},
        {"kind": "drag", "figure": "one", "handle": "a", "x": math.nan, "y": 1},
        {"kind": "drag", "figure": "one", "handle": "a", "x": 1},
        {"kind": "drag", "figure": "one", "handle": "a", "x": 1, "y": math.inf},
        {"kind": "click", "figure": "one", "trace": 0, "point": "2"},
        {"kind": "click", "figure": "one", "trace": 0, "point": [1, 2, 3]},
        {"kind": "click", "figure": "one", "trace": None, "point": 1},
        {"kind": "click"},
        {},
    ],
)
def test_a_message_that_no_browser_of_ours_sends_is_dropped(shown, message):
    called: list[object] = []
    chart("key", {"one": figure()}, descriptions={"one": ""}, on_click=called.append, on_drag=called.append)
    shown["receive"](message)
    assert called == []


def test_an_address_beyond_its_limit_is_refused(shown):
    address("key", {"view": "a" * ADDRESS_LIMIT})
    assert shown["data"] == {"query": {"view": "a" * ADDRESS_LIMIT}}
    with pytest.raises(InputError, match=str(ADDRESS_LIMIT + 1)):
        address("key", {"view": "a" * (ADDRESS_LIMIT + 1)})
