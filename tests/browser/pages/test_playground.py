"""The Playground as a person uses it: with mouse, keyboard and the address bar."""

import pytest
from playwright.sync_api import expect

from attnviz.ui.views.playground import PlaygroundView

pytestmark = pytest.mark.browser


@pytest.fixture
def intersection(chromium_page, link):
    page = chromium_page(link(PlaygroundView.start("intersection")))
    page.wait_for_function(_THREE, timeout=90_000)
    return page


# From left to right: Plotly draws light and dark letters one after the other.
_NUMBERS = """[...document.querySelectorAll('[data-figure=weights] svg text')]
    .filter(one => /^[01][.][0-9]+$/.test(one.textContent))
    .sort((one, other) => one.getBoundingClientRect().x - other.getBoundingClientRect().x)
    .map(one => one.textContent)"""
_THREE = f"{_NUMBERS}.length === 3"


def _weights(page):
    """The three weights, as they stand in the third picture."""
    return page.evaluate(_NUMBERS)


def _await_weights(page, previous):
    """The three weights once they are others."""
    page.wait_for_function(
        f"previous => {_NUMBERS}.length === 3 && {_NUMBERS}.join() !== previous.join()", arg=previous
    )
    return _weights(page)


def test_the_intersection_is_shown_with_its_three_weights(intersection):
    assert _weights(intersection) == ["0.327", "0.663", "0.0095"]


def test_a_slider_moved_by_key_changes_the_weights(intersection):
    slider = intersection.get_by_role("slider", name="query · ego car · 2")
    slider.focus()
    slider.press("ArrowLeft")
    assert _await_weights(intersection, ["0.327", "0.663", "0.0095"]) != ["0.327", "0.663", "0.0095"]


def test_undo_brings_the_weights_back(intersection):
    slider = intersection.get_by_role("slider", name="query · ego car · 2")
    slider.focus()
    slider.press("ArrowLeft")
    moved = _await_weights(intersection, ["0.327", "0.663", "0.0095"])
    intersection.get_by_role("button", name="Undo").click()
    assert _await_weights(intersection, moved) == ["0.327", "0.663", "0.0095"]


def test_an_arrow_dragged_changes_the_weights(intersection):
    handle = intersection.locator('.attnviz-handle[aria-label*="parked"]')
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    intersection.mouse.move(x, y)
    intersection.mouse.down()
    intersection.mouse.move(x + 60, y - 40, steps=6)
    intersection.mouse.up()
    # Turned towards the query, the parked car's key gets more.
    assert float(_await_weights(intersection, ["0.327", "0.663", "0.0095"])[2]) > 0.0095


def test_a_copied_address_restores_the_view_in_a_fresh_browser(intersection, chromium_page):
    slider = intersection.get_by_role("slider", name="query · ego car · 1")
    slider.focus()
    before = intersection.url
    slider.press("ArrowRight")
    moved = _await_weights(intersection, ["0.327", "0.663", "0.0095"])
    intersection.wait_for_function("before => location.href !== before", arg=before)
    shown = slider.input_value()
    fresh = chromium_page(intersection.url)
    fresh.get_by_role("slider", name="query · ego car · 1").wait_for(timeout=90_000)
    restored = fresh.get_by_role("slider", name="query · ego car · 1")
    fresh.wait_for_function(_THREE)
    expect(restored).to_have_value(shown)
    assert _weights(fresh) == moved


def test_moving_a_slider_adds_nothing_to_the_history(intersection):
    before, address = intersection.evaluate("history.length"), intersection.url
    slider = intersection.get_by_role("slider", name="query · ego car · 2")
    slider.focus()
    slider.press("ArrowLeft")
    intersection.wait_for_function("before => location.href !== before", arg=address)
    assert intersection.evaluate("history.length") == before


def test_a_number_typed_into_the_table_changes_the_weights(intersection):
    intersection.get_by_text("As a table").click()
    canvas = intersection.locator('[data-testid="stDataFrame"] canvas').first
    canvas.wait_for()
    box = canvas.bounding_box()
    # The only row of the query's matrix, its second column.
    intersection.locator('[data-testid="glide-cell-2-0"]').wait_for(state="attached")
    intersection.mouse.click(box["x"] + box["width"] * 0.85, box["y"] + box["height"] * 0.7)
    intersection.locator('[data-testid="glide-cell-2-0"][aria-selected="true"]').wait_for(state="attached")
    intersection.keyboard.type("0")
    intersection.locator("#portal input, #portal textarea").first.wait_for(state="attached")
    intersection.keyboard.press("Enter")
    # q = (1, 0): dots 2, 1, −1; ÷ √2: 1.414214, 0.707107, −0.707107; their softmax, by hand:
    weights = _await_weights(intersection, ["0.327", "0.663", "0.0095"])
    assert [float(weight) for weight in weights] == pytest.approx([0.619985, 0.305695, 0.074320], abs=6e-4)


def test_why_divide_is_drawn_when_opened(intersection):
    intersection.get_by_text("Why divide by √d?").click()
    intersection.get_by_text("Variance of the scores").first.wait_for(timeout=60_000)


def test_the_page_asks_nothing_of_other_machines(chromium_page, site):
    page = chromium_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}/playground")
    page.get_by_text("0.741").first.wait_for(timeout=90_000)
    assert [url for url in asked if "//localhost" not in url and not url.startswith(("data:", "blob:"))] == []
