"""What the matrix sends, and what it does not send again."""

import json

import numpy as np
import pytest
import streamlit as st

from attnviz.ui.components import MatrixAsk, MatrixClick, MatrixValue, matrix, mount


@pytest.fixture
def shown(monkeypatch) -> dict:
    seen: dict = {}

    def show(self, key, data, receive=None):
        length = int.from_bytes(data[:4], "little")
        header, at, parts = json.loads(data[4 : 4 + length]), 4 + length, []
        for size in header["parts"]:
            parts.append(data[at : at + size])
            at += size
        seen.update(header=header, parts=parts, receive=receive)

    monkeypatch.setattr(mount.Component, "show", show)
    monkeypatch.setattr(st, "session_state", {})
    return seen


CODES = np.arange(12, dtype=np.uint8).reshape(3, 4)


def test_codes_go_row_by_row_as_they_are(shown):
    matrix("key", CODES.T, description="")
    labels, codes, colours = shown["parts"]
    assert list(codes) == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    assert (shown["header"]["rows"], shown["header"]["columns"]) == (4, 3)
    assert json.loads(labels)["rowLabels"] == []
    assert len(colours) == 256 * 4


def test_codes_that_the_browser_has_are_not_sent_again_until_they_change(shown):
    matrix("key", CODES, description="", on_ask=lambda _: None)
    name = shown["header"]["name"]
    shown["receive"]({"kind": "ask", "row": 0, "column": 1, "held": name})
    matrix("key", CODES, description="", value=MatrixValue(0, 1, "exact"))
    assert shown["parts"][:2] == [b"", b""]
    assert shown["header"]["value"] == {"row": 0, "column": 1, "text": "exact"}
    changed = CODES.copy()
    changed[0, 0] = 99
    matrix("key", changed, description="")
    assert len(shown["parts"][1]) == 12
    # A label is part of what is held.
    matrix("key", CODES, description="", row_labels=["a", "b", "c"])
    assert len(shown["parts"][1]) == 12


def test_a_browser_that_has_lost_them_gets_them_again(shown):
    matrix("key", CODES, description="")
    shown["receive"]({"kind": "need", "held": shown["header"]["name"]})
    shown["receive"]({"kind": "need", "held": None})
    matrix("key", CODES, description="")
    assert len(shown["parts"][1]) == 12


def test_only_cells_of_the_matrix_are_reported(shown):
    said: list[object] = []
    matrix("key", CODES, description="", on_click=said.append, on_ask=said.append)
    for row, column in [(3, 0), (0, 4), (-1, 0), ("0", 0), (None, None), (0.5, 1)]:
        shown["receive"]({"kind": "click", "row": row, "column": column})
    shown["receive"]({"kind": "click", "row": 2, "column": 3})
    shown["receive"]({"kind": "ask", "row": 0, "column": 0})
    assert said == [MatrixClick(2, 3), MatrixAsk(0, 0)]
