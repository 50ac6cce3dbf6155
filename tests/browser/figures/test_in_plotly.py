"""What plotly.js itself makes of the figures: labels, hovering and clicks, in Chromium."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import plotly
import plotly.graph_objects as go
import pytest
import torch
from playwright.sync_api import Browser, Page

from attnviz.figures import alignment_lines, alignment_map, effect_map, heatmap, token_lines
from attnviz.tokens import Tokens

pytestmark = pytest.mark.browser

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"

DRAW = """async ([text, width]) => {
  const { data, layout } = JSON.parse(text);
  window.clicked = [];
  await Plotly.react(figure, data, { ...layout, width });
  figure.on("plotly_click", ({ points }) => clicked.push(Array.from(points[0].customdata)));
}"""

PLACE = """([x, y]) => {
  const { xaxis, yaxis } = figure._fullLayout, { left, top } = figure.getBoundingClientRect();
  return [left + xaxis._offset + xaxis.d2p(x), top + yaxis._offset + yaxis.d2p(y)];
}"""


@pytest.fixture(scope="module")
def blank(chromium: Browser) -> Iterator[Page]:
    """An empty page with plotly.js."""
    page = chromium.new_page(viewport={"width": 820, "height": 1600})
    page.set_content("<div id=figure></div>")
    page.add_script_tag(path=PLOTLY)
    yield page
    page.close()


@pytest.fixture
def draw(blank: Page) -> Callable[..., Page]:
    """Draws a figure on the page in place of the one before."""

    def drawn(figure: go.Figure, width: int = 800) -> Page:
        blank.evaluate("Plotly.purge(figure)")
        blank.evaluate(DRAW, [figure.to_json(), width])
        return blank

    return drawn


def hovered(page: Page, x: float, y: float) -> str:
    """The text that appears with the pointer at these coordinates of the axes."""
    left, top = page.evaluate(PLACE, [x, y])
    page.mouse.move(0, 0)
    page.locator(".hoverlayer .hovertext").wait_for(state="detached")
    page.mouse.move(left - 2, top)
    page.mouse.move(left, top)
    return page.locator(".hoverlayer .hovertext").first.text_content() or ""


def uniform(count: int) -> torch.Tensor:
    return torch.full((count, count), 1 / count)


def test_markup_in_tokens_is_shown_as_it_is(draw):
    words = Tokens(("<s>", "a&b", "$x$", "<b>the</b>"))
    page = draw(heatmap(uniform(4), query_tokens=words, key_tokens=words))
    assert page.locator(".xtick text").all_text_contents() == ["<s>", "a&b", "$x$", "<b>the</b>"]
    page = draw(token_lines(uniform(4), query_tokens=words, key_tokens=words))
    assert [text.strip() for text in page.locator(".textpoint text").all_text_contents()] == list(words.texts) * 2


def test_hovering_names_tokens_whose_label_is_not_written_and_does_not_take_a_token_for_a_position(draw):
    """Of 80 labels only some are written. The token at position 3 is the text "7"."""
    words = Tokens(tuple("7" if position == 3 else f"word{position}" for position in range(80)))
    page = draw(heatmap(uniform(80), query_tokens=words, key_tokens=words))
    assert len(page.locator(".xtick text").all()) < 80
    said = hovered(page, 3, 41)
    assert "query word41 (position 41)" in said
    assert "key 7 (position 3)" in said
    assert "weight 0.0125" in said
    assert "key word7 (position 7)" in hovered(page, 7, 41)


def test_equal_tokens_are_two_cells(draw):
    page = draw(heatmap(torch.tensor([[0.25, 0.75]]), query_tokens=["q"], key_tokens=["the", "the"]))
    assert "weight 0.25" in hovered(page, 0, 0)
    assert "weight 0.75" in hovered(page, 1, 0)


def test_clicks_tell_positions(draw):
    page = draw(heatmap(uniform(4), rows=(1, 3), cols=(0, 2)))
    page.mouse.click(*page.evaluate(PLACE, [1, 1]))
    page.wait_for_function("clicked.length === 1")
    assert page.evaluate("clicked")[0] == [3, 2, 0.25, 0.25]


def test_a_click_anywhere_on_a_label_tells_its_side_and_position(draw):
    page = draw(token_lines(uniform(4), query=1, query_tokens=["abcdefgh"] * 4))
    for x, y, expected in ((0, 2, ["query", 2]), (-0.2, 2, ["query", 2]), (1.1, 3, ["key", 3])):
        before = page.evaluate("clicked.length")
        hovered(page, x, y)
        page.mouse.click(*page.evaluate(PLACE, [x, y]))
        page.wait_for_function("before => clicked.length > before", arg=before)
        assert page.evaluate("clicked.at(-1)") == expected


@pytest.mark.parametrize("picture", [alignment_map, effect_map])
@pytest.mark.parametrize("links", [{"sure": {(0, 0)}}, {"sure": {(0, 0)}, "possible": {(1, 0)}}])
def test_where_the_legend_of_gold_needs_lines_the_axis_title_stays_below_the_words(draw, picture, links):
    page = draw(picture(torch.rand(2, 3), ["the", "black", "cat"], ["le", "chat"], **links), 260)
    title, words, legend = page.evaluate(
        """() => {
            const box = one => one.getBoundingClientRect();
            return [box(figure.querySelector(".xtitle")).top,
                    Math.max(...[...figure.querySelectorAll(".xtick text")].map(one => box(one).bottom)),
                    box(figure.querySelector(".legend")).height];
        }"""
    )
    assert legend > 40  # one line has 30
    assert title >= words - 1


@pytest.mark.parametrize("picture", [alignment_lines, alignment_map])
@pytest.mark.parametrize("words", [3, 9])
def test_a_title_as_wide_as_the_picture_of_an_alignment_is_whole(draw, picture, words):
    title = "Трансформер · слой 1, среднее по головам (4) · свободно: жадно"
    figure = picture(torch.rand(words, words), ["catches"] * words, ["уставший"] * words, title=title)
    box = (
        "() => { const {left, width} = figure.querySelector('.gtitle').getBoundingClientRect(); return [left, width]; }"
    )
    width = math.ceil(draw(figure).evaluate(box)[1]) + 2
    left, _ = draw(figure, width).evaluate(box)
    edge = draw(figure, width).evaluate("() => figure.getBoundingClientRect().left")
    assert 0 <= left - edge <= 2
