"""Examples that several figures draw, and how to read a figure as plotly.js would."""

import html
import re

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from attnviz.attention import Attention, Causal, by_hand
from attnviz.tokens import Tokens


class Plotted:
    """What plotly.js makes of a figure."""

    @staticmethod
    def trace(figure: go.Figure, name: str) -> go.Scatter:
        """The one trace of this name."""
        (found,) = [one for one in figure.data if one.name == name]
        return found

    @staticmethod
    def seen(label: str) -> str:
        """What a label looks like once tags and entities are taken for markup."""
        return html.unescape(re.sub(r"<[^>]*>", "", label))

    @staticmethod
    def printed(figure: go.Figure, rows: int, columns: int) -> list[list[str]]:
        """The text in each cell, whatever trace prints it."""
        cells = [["" for _ in range(columns)] for _ in range(rows)]
        for one in figure.data:
            if one.type == "heatmap" and one.texttemplate:
                for row, column in np.argwhere(np.isfinite(np.asarray(one.z, dtype=float))):
                    cells[row][column] += one.text[row][column].strip()
            if one.type == "scatter" and one.mode == "text":
                for x, y, text in zip(one.x, one.y, one.text, strict=True):
                    cells[int(y)][int(x)] += text
        return cells


@pytest.fixture(scope="session")
def plotted():
    return Plotted


@pytest.fixture
def words():
    """Labels that make trouble: markup, and the same word twice."""
    return Tokens(("<s>", "the", "a&b", "the"))


@pytest.fixture
def causal(words):
    """Four tokens that may only look back."""
    query, key = torch.randn(2, 4, 8, generator=torch.Generator().manual_seed(0)).unbind(0)
    return Attention.from_qk(query, key, mask=Causal(), query_tokens=words, key_tokens=words)


@pytest.fixture
def intersection():
    """The steps with weights 0.327, 0.663, 0.0095 and output 0.794."""
    return by_hand.steps(
        torch.tensor([[1.0, 2.0]]),
        torch.tensor([[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0]]),
        torch.tensor([[0.6], [0.9], [0.1]]),
    )


@pytest.fixture(autouse=True)
def every_figure_is_checked_by_plotly(monkeypatch):
    """What figures leave out for speed: Plotly's own check of every attribute."""
    from attnviz.figures import plot

    unchecked = plot.figure

    def checked(traces, layout):
        found = unchecked(traces, layout)
        go.Figure(found.to_dict())
        return found

    monkeypatch.setattr(plot, "figure", checked)
