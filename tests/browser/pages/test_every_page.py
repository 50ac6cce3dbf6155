"""What every page does in a browser: cold links, language, theme."""

import pytest
from playwright.sync_api import expect

from attnviz.base.language import LANGUAGES, speaking, translate

pytestmark = pytest.mark.browser

PAGES = {
    "": "What does attention look at?",
    "playground": "Playground",
    "kinds": "Kinds",
    "intersection": "Intersection",
    "cost": "Cost",
    "quiz": "Quiz",
    "heads": "Heads",
    "block": "Block",
    "translation": "Translation",
    "stories": "Stories",
}


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_opens_its_page_in_its_language(chromium_page, site, path, language):
    page = chromium_page(f"{site}/{path}?lang={language}")
    with speaking(language):
        title = translate(PAGES[path])
    page.get_by_role("heading", name=title, exact=True).wait_for(timeout=90_000)
    page.wait_for_selector("[data-attnviz-painted]", timeout=90_000)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)


def test_the_language_stays_when_the_page_changes(chromium_page, site):
    page = chromium_page(f"{site}/playground")
    page.get_by_text("Русский").click()
    with speaking("ru"):
        page.get_by_role("heading", name=translate("Playground"), exact=True).wait_for()
        page.get_by_role("link", name=translate("Heads")).click()
        page.get_by_role("heading", name=translate("Heads"), exact=True).wait_for()
    page.wait_for_function("location.search.includes('lang=ru')")


def test_what_was_done_is_still_there_when_one_comes_back(chromium_page, site):
    page = chromium_page(f"{site}/playground")
    slider = page.get_by_role("slider", name="Temperature")
    slider.focus()
    before = slider.input_value()
    slider.press("ArrowRight")
    page.wait_for_function("location.search.includes('view=')")
    changed = slider.input_value()
    assert changed != before
    page.get_by_role("link", name="Start").click()
    page.get_by_role("heading", name=PAGES[""]).wait_for()
    page.get_by_role("link", name="Playground", exact=True).first.click()
    page.get_by_role("heading", name="Playground", exact=True).wait_for()
    expect(page.get_by_role("slider", name="Temperature")).to_have_value(changed)


def test_dark_is_chosen_at_once_and_for_every_page(chromium_page, site):
    page = chromium_page(f"{site}/playground")
    page.wait_for_selector("[data-attnviz-painted]", timeout=90_000)
    page.get_by_role("radio", name="Dark").click()
    dark = "getComputedStyle(document.querySelector('.stApp')).backgroundColor === 'rgb(16, 21, 28)'"
    page.wait_for_function(dark)
    page.goto(f"{site}/heads")
    page.wait_for_function(dark)


@pytest.mark.parametrize("path", [path for path in PAGES if path])
def test_every_language_can_be_left_and_come_back_to(chromium_page, site, path):
    page = chromium_page(f"{site}/{path}")
    page.get_by_role("heading", name=PAGES[path], exact=True).wait_for(timeout=90_000)
    for code in ("ja", "en", "ru", "en"):
        page.locator('[data-testid="stSidebar"]').get_by_text(LANGUAGES[code], exact=True).click()
        with speaking(code):
            page.get_by_role("heading", name=translate(PAGES[path]), exact=True).wait_for(timeout=60_000)
        page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
        expect(page.locator('[data-testid="stException"]')).to_have_count(0)
