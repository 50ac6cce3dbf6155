"""The lower part of the Translation page as a person uses it."""

import re

import pytest
from playwright.sync_api import expect

from attnviz.ui.views.translation import TranslationView

pytestmark = pytest.mark.browser

TRANSFORMER = "translation/en-fr/transformer"
PATIENCE = 180_000


@pytest.fixture
def opened(chromium_page, link):
    def open_(**fields):
        page = chromium_page(link(TranslationView(**fields)), height=1600)
        page.wait_for_selector(".attnviz-chart[data-attnviz-painted]", timeout=PATIENCE)
        return page

    return open_


def _button(page, name):
    return page.get_by_test_id("stMainBlockContainer").get_by_role("button", name=name)


def test_a_long_measurement_is_stopped_and_goes_on_where_it_was(opened):
    page = opened(judged=TRANSFORMER, sentences=1000)
    _button(page, "Measure on 1000 sentences").click()
    expect(page.get_by_role("progressbar").first).to_be_visible()
    _button(page, "Stop").click()
    again = _button(page, re.compile(r"Go on measuring \(\d+ % done\)"))
    again.click()
    expect(_button(page, "Stop")).to_be_visible()
    # Another choice drops the work, and the page has its turn while it goes on.
    page.get_by_role("radio", name="100", exact=True).click()
    expect(_button(page, "Measure on 100 sentences")).to_be_visible()


def test_a_mean_that_is_pressed_in_the_table_of_scores_is_looked_at_above(opened):
    page = opened(judged=TRANSFORMER)
    _button(page, "Measure on 100 sentences").click()
    page.wait_for_selector("[data-figure=scores] .attnviz-plot", timeout=PATIENCE)
    page.locator("[data-figure=scores]").scroll_into_view_if_needed()
    x, y, name = page.evaluate(
        """() => {
            const plot = document.querySelector("[data-figure=scores] .attnviz-plot");
            const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
            const row = yaxis.ticktext.findIndex(text => text.includes("layer 0, head 0"));
            const trace = plot._fullData.find(one => Array.from(one.customdata ?? []).includes(row));
            const at = Array.from(trace.customdata).indexOf(row);
            return [box.x + xaxis._offset + xaxis.d2p(trace.x[at]), box.y + yaxis._offset + yaxis.d2p(row), trace.name];
        }"""
    )
    assert name == "one head"
    page.mouse.click(x, y)
    layer, head = (page.get_by_role("combobox", name=name, exact=True) for name in ("Layer", "Head"))
    expect(layer).to_have_value("0")
    expect(head).to_have_value("0")


def test_own_sentences_are_measured_once_the_first_number_is_said(opened, tmp_path):
    texts, gold = tmp_path / "texts.txt", tmp_path / "gold.txt"
    texts.write_text("the black cat ||| le chat noir\n", encoding="utf-8")
    gold.write_text("1-1 2-3 3-2\n", encoding="utf-8")
    page = opened(judged="translation/en-fr/gru", on="file")
    for place, path in enumerate((texts, gold)):
        page.locator("input[type=file]").nth(place - 2).set_input_files(path)
    page.get_by_role("radio", name="1", exact=True).click()
    expect(page.get_by_text("1 sentence read, words counted from 1")).to_be_visible()
    _button(page, "Measure on 1 sentence").click()
    page.wait_for_selector("[data-figure=scores] .attnviz-plot", timeout=PATIENCE)
    expect(page.get_by_text("Raw attention is not alignment: of 3 target words, 1 look most")).to_be_visible()
