"""Numbers that are moved: by key, by hand, typed; heard of one at a time, the last one always."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"


def opened(chromium_page, start_app, query="") -> Page:
    page = chromium_page(f"{start_app(SITE).url}/sliders{query}")
    page.wait_for_selector(".attnviz-sliders[data-attnviz-painted]")
    return page


@pytest.fixture
def page(chromium_page, start_app) -> Page:
    return opened(chromium_page, start_app)


def _range(page, name):
    return page.get_by_role("slider", name=f"number {name}", exact=True)


def _field(page, name):
    return page.get_by_role("textbox", name=f"number {name}, as a number")


def test_a_slider_moved_by_key_is_heard_and_shown_in_its_field(page):
    _range(page, "a").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("NUMBERS {'a': 1.05, 'b': -0.5}")).to_be_visible()
    expect(_field(page, "a")).to_have_value("1.05")


def test_a_number_may_be_typed_with_comma_or_minus_sign_and_go_beyond_the_slider(page):
    _field(page, "b").fill("−12,5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("'b': -12.5}")).to_be_visible()
    assert float(_range(page, "b").input_value()) == -12.5
    _field(page, "b").fill("1e9")
    page.keyboard.press("Enter")
    expect(page.get_by_text("'b': 100.0}")).to_be_visible()


@pytest.mark.parametrize("typed", ["", "abc", "1e", "--3", "NaN", "Infinity"])
def test_what_is_no_number_is_put_back(page, typed):
    _field(page, "a").fill(typed)
    page.keyboard.press("Enter")
    expect(_field(page, "a")).to_have_value("1")
    # Only now is something heard: nothing came before.
    _range(page, "b").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("NUMBERS {'a': 1.0, 'b': -0.45} RUNS 2")).to_be_visible()


def test_many_moves_against_a_slow_page_end_with_the_last_one(chromium_page, start_app):
    page = opened(chromium_page, start_app, "?slow=0.3")
    _range(page, "a").focus()
    for _press in range(25):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text("'a': 2.25")).to_be_visible()
    assert float(_range(page, "a").input_value()) == 2.25
    runs = int(page.get_by_text("NUMBERS").inner_text().split("RUNS ")[1])
    assert runs < 15, "one message in flight: most of 25 presses are never sent"


def test_titles_are_text(page):
    assert page.locator(".attnviz-sliders legend").inner_text() == "<b>group</b>"
