"""The Block page in a browser: a slider moves the picture, a box is clicked, and the link opens the same view."""

import pytest
from playwright.sync_api import expect

from attnviz.ui.views.block import BlockView, Depth

pytestmark = pytest.mark.browser

REACH = BlockView(part="reach", reach=Depth(one=32, other=0))
SHORT = BlockView(model="translation/en-fr/transformer", text="the black cat", token=1)


def test_a_slider_changes_how_far_it_reaches_and_the_link_opens_the_same(chromium_page, link):
    page = chromium_page(link(REACH))
    expect(page.get_by_text("Position 32 can know of position 0 after 8 layers.")).to_be_visible(timeout=90_000)
    slider = page.get_by_role("slider", name="Window, positions on each side")
    before = page.evaluate("location.search")
    slider.focus()
    slider.press("ArrowRight")
    # ⌈32 / 5⌉
    expect(page.get_by_text("Position 32 can know of position 0 after 7 layers.")).to_be_visible()
    page.wait_for_function("before => location.search !== before", arg=before)
    again = chromium_page(page.url)
    expect(again.get_by_text("Position 32 can know of position 0 after 7 layers.")).to_be_visible(timeout=90_000)
    expect(again.get_by_role("slider", name="Window, positions on each side")).to_have_value("5")


def test_a_part_that_is_switched_off_is_in_the_link(chromium_page, link):
    page = chromium_page(link(SHORT))
    page.get_by_role("heading", name="What a part does").wait_for(timeout=90_000)
    before = page.evaluate("location.search")
    page.get_by_role("radio", name="feed-forward").click()
    expect(page.get_by_text("Without feed-forward in layer 0")).to_be_visible(timeout=90_000)
    page.wait_for_function("before => location.search !== before", arg=before)
    again = chromium_page(page.url)
    expect(again.get_by_text("Without feed-forward in layer 0")).to_be_visible(timeout=90_000)
