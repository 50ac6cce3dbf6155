"""The Intersection as a person uses it: drag, keys, numbers, undo, address."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.figures import thickness
from attnviz.ui import address
from attnviz.ui.intersection.starts import crowd, lesson, two_heads
from attnviz.ui.views.intersection import IntersectionView

pytestmark = pytest.mark.browser

LINE = '.attnviz-weight[data-user="{}"]'
PARKED = LINE.format("parked")


def opened(chromium_page, link, view=None, **options):
    page = chromium_page(link(view or lesson()), **options)
    page.wait_for_selector(".attnviz-scene[data-attnviz-painted]", timeout=90_000)
    page.wait_for_selector(".attnviz-sliders[data-attnviz-painted]")
    return page


@pytest.fixture
def page(chromium_page, link):
    return opened(chromium_page, link)


def in_address(url):
    """The view that an address holds."""
    (text,) = parse_qs(urlsplit(url).query).get("view", [""])
    return address.decode(text, IntersectionView) if text else lesson()


def weight(page, name):
    return float(page.locator(LINE.format(name)).get_attribute("data-weight"))


def width(page, name):
    return float(page.locator(LINE.format(name)).get_attribute("stroke-width"))


def printed(page, name):
    return page.locator(f'.attnviz-number[data-user="{name}"] text').all_text_contents()


def user(page, name):
    return page.locator(f'.attnviz-user[data-id="{name}"]')


def number(page, name):
    return page.locator(f'input[type="range"][data-number="{name}"]')


def test_the_lesson_is_drawn_with_its_literal_numbers(page):
    expected = {"oncoming": 0.327090, "pedestrian": 0.663377, "parked": 0.009532}
    for name, value in expected.items():
        assert weight(page, name) == pytest.approx(value, abs=1e-6)
        assert width(page, name) == pytest.approx(thickness(value), abs=1e-3)
    assert [printed(page, name) for name in expected] == [["0.327"], ["0.663"], ["0.0095"]]
    page.get_by_text("0.794247").wait_for()
    page.get_by_text("0.800928").first.wait_for()
    page.get_by_text("0.802826").first.wait_for()


def test_an_edited_key_changes_width_text_and_table_alike(page):
    number(page, "key:1").focus()
    for _press in range(4):
        page.keyboard.press("ArrowRight")
    # Key (−1, 0.2): score (−1 + 0.4) / √2; e^−0.4243 = 0.6542 beside 16.919 and 34.316: 0.012609.
    page.wait_for_function(f"Math.abs(document.querySelector('{PARKED}').dataset.weight - 0.012609) < 2e-6")
    assert width(page, "parked") == pytest.approx(thickness(0.012609), abs=1e-3)
    assert printed(page, "parked") == ["0.013"]
    expect(page.get_by_text("has the weight 0.013")).to_be_visible()
    page.locator('[data-testid="glide-cell-1-2"]').filter(has_text="0.012609").wait_for(state="attached")


def test_the_query_changes_all_widths_in_one_breath(page):
    page.get_by_role("textbox", name="query · 2, as a number").fill("0")
    page.keyboard.press("Enter")
    # Query (1, 0): scores 2, 1, −1 over √2.
    page.wait_for_function(f"Math.abs(document.querySelector('{PARKED}').dataset.weight - 0.074320) < 2e-6")
    assert weight(page, "oncoming") == pytest.approx(0.619985, abs=1e-6)
    assert weight(page, "pedestrian") == pytest.approx(0.305695, abs=1e-6)


def test_dragged_removed_and_undone(page):
    box = user(page, "parked").locator(".attnviz-body").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 50, steps=5)
    page.mouse.up()
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    assert weight(page, "parked") == pytest.approx(0.009532, abs=1e-6)
    moved = user(page, "parked").get_attribute("data-x")
    assert float(moved) < 15.5
    user(page, "parked").focus()
    page.keyboard.press("Delete")
    expect(user(page, "parked")).to_have_count(0)
    expect(user(page, "pedestrian")).to_be_focused()
    # Without it: 0.330238 and 0.669762.
    page.wait_for_function(
        f"Math.abs(document.querySelector('{LINE.format('pedestrian')}').dataset.weight - 0.669762) < 2e-6"
    )
    page.get_by_role("button", name="Undo").click()
    expect(user(page, "parked")).to_have_attribute("data-x", moved)
    page.get_by_role("button", name="Undo").click()
    expect(user(page, "parked")).to_have_attribute("data-x", "15.5")


def test_a_copied_address_opens_the_same_street_in_a_fresh_browser(page, chromium_page):
    user(page, "pedestrian").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("F2")
    page.keyboard.type("歩行者 <1>")
    page.keyboard.press("Enter")
    expect(user(page, "pedestrian")).to_have_attribute("aria-label", "歩行者 <1>: weight 0.663377")
    place = user(page, "pedestrian").get_attribute("data-y")
    page.wait_for_url(lambda url: in_address(url).user("pedestrian").name == "歩行者 <1>")
    fresh = chromium_page(page.url)
    fresh.wait_for_selector(".attnviz-scene[data-attnviz-painted]", timeout=90_000)
    expect(user(fresh, "pedestrian")).to_have_attribute("aria-label", "歩行者 <1>: weight 0.663377")
    expect(user(fresh, "pedestrian")).to_have_attribute("data-y", place)
    expect(fresh.locator("main img")).to_have_count(0)


def test_right_hand_traffic_is_the_mirror_image(page):
    page.get_by_role("radio", name="right").click()
    expect(user(page, "parked")).to_have_attribute("data-x", "-15.5")
    left = user(page, "parked").bounding_box()["x"]
    assert left < user(page, "ego").bounding_box()["x"]


def test_two_heads_beside_each_other_and_one_switched_off(chromium_page, link):
    page = opened(chromium_page, link, two_heads())
    expect(page.locator(PARKED)).to_have_count(2)
    # Second query (−2, 0): scores −4, −2, 2 over √2: e^−2.828, e^−1.414, e^1.414 give 0.013386, 0.055060, 0.931554.
    second = page.locator(f'{PARKED}[data-head="1"]')
    assert float(second.get_attribute("data-weight")) == pytest.approx(0.931554, abs=2e-6)
    page.get_by_role("button", name="head 1", exact=True).click()
    expect(page.locator(PARKED)).to_have_count(1)


def test_forty_road_users_all_have_lines_and_numbers(chromium_page, link):
    page = opened(chromium_page, link, crowd())
    expect(page.locator(".attnviz-weight")).to_have_count(40)
    weights = page.locator(".attnviz-weight").evaluate_all("lines => lines.map(line => Number(line.dataset.weight))")
    assert sum(weights) == pytest.approx(1, abs=1e-5)
    expect(page.locator(".attnviz-number")).to_have_count(40)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_speaks_three_languages_in_light_and_dark(chromium_page, link, language, scheme):
    with speaking(language):
        page = chromium_page(link(lesson(), lang=language), color_scheme=scheme, width=700)
        page.get_by_role("heading", name=translate("Intersection"), exact=True).wait_for(timeout=90_000)
        page.wait_for_selector(".attnviz-scene[data-attnviz-painted]", timeout=90_000)
        assert translate("parked car") in user(page, "parked").get_attribute("aria-label")
    # Nothing is wider than the page.
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
