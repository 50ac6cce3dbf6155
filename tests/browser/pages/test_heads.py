"""The Heads page as a person uses it."""

import re

import pytest
from playwright.sync_api import expect

import attnviz
from attnviz.ui.views.heads import HeadsView
from tests.browser.pages.sources import open_file

pytestmark = pytest.mark.browser

READY = ".attnviz-chart[data-attnviz-painted]"


@pytest.fixture
def heads(chromium_page, link):
    page = chromium_page(link(HeadsView(text="The black cat.")), height=1400)
    # Both pictures are there, so nothing moves any more.
    page.wait_for_selector(".attnviz-matrix[data-attnviz-painted]", timeout=120_000)
    page.wait_for_selector(READY, timeout=120_000)
    return page


def _cell(page, row, column):
    """Where a cell of the matrix is on the screen, scrolled into sight."""
    page.locator("[data-figure=matrix]").scroll_into_view_if_needed()
    return page.evaluate(
        """([row, column]) => {
            const plot = document.querySelector("[data-figure=matrix] .attnviz-plot");
            const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
            return [box.x + xaxis._offset + xaxis.d2p(column), box.y + yaxis._offset + yaxis.d2p(row)];
        }""",
        [row, column],
    )


def test_a_clicked_cell_selects_its_pair_and_zoom_survives(heads):
    zoomed = "document.querySelector('[data-figure=matrix] .attnviz-plot')._fullLayout.xaxis.range"
    whole = heads.evaluate(zoomed)
    heads.mouse.move(*_cell(heads, 1, 1))
    heads.mouse.down()
    heads.mouse.move(*_cell(heads, 4, 4), steps=5)
    heads.mouse.up()
    heads.wait_for_function(f"whole => {zoomed}[0] > whole[0] + 0.5", arg=whole)
    part = heads.evaluate(zoomed)
    # Plotly would take a press so soon after the last for a double click.
    heads.wait_for_function("since => performance.now() - since > 600", arg=heads.evaluate("performance.now()"))
    heads.mouse.click(*_cell(heads, 3, 2))
    heads.get_by_text("Query “cat” (3) gives key “black” (2) the weight").wait_for()
    assert heads.evaluate(zoomed) == part


def test_a_token_in_the_text_chooses_the_query(heads):
    heads.locator(".attnviz-token", has_text="cat").click()
    heads.get_by_text("What “cat” (3) looks at.").wait_for()


def test_a_map_of_the_overview_chooses_layer_and_head(heads):
    canvas = heads.locator("canvas").first
    canvas.scroll_into_view_if_needed()
    canvas.focus()
    heads.keyboard.press("ArrowDown")
    heads.keyboard.press("Enter")
    heads.wait_for_function("location.search.includes('view=')")


def test_a_trace_that_was_saved_opens_again(heads, tmp_path):
    with heads.expect_download() as waiting:
        heads.get_by_role("button", name="Save the trace").click()
    path = tmp_path / "run.safetensors"
    waiting.value.save_as(path)
    assert attnviz.load(path)[0].query_tokens.texts == ("[CLS]", "the", "black", "cat", ".", "[SEP]")
    heads.locator("textarea").first.fill("Another text altogether.")
    heads.keyboard.press("Control+Enter")
    heads.locator(".attnviz-token", has_text="altogether").wait_for(timeout=60_000)
    open_file(heads, path)
    heads.locator(".attnviz-token", has_text="cat").wait_for(timeout=60_000)


def test_a_file_that_is_no_trace_is_one_sentence_and_the_page_stays(heads, tmp_path):
    path = tmp_path / "broken.safetensors"
    path.write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00nonsense")
    open_file(heads, path)
    heads.locator('[data-testid="stAlert"]').wait_for()
    expect(heads.locator(".attnviz-token")).to_have_count(6)
    assert "Traceback" not in heads.content()


def test_more_tokens_than_a_figure_carries_are_drawn_on_a_canvas_with_exact_numbers(chromium_page, link):
    text = "The black cat crossed the street. " * 24
    page = chromium_page(link(HeadsView(text=text)), height=1600)
    page.locator(".attnviz-matrix[data-attnviz-painted]").nth(1).wait_for(timeout=120_000)
    canvas = page.locator(".attnviz-matrix canvas").nth(1)
    canvas.hover()
    page.get_by_text(re.compile(r"0\.\d+: “.+” \(\d+\) → “.+” \(\d+\)")).wait_for()


def test_markup_in_a_text_stays_text_in_every_picture(chromium_page, link):
    page = chromium_page(link(HeadsView(text="</script><img src=x onerror=alert(1)> <s>gone</s>")))
    page.wait_for_selector(READY, timeout=120_000)
    expect(page.locator("img[src=x]")).to_have_count(0)
    # The tokenizer cuts "<", "im", "##g": each is there as text.
    texts = page.locator(".attnviz-token span").all_text_contents()
    assert [texts.count(text) for text in ("<", "im", "##g", "script")] == [4, 1, 1, 1]
