"""The Translation page as a person uses it."""

import re

import pytest
from playwright.sync_api import expect

from attnviz.ui import address
from attnviz.ui.views.translation import TranslationView

pytestmark = pytest.mark.browser

DRAWN = "the tired cat catches your old quiet girl ."
READY = ".attnviz-chart[data-attnviz-painted]"


@pytest.fixture
def opened(chromium_page, site):
    page = chromium_page(f"{site}/translation", height=1600)
    page.wait_for_selector(READY, timeout=120_000)
    page.wait_for_function(f"document.querySelectorAll('{READY}').length >= 2")
    return page


def _says(page, sentence, count):
    expect(page.get_by_text(sentence)).to_have_count(count)


def _cell(page, place, row, column):
    """The middle of a cell of the map in the column of this place, scrolled into sight."""
    page.locator("[data-figure=map]").nth(place).scroll_into_view_if_needed()
    return page.evaluate(
        """([place, row, column]) => {
            const plot = document.querySelectorAll("[data-figure=map] .attnviz-plot")[place];
            const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
            return [box.x + xaxis._offset + xaxis.d2p(column), box.y + yaxis._offset + yaxis.d2p(row)];
        }""",
        [place, row, column],
    )


def _shapes(page, place):
    """The frames that are drawn over the map in the column of this place."""
    return page.evaluate(
        "place => document.querySelectorAll('[data-figure=map] .attnviz-plot')[place].layout.shapes.length", place
    )


def test_the_decoder_is_stepped_through_from_the_keyboard(opened):
    _says(opened, "The step that writes “noir” puts most on “black”", 2)
    slider = opened.get_by_role("slider", name="Step of the decoder")
    slider.focus()
    slider.press("ArrowLeft")
    _says(opened, "The step that writes “chat” puts most on “cat”", 2)
    slider.press("ArrowRight")
    _says(opened, "The step that writes “noir” puts most on “black”", 2)
    opened.get_by_role("button", name="Next step").click()
    _says(opened, "which is no word of the alignment", 2)


def test_a_link_brings_back_step_head_gold_and_sentence(opened, chromium_page):
    opened.get_by_role("button", name="Another sentence").click()
    _says(opened, "le chat fatigué attrape", 2)
    opened.get_by_role("button", name="Next step").click()
    _says(opened, "The step that writes “le”", 2)
    opened.get_by_role("combobox", name=re.compile("^(Selected mean of all 12 heads. )?Layer")).click()
    opened.get_by_role("option", name="2", exact=True).click()
    opened.get_by_text("Transformer · layer 2, mean of 4 heads · free: greedy").first.wait_for()
    opened.get_by_role("combobox", name=re.compile("Head")).click()
    opened.get_by_role("option", name="1", exact=True).click()
    opened.get_by_text("Transformer · layer 2, head 1 · free: greedy").first.wait_for()
    before = _shapes(opened, 1)
    opened.get_by_text("Gold alignment").click()
    _says(opened, re.compile(r"The largest weight of \d+ of \d+ words lies on a gold link"), 2)
    opened.wait_for_function(
        "before => document.querySelectorAll('[data-figure=map] .attnviz-plot')[1].layout.shapes.length > before",
        arg=before,
    )
    frames = _shapes(opened, 1)
    said = opened.get_by_text("The step that writes “le”").all_inner_texts()
    view = TranslationView(text=DRAWN, drawn=1, step=0, layer=2, head=1, gold=True)
    opened.wait_for_function("view => location.search.includes(view)", arg=address.encode(view))

    again = chromium_page(opened.url, height=1600)
    again.get_by_text("Transformer · layer 2, head 1 · free: greedy").first.wait_for(timeout=120_000)
    _says(again, "The step that writes “le”", 2)
    assert again.get_by_text("The step that writes “le”").all_inner_texts() == said
    again.wait_for_function(f"document.querySelectorAll('{READY}').length >= 2")
    assert _shapes(again, 1) == frames
    expect(again.get_by_role("textbox", name="English sentence")).to_have_value(DRAWN)


def test_a_clicked_cell_chooses_step_and_word_in_both_columns(opened):
    opened.mouse.click(*_cell(opened, 1, 0, 2))
    _says(opened, re.compile("The step that writes “le” puts .* on “cat”"), 2)


def test_a_clicked_word_shows_which_steps_look_at_it(chromium_page, link):
    page = chromium_page(link(TranslationView(models=("gru",))), height=1600)
    page.wait_for_selector(READY, timeout=120_000)
    # Once Plotly knows its axes.
    place = page.wait_for_function(
        """() => {
            const plot = document.querySelector("[data-figure=lines] .attnviz-plot");
            const words = plot._fullData.find(trace => trace.name === "source");
            const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
            const at = [box.x + xaxis._offset + xaxis.d2p(words.x[1]), box.y + yaxis._offset + yaxis.d2p(words.y[1])];
            return at.every(Number.isFinite) && at;
        }"""
    ).json_value()
    page.mouse.click(*place)
    _says(page, "The step that writes “noir” puts more on “black” than all others do", 1)


def test_an_unknown_word_is_mended_with_a_button(opened):
    field = opened.get_by_role("textbox", name="English sentence")
    field.fill("the small blakc dog")
    field.press("Enter")
    opened.get_by_text("The model does not know the word “blakc”").wait_for()
    opened.get_by_role("button", name="black", exact=True).click()
    _says(opened, "le petit chien noir", 2)
    expect(field).to_have_value("the small black dog")


def test_the_alignment_is_saved_as_pharaoh_links(opened, tmp_path):
    with opened.expect_download() as waiting:
        opened.get_by_role("button", name="Save the alignment (Pharaoh)").nth(1).click()
    path = tmp_path / "alignment.txt"
    waiting.value.save_as(path)
    links = path.read_text().split()
    # black–noir and cat–chat; what “le” looks at is the model's own affair.
    assert {"1-2", "2-1"} <= set(links)
    assert len(links) == 3


def test_columns_stand_side_by_side_where_there_is_room_and_stacked_where_not(opened):
    def tops():
        return [box["y"] for box in (one.bounding_box() for one in opened.locator("[data-figure=lines]").all())]

    first, second = tops()
    assert abs(first - second) < 5
    opened.set_viewport_size({"width": 700, "height": 1600})
    opened.wait_for_function(
        """() => {
            const [one, other] = [...document.querySelectorAll("[data-figure=lines]")].map(f => f.getBoundingClientRect());
            return other.top >= one.bottom;
        }"""
    )
