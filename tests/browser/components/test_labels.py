"""Labels along axes never lie on each other: what has no room is left out evenly, and comes back with the room."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attnviz.ui import assets

pytestmark = pytest.mark.browser

# What Plotly hides because it would reach beyond the figure has no size.
SEEN = "all.filter(one => getComputedStyle(one).visibility === 'visible' && one.getBoundingClientRect().width)"
SCALES = "[data-figure=bars] .xtick text, [data-figure=bars] .x2tick text"
SITE = Path(__file__).parent / "site" / "app.py"
CHART = ".attnviz-chart[data-attnviz-painted]"


@pytest.fixture
def page(start_app, chromium_page) -> Page:
    page = chromium_page(f"{start_app(SITE).url}/labels", width=760)
    page.wait_for_selector(CHART)
    return page


def shown(page: Page, figure: str, axis: str = "x") -> list[int]:
    """Which of the labels of an axis are seen, by their numbers."""
    texts = page.locator(f"[data-figure={figure}] .{axis}tick text").evaluate_all(
        f"all => {SEEN}.map(one => one.textContent)"
    )
    return sorted(int(text.split()[-1]) for text in texts)


def boxes(page: Page, figure: str, axis: str) -> list[tuple[float, float]]:
    """From where to where each label that is seen reaches along its axis, in order."""
    ends = "[box.left, box.right]" if axis == "x" else "[box.top, box.bottom]"
    found = page.locator(f"[data-figure={figure}] .{axis}tick text").evaluate_all(
        f"""all => {SEEN}.map(one => {{
          const box = one.getBoundingClientRect();
          return {ends};
        }})"""
    )
    return sorted((start, end) for start, end in found)


def even(page: Page, places: list[tuple[float, float]], chosen: list[int] | None = None) -> list[int]:
    """What the component keeps of labels that reach from and to these places on one line."""
    kept = page.evaluate(
        """async ([url, places, chosen]) => {
          const { even } = await import(url);
          const boxes = places.map(([from, to]) => ({ turn: 0, from, to, top: 0, bottom: 10 }));
          return [...even(boxes, chosen)];
        }""",
        [f"/{assets.ROUTE}/{assets.version()}/labels.js", places, chosen or []],
    )
    return sorted(kept)


def test_by_hand(page):
    # Labels 30 wide every 20 pixels, and 5 between them: two steps are 40, which is enough.
    line = [(20 * place, 20 * place + 30) for place in range(9)]
    assert even(page, line) == [0, 2, 4, 6, 8]
    # Of eight, the last would stand 20 from the one before it, which goes.
    assert even(page, line[:8]) == [0, 2, 4, 7]
    # Every second from the chosen one is 1, 3, 5, 7; where the ends leave no room, the ends stay.
    assert even(page, line, [3]) == [0, 3, 5, 8]
    assert even(page, [(0, 30), (40, 70)]) == [0, 1]
    assert even(page, [(0, 30), (10, 40)]) == [0]
    assert even(page, []) == []


def test_labels_on_a_line_do_not_touch_and_the_ends_and_the_chosen_one_stay(page):
    kept = shown(page, "straight")
    assert {0, 7, 23} <= set(kept)
    assert 4 <= len(kept) < 12
    assert all(right < left for (_one, right), (left, _two) in pairwise(boxes(page, "straight", "x")))


def test_what_is_left_out_is_still_said_on_hover(page):
    hidden = next(place for place in range(24) if place not in shown(page, "straight"))
    plot = page.locator("[data-figure=straight] .attnviz-plot")
    plot.scroll_into_view_if_needed()
    x, y = plot.evaluate(
        """(plot, place) => {
          const { xaxis, yaxis } = plot._fullLayout, box = plot.getBoundingClientRect();
          return [box.x + xaxis._offset + xaxis.d2p(place), box.y + yaxis._offset + yaxis.d2p(place)];
        }""",
        hidden,
    )
    page.mouse.move(x, y)
    expect(page.locator("[data-figure=straight] .hovertext")).to_contain_text(f"token number {hidden}")


def test_lines_above_each_other_do_not_touch(page):
    kept = shown(page, "slanted", "y")
    steps = {after - before for before, after in pairwise(kept[:-1])}
    assert len(steps) == 1
    assert steps.pop() >= 2
    assert {0, 23} <= set(kept)
    # The boxes of letters have room above and below them, of which a fifth of a line may be shared.
    found = boxes(page, "slanted", "y")
    assert all(below - above >= -0.2 * (above - top) for (top, above), (below, _end) in pairwise(found))


def test_slanted_labels_stand_closer_than_straight_ones(page):
    assert len(shown(page, "slanted")) > 2 * len(shown(page, "straight"))


def test_categories_are_thinned_too(page):
    kept = shown(page, "categories")
    assert {0, 23} <= set(kept)
    assert len(kept) < 12
    assert all(right < left for (_one, right), (left, _two) in pairwise(boxes(page, "categories", "x")))


def test_labels_come_back_with_the_room_and_go_with_it(page):
    narrow = shown(page, "straight")
    page.set_viewport_size({"width": 3000, "height": 900})
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-figure=straight] .xtick text')]"
        ".every(one => getComputedStyle(one).visibility === 'visible')"
    )
    page.set_viewport_size({"width": 760, "height": 900})
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-figure=straight] .xtick text')]"
        ".some(one => getComputedStyle(one).visibility === 'hidden')"
    )
    assert shown(page, "straight") == narrow


def test_new_numbers_keep_the_labels_apart(page):
    before = shown(page, "straight")
    page.locator("input[type=range]").focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('[data-figure=straight] .attnviz-plot').data[0].y[0] === 10")
    assert shown(page, "straight") == before


def test_a_part_that_is_zoomed_in_shows_more_of_its_labels(page):
    page.evaluate(
        "Plotly.relayout(document.querySelector('[data-figure=straight] .attnviz-plot'), {'xaxis.range': [9.6, 12.4]})"
    )
    page.wait_for_function("document.querySelectorAll('[data-figure=straight] .xtick text').length === 3")
    assert shown(page, "straight") == [10, 11, 12]


def test_the_two_scales_of_weight_bars_do_not_run_into_each_other(page):
    page.set_viewport_size({"width": 360, "height": 900})
    page.wait_for_function("document.querySelector('[data-figure=bars] .attnviz-plot')._fullLayout.width < 360")
    page.wait_for_function(f"() => (all => {SEEN}.length < 5)([...document.querySelectorAll('{SCALES}')])")
    found = page.locator(SCALES).evaluate_all(
        f"""all => {SEEN}.map(one => [one.getBoundingClientRect().left, one.getBoundingClientRect().right])"""
    )
    assert all(right < left for (_one, right), (left, _two) in pairwise(sorted(found)))
    # Each scale still says where it begins.
    texts = page.locator(SCALES).evaluate_all(f"all => {SEEN}.map(one => one.textContent)")
    assert "0" in texts
    assert "0%" in texts


@pytest.mark.parametrize("figure", ["straight", "categories"])
def test_a_saved_picture_leaves_out_the_same(page, figure):
    kept = shown(page, figure)
    with page.expect_download() as waiting:
        page.locator(f"[data-figure={figure}] [data-action=svg]").click()
    drawing = Path(waiting.value.path()).read_text()
    assert sorted(int(number) for number in re.findall(r"token number (\d+)", drawing)) == kept
