"""The page of kinds as a person uses it: the slider moves the picture, a link opens the same view."""

import pytest
from playwright.sync_api import expect

from attnviz.ui.views.kinds import KindsView

pytestmark = pytest.mark.browser

# What the second legend says of the window's pairs.
_PAIRS = """[...document.querySelectorAll('[data-figure=right-pairs] svg .legendtext')]
    .map(one => one.textContent).find(one => one.startsWith('has a weight'))"""


@pytest.fixture
def window(chromium_page, link):
    page = chromium_page(link(KindsView(right="window", window=2)))
    # n(2w + 1) − w(w + 1) pairs of 10 tokens.
    page.wait_for_function(f"{_PAIRS} === 'has a weight: 44'", timeout=180_000)
    return page


def test_a_wider_window_is_seen_in_the_picture_at_once(window):
    slider = window.get_by_role("slider", name="Window")
    slider.focus()
    slider.press("ArrowRight")
    window.wait_for_function(f"{_PAIRS} === 'has a weight: 58'", timeout=30_000)
    slider.press("ArrowLeft")
    window.wait_for_function(f"{_PAIRS} === 'has a weight: 44'", timeout=30_000)


def test_a_copied_link_opens_the_same_view(window, chromium_page):
    before = window.url
    slider = window.get_by_role("slider", name="Window")
    slider.focus()
    slider.press("ArrowRight")
    window.wait_for_function(f"{_PAIRS} === 'has a weight: 58'", timeout=30_000)
    window.wait_for_function("before => location.href !== before", arg=before)
    fresh = chromium_page(window.url)
    fresh.wait_for_function(f"{_PAIRS} === 'has a weight: 58'", timeout=180_000)
    expect(fresh.locator('[data-testid="stException"]')).to_have_count(0)


def test_a_row_that_is_clicked_becomes_the_query(window):
    window.get_by_text("Weights of the query “it”").first.wait_for(timeout=30_000)
    plot = window.locator("[data-figure=left-pairs] .nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    # The fourth of ten rows: “ate”.
    window.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.35)
    window.get_by_text("Weights of the query “ate”").first.wait_for(timeout=30_000)


# How far formulas reach beyond their column, in pixels; a formula that is not set yet has no parts.
_BEYOND = """() => [...document.querySelectorAll('.katex-display')].map(formula => {
    const column = formula.closest('[data-testid=stColumn]').getBoundingClientRect().right;
    const parts = [...formula.querySelectorAll('.katex-html .base')];
    return parts.length ? Math.max(...parts.map(one => one.getBoundingClientRect().right)) - column : Infinity;
})"""


@pytest.mark.parametrize("language", ["en", "ja", "ru"])
@pytest.mark.parametrize(
    ("left", "right"), [("cross", "strided"), ("fixed", "global_window_random"), ("linear", "deformable")]
)
def test_the_longest_formulas_fit_into_their_columns(chromium_page, link, left, right, language):
    page = chromium_page(f"{link(KindsView(left=left, right=right))}&lang={language}", width=1280)
    page.wait_for_function(f"({_BEYOND})().length === 2 && ({_BEYOND})().every(one => one <= 0)", timeout=60_000)
