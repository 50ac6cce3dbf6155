"""A picture and a crossing of which some have become one."""

import numpy as np
import pytest
import torch

from attnviz import figures
from attnviz.figures import Body, SharedTokens

GRID = (2, 3)
PICTURE = np.zeros((20, 30, 3), np.uint8)
BODIES = (
    Body("ego car", 0.0, -10.0, np.pi / 2, 4.3, 1.8),
    Body("child", 12.0, 3.0, -np.pi / 2, 0.7, 0.3),
    Body("parked car", 14.0, 5.0, 0.0, 4.3, 1.8),
    Body("van", -20.0, 1.7, 0.0, 5.5, 2.0),
)


def test_lines_run_where_the_tokens_change_and_nowhere_else(plotted):
    """0 0 1 over 0 0 −1: one border down the middle of the right, in two pieces, and one between 1 and −1."""
    figure = figures.merged_picture(PICTURE, GRID, torch.tensor([0, 0, 1, 0, 0, -1]), [""] * 6, framed=[2])
    lines = plotted.trace(figure, "borders")
    assert list(zip(lines.x, lines.y, strict=True)) == [
        (1.5, -0.5), (1.5, 0.5), (None, None), (1.5, 0.5), (1.5, 1.5), (None, None), (1.5, 0.5), (2.5, 0.5), (None, None),
    ]  # fmt: skip
    assert plotted.trace(figure, "patches").z.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert len(figure.layout.shapes) == 1


def test_the_picture_in_words_and_as_a_table():
    became = torch.tensor([0, 0, 1, 0, 0, -1])
    assert figures.describe_merged_picture(became) == (
        "Patches: 6. Tokens: 2; the largest stands for 4. Patches without a token: 1."
    )
    assert figures.table_merged_picture(GRID, became)["token"].tolist()[:5] == [0, 0, 1, 0, 0]
    assert figures.table_merged_picture(GRID, became)["patch"].tolist()[-1] == "2·3"


@pytest.fixture
def shared():
    return SharedTokens(((0,), (1, 2)), torch.tensor([0.25, 0.75]), people=(1,))


def test_who_shares_is_tied_together_and_who_is_gone_is_an_outline(shared, plotted):
    figure = figures.merged_street(BODIES, shared)
    assert list(plotted.trace(figure, "members").x) == [13.0, 12.0, None, 13.0, 14.0, None]
    assert plotted.trace(figure, "line").x == (0.0, 13.0)
    assert plotted.trace(figure, "line").line.width > plotted.trace(figure, "own").marker.line.width
    bodies = [one for one in figure.data if one.name == "body"]
    assert [one.line.dash for one in bodies] == ["solid", None, "solid", "dot"]
    assert [text.strip() for text in plotted.trace(figure, "users").text] == ["", "child", "", ""]
    assert plotted.trace(figure, "numbers").text == ("<b>0.250</b>", "<b>0.750</b> ×2")
    assert plotted.trace(figure, "users").hovertext[3] == "van: no token"


def test_a_person_alone_has_its_number_at_its_name(plotted):
    alone = SharedTokens(((0,), (1,), (2,)), torch.tensor([0.2, 0.5, 0.3]), people=(1,))
    figure = figures.merged_street(BODIES, alone)
    assert plotted.trace(figure, "users").text[1] == " child <b>0.500</b>"
    assert len(plotted.trace(figure, "numbers").text) == 2


def test_no_number_lies_on_what_it_belongs_to(plotted):
    """The parked car lies across: its number begins where it ends, 0.9 m north of its middle; the ego's at its side."""
    alone = SharedTokens(((0,), (1,), (2,), (3,)), torch.tensor([0.2, 0.5, 0.2, 0.1]), people=(1,))
    numbers = plotted.trace(figures.merged_street(BODIES, alone), "numbers")
    assert numbers.x[0] == pytest.approx(0.9)
    assert numbers.y[1] == pytest.approx(5.9)


def test_the_street_in_words_and_as_a_table(shared):
    assert figures.describe_merged_street(BODIES, shared) == (
        "2 tokens and their weights: ego car 0.250; child + parked car 0.750."
    )
    assert figures.table_merged_street(BODIES, shared)["stands for"].tolist() == [1, 2]
