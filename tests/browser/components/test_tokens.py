"""Tokens are text and buttons: nothing in them is markup, and the keyboard reaches all of them."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"
TEXTS = ["<s>", "The", "<img src=x onerror=alert(1)>", "the", "the", "</script>", "שלום", "last"]


@pytest.fixture
def page(start_app, chromium_page) -> Page:
    page = chromium_page(f"{start_app(SITE).url}/tokens")
    page.wait_for_selector(".attnviz-tokens[data-attnviz-painted]")
    return page


def buttons(page: Page):
    return page.locator(".attnviz-token")


def test_every_token_is_shown_letter_by_letter(page):
    assert buttons(page).locator("> :first-child").all_text_contents() == TEXTS
    expect(page.locator(".attnviz-tokens img")).to_have_count(0)


def test_numbers_stand_under_their_tokens(page):
    assert buttons(page).locator("> :nth-child(2)").all_text_contents() == [
        "∅",
        "0.1",
        "0.2",
        "0.3",
        "0.4",
        "∅",
        "0.6",
        "0.7",
    ]


def test_a_click_chooses_by_position_even_between_equal_tokens(page):
    buttons(page).nth(4).click()
    expect(page.get_by_text("QUERY 4 KEY None")).to_be_visible()
    buttons(page).nth(3).click(modifiers=["Shift"])
    expect(page.get_by_text("QUERY 4 KEY 3")).to_be_visible()


def test_the_switch_says_what_a_click_chooses(page):
    page.locator("[data-side=key]").click()
    buttons(page).nth(1).click()
    expect(page.get_by_text("QUERY None KEY 1")).to_be_visible()


def test_arrow_keys_walk_and_enter_chooses(page):
    buttons(page).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(buttons(page).nth(2)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("QUERY 2 KEY None")).to_be_visible()
    expect(buttons(page).nth(2)).to_be_focused()
