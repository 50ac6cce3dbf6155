"""The bar of a story: which keys turn its steps, and which stay with what has the focus."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"


@pytest.fixture
def page(start_app, chromium_page):
    page = chromium_page(f"{start_app(SITE).url}/story", height=1400)
    page.wait_for_selector(".attnviz-story[data-attnviz-painted]")
    page.wait_for_selector(".attnviz-chart[data-attnviz-painted]")
    return page


def at(page, step, messages=None):
    """Waits until Python is at this step, counted from 0, after so many messages."""
    expect(page.get_by_text(f"AT {step} MESSAGES" + ("" if messages is None else f" {messages}"))).to_be_visible()
    expect(page.locator(".attnviz-story-place")).to_have_text(f"{step + 1} / 6")


def test_arrows_and_the_clickers_keys_turn_the_steps(page):
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("PageDown")
    at(page, 2)
    page.keyboard.press("ArrowLeft")
    at(page, 1)
    page.keyboard.press("PageUp")
    at(page, 0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    at(page, 1, 5)


@pytest.mark.parametrize("role", ["button", "switch"])
def test_the_keys_work_with_the_focus_on_a_button_or_a_toggle(page, role):
    name = "a button" if role == "button" else "a toggle"
    page.get_by_role(role, name=name).or_(page.get_by_role("checkbox", name=name)).first.focus()
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("PageDown")
    at(page, 2)


def test_the_keys_work_on_the_bars_own_buttons_and_the_focus_stays_at_the_end(page):
    following = page.get_by_role("button", name="Next")
    following.focus()
    for step in range(1, 6):
        page.keyboard.press("Enter")
        at(page, step)
    expect(following).to_have_attribute("aria-disabled", "true")
    expect(following).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    at(page, 4)


def test_a_slider_keeps_its_own_keys(page):
    slider = page.get_by_role("slider", name="a slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("SLIDER 51")).to_be_visible()
    page.keyboard.press("PageDown")
    page.wait_for_function("document.querySelector('input[type=range]').value !== '51'")
    at(page, 0, 0)


def test_the_clicker_turns_the_step_after_a_slider_was_moved_by_hand(page):
    slider = page.get_by_role("slider", name="a slider")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 120, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    page.wait_for_function("document.querySelector('input[type=range]').value !== '50'")
    moved = slider.input_value()
    expect(page.get_by_text(f"SLIDER {moved}")).to_be_visible()
    page.keyboard.press("PageDown")
    at(page, 1)
    expect(slider).to_have_value(moved)
    # Its arrow keys are the slider's own all the same; from here on it is worked from the keyboard.
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f"SLIDER {int(moved) + 1}")).to_be_visible()
    at(page, 1)


@pytest.mark.parametrize("label", ["a text", "a number"])
def test_fields_keep_their_arrow_keys_and_leave_the_clicker_its_own(page, label):
    page.get_by_label(label, exact=True).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageDown")
    at(page, 1, 1)
    page.keyboard.press("PageUp")
    at(page, 0, 2)


def test_menus_choices_and_tables_keep_their_keys(page):
    page.get_by_role("combobox", name="a menu").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("radio", name="left").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="middle")).to_be_checked()
    box = page.locator('[data-testid="stDataFrame"] canvas').first.bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 50)
    page.locator('[data-testid^="glide-cell"][aria-selected="true"]').first.wait_for(state="attached")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="a button").focus()
    page.keyboard.press("ArrowRight")
    at(page, 1, 1)


def test_what_prevents_the_default_keeps_its_keys_and_modifiers_are_not_ours(page):
    page.locator("[data-figure=figure] [data-action=png]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-figure=figure] [data-action=svg]")).to_be_focused()
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("Shift+PageDown")
    page.keyboard.press("PageDown")
    at(page, 1, 1)


def test_quick_presses_are_one_step_each_and_a_held_key_is_one(page):
    page.evaluate(
        """() => {
            const press = (repeat) => document.body.dispatchEvent(
                new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true, repeat}));
            for (let count = 0; count < 3; count++) press(false);
            for (let count = 0; count < 9; count++) press(true);
        }"""
    )
    # Two messages at most: the first, and where the others led while it was on its way.
    at(page, 3, 2)


def test_the_page_does_not_scroll_with_the_keys(page):
    page.set_viewport_size({"width": 1400, "height": 400})
    page.keyboard.press("PageDown")
    at(page, 1)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_escape_ends_nothing_and_without_a_story_the_keys_are_the_pages(page):
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.get_by_role("button", name="End presenting").click()
    menu = page.get_by_role("combobox", name="Walk through a story …")
    expect(menu).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("AT 1 MESSAGES 1")).to_be_visible()
    menu.select_option("The <i>first</i>")
    at(page, 0, 1)


def test_sentences_are_text_and_the_bar_keeps_its_height(page):
    expect(page.locator(".attnviz-story-sentence")).to_have_text("Sentence <b>1</b>")
    before = page.locator(".attnviz-story").bounding_box()
    page.keyboard.press("ArrowRight")
    at(page, 1)
    assert page.locator(".attnviz-story").bounding_box() == before


def _figure(page):
    return page.evaluate(
        """() => {
            const plot = document.querySelector("[data-figure=figure] .attnviz-plot");
            const {margin, title, height} = plot._fullLayout, range = plot._fullLayout.xaxis.range;
            return {left: margin.l, title: title.font.size, height, gap: plot._fullData[0].xgap, range};
        }"""
    )


def test_a_figures_type_follows_the_pages_and_zoom_survives(page):
    usual = _figure(page)
    assert (usual["left"], usual["title"], usual["height"], usual["gap"]) == (40, 15, 200, 2)
    page.evaluate(
        "Plotly.relayout(document.querySelector('[data-figure=figure] .attnviz-plot'), {'xaxis.range': [0.5, 1.5]})"
    )
    page.get_by_text("large", exact=True).click()
    page.wait_for_function(
        "document.querySelector('[data-figure=figure] .attnviz-plot')._fullLayout.title.font.size === 22.5"
    )
    large = _figure(page)
    assert (large["left"], large["height"], large["gap"], large["range"]) == (60, 300, 3, [0.5, 1.5])
    assert page.locator("[data-figure=figure] .attnviz-plot").bounding_box()["height"] == 300
    page.get_by_text("large", exact=True).click()
    page.wait_for_function(
        "document.querySelector('[data-figure=figure] .attnviz-plot')._fullLayout.title.font.size === 15"
    )
    assert _figure(page) == {**usual, "range": [0.5, 1.5]}
