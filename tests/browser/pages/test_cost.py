"""Cost as a person uses it: a slider moved by key, a permalink, a place clicked."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from attnviz.ui import address
from attnviz.ui.views.cost import Compared, CostView, Filtered, Image

pytestmark = pytest.mark.browser


def opened(chromium_page, link, view=None, **options):
    page = chromium_page(link(view or CostView()), **options)
    page.wait_for_selector(".attnviz-chart[data-attnviz-painted]", timeout=90_000)
    return page


def in_address(url):
    """The view that an address holds."""
    (text,) = parse_qs(urlsplit(url).query).get("view", [""])
    return address.decode(text, CostView) if text else CostView()


def test_a_stride_moved_by_key_changes_tokens_curves_and_address(chromium_page, link):
    page = opened(chromium_page, link)
    expect(page.get_by_text("40,960,000").first).to_be_visible()
    expect(page.locator("[data-figure=curves]").get_by_text("yours: 6,400")).to_be_visible()
    slider = page.get_by_role("slider", name="Patch size or stride, pixels")
    slider.focus()
    for _press in range(5):  # 14, 16, 28, 32, 64
        slider.press("ArrowRight")
    expect(page.locator("[data-figure=curves]").get_by_text("yours: 100", exact=True)).to_be_visible()
    slider.press("ArrowLeft")
    expect(page.locator("[data-figure=curves]").get_by_text("yours: 400", exact=True)).to_be_visible()
    expect(page.get_by_text("160,000").first).to_be_visible()
    page.wait_for_function("location.search.includes('view=')")
    page.wait_for_url(lambda url: in_address(url).image.stride == 32)


def test_a_permalink_opens_the_same_view(chromium_page, link):
    view = CostView(
        image=Image(width=1920, height=1080, stride=16, padding="pad", extra=1),
        compared=Compared(kinds=("self", "linear"), measure="plain", log=False),
    )
    page = opened(chromium_page, link, view)
    expect(page.get_by_text("66,601,921").first).to_be_visible()
    figure = page.locator("[data-figure=curves]")
    expect(figure.get_by_text("yours: 8,161")).to_be_visible()
    expect(figure.get_by_text("GiB").first).to_be_visible()
    expect(figure.get_by_text("Linear", exact=True)).to_be_visible()
    expect(figure.get_by_text("Sliding window", exact=True)).to_have_count(0)


def test_the_distance_moves_the_layers_until_two_patches_meet(chromium_page, link):
    page = opened(chromium_page, link, CostView(part="convolution", filtered=Filtered(distance=19)))
    figure = page.locator("[data-figure=cones]")
    expect(figure.get_by_text("both: 10", exact=True)).to_be_visible()
    slider = page.get_by_role("slider", name="Distance between two patches, D")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    # ⌈21 / 2⌉ layers, and 21.
    expect(figure.get_by_text("both: 11", exact=True)).to_be_visible()
    expect(figure.get_by_text("A sees B: 21", exact=True)).to_be_visible()
