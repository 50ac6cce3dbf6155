"""The theme changes at once, is one of the site's own, and is kept for every page."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"
# From .streamlit/config.toml.
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(16, 21, 28)"


def ground(page) -> str:
    return page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")


def opened(chromium_page, url, **options):
    page = chromium_page(url, **options)
    page.wait_for_selector(".attnviz-theme[data-attnviz-painted]")
    return page


def choose(page, name):
    page.get_by_role("radio", name=name).filter(has=page.locator("span")).click()
    expect(page.locator(f".attnviz-theme [data-theme={name}]")).to_have_attribute("aria-checked", "true")


def test_dark_is_shown_without_a_reload_and_survives_pages_and_reloads(start_app, chromium_page):
    url = start_app(SITE).url
    page = opened(chromium_page, f"{url}/state", color_scheme="light")
    assert ground(page) == LIGHT
    page.evaluate("window.same = true")
    choose(page, "Dark")
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    assert page.evaluate("window.same")
    page.reload()
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    page.goto(f"{url}/four")
    page.wait_for_selector(".attnviz-chart[data-attnviz-painted]")
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    page.goto(f"{url}/state")
    expect(page.locator(".attnviz-theme [data-theme=Dark]")).to_have_attribute("aria-checked", "true")
    choose(page, "Light")
    expect(page.locator(".stApp")).to_have_css("background-color", LIGHT)


def test_system_follows_the_system(start_app, chromium_page):
    page = opened(chromium_page, f"{start_app(SITE).url}/state", color_scheme="dark")
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    expect(page.locator(".attnviz-theme [data-theme=System]")).to_have_attribute("aria-checked", "true")
    choose(page, "Light")
    expect(page.locator(".stApp")).to_have_css("background-color", LIGHT)
    choose(page, "System")
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    page.emulate_media(color_scheme="light")
    expect(page.locator(".stApp")).to_have_css("background-color", LIGHT)


def test_arrow_keys_choose_a_theme(start_app, chromium_page):
    page = opened(chromium_page, f"{start_app(SITE).url}/state", color_scheme="light")
    page.locator(".attnviz-theme [data-theme=System]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    expect(page.locator(".attnviz-theme [data-theme=Dark]")).to_be_focused()


def test_figures_take_the_colours_of_the_theme_when_it_changes(start_app, chromium_page):
    page = opened(chromium_page, f"{start_app(SITE).url}/state", color_scheme="light")
    page.get_by_role("link", name="chart").click()
    label = page.locator("[data-figure=weights] .ytick text").first
    expect(label).to_have_css("fill", "rgb(24, 33, 44)")
    page.emulate_media(color_scheme="dark")
    expect(label).to_have_css("fill", "rgb(231, 236, 242)")
