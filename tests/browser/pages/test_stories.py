"""Walking and making stories as a person does: with keys, buttons, links and files."""

import json
import re

import pytest
from playwright.sync_api import expect

from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui.stories import catalogue
from attnviz.ui.stories.model import from_json, said
from attnviz.ui.views.heads import HeadsView
from attnviz.ui.views.playground import PlaygroundView

pytestmark = pytest.mark.browser

STORY = catalogue.shipped("not-zero")
CHART = ".attnviz-chart[data-attnviz-painted]"
PATIENCE = 90_000
# From .streamlit/config.toml.
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 21, 28)"}


def at(page, number, story=STORY):
    """Waits until the bar says this step, counted from 1, and its sentence."""
    expect(page.locator(".attnviz-story-place")).to_have_text(f"{number} / {len(story.steps)}", timeout=PATIENCE)
    expect(page.locator(".attnviz-story-sentence")).to_have_text(said(story.steps[number - 1].say))


def heading(page, title):
    page.get_by_role("heading", name=title, exact=True).wait_for(timeout=PATIENCE)


def walk(chromium_page, site, number, **options):
    """A fresh browser at a step of the shipped story."""
    page = chromium_page(f"{site}/?story=not-zero&step={number}", **options)
    at(page, number)
    return page


def settled(page):
    """Nothing runs any more, and the address says what is shown."""
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton]')")


def test_a_story_is_walked_by_keys_from_page_to_page_and_back(chromium_page, site):
    page = chromium_page(f"{site}/stories")
    page.get_by_role("button", name="Walk through").first.click()
    at(page, 1)
    heading(page, "What does attention look at?")
    page.keyboard.press("ArrowRight")
    at(page, 2)
    heading(page, "Playground")
    page.wait_for_selector(f"{CHART} [data-figure=weights]")
    page.wait_for_function("new URLSearchParams(location.search).get('step') === '2'")
    page.keyboard.press("PageDown")
    at(page, 3)
    heading(page, "Intersection")
    page.keyboard.press("PageUp")
    at(page, 2)
    heading(page, "Playground")
    page.keyboard.press("ArrowLeft")
    at(page, 1)
    heading(page, "What does attention look at?")
    page.wait_for_function("location.search.includes('step=1') && location.search.includes('story=not-zero')")


def test_the_browsers_own_way_back_is_followed(chromium_page, site):
    page = walk(chromium_page, site, 2)
    page.wait_for_function("location.search.includes('step=2') && location.search.includes('view=')")
    page.keyboard.press("ArrowRight")
    at(page, 3)
    heading(page, "Intersection")
    page.wait_for_function("location.search.includes('step=3')")
    page.go_back()
    heading(page, "Playground")
    at(page, 2)
    page.keyboard.press("ArrowRight")
    at(page, 3)
    heading(page, "Intersection")


def test_the_keys_work_whatever_has_the_focus(chromium_page, site):
    page = walk(chromium_page, site, 2)
    page.wait_for_selector(f"{CHART} [data-figure=arrows]")
    page.get_by_role("button", name="Reset").focus()
    page.keyboard.press("ArrowRight")
    at(page, 3)
    page.keyboard.press("ArrowLeft")
    at(page, 2)
    page.wait_for_selector(f"{CHART} [data-figure=arrows]")
    page.get_by_role("checkbox", name="÷ √d").or_(page.get_by_role("switch", name="÷ √d")).first.focus()
    page.keyboard.press("PageDown")
    at(page, 3)


def test_a_slider_and_a_dragged_arrow_keep_their_own_keys(chromium_page, site):
    page = walk(chromium_page, site, 2)
    page.wait_for_selector(f"{CHART} [data-figure=arrows]")
    slider = page.get_by_role("slider", name="query · ego car · 2")
    slider.focus()
    before = slider.input_value()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("location.search.includes('view=')")
    expect(slider).not_to_have_value(before)
    handle = page.locator('.attnviz-handle[aria-label*="parked"]')
    handle.focus()
    said_before = handle.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(handle).not_to_have_attribute("aria-label", said_before)
    at(page, 2)
    # What was tried is not the story's: the step shows its own again.
    page.keyboard.press("PageDown")
    at(page, 3)
    page.keyboard.press("PageUp")
    at(page, 2)
    expect(page.get_by_role("slider", name="query · ego car · 2")).to_have_value(before)


def test_within_a_page_nothing_is_made_anew(chromium_page, site):
    page = walk(chromium_page, site, 2)
    page.wait_for_selector(f"{CHART} [data-figure=weights]")
    page.evaluate("document.querySelector('.attnviz-story').marked = true")
    page.keyboard.press("ArrowRight")
    at(page, 3)
    heading(page, "Intersection")
    settled(page)
    page.evaluate("document.querySelector('h1').marked = true")
    before = page.locator("h1").bounding_box()
    page.keyboard.press("ArrowRight")
    at(page, 4)
    assert page.evaluate("document.querySelector('h1').marked && document.querySelector('.attnviz-story').marked")
    assert page.locator("h1").bounding_box() == before


def test_the_picture_and_its_zoom_stay_from_step_to_step_on_a_page(chromium_page, site, tmp_path):
    steps = [
        {"page": "playground", "view": {"page": "playground", "example": "intersection", "scale": scale}, "say": str(n)}
        for n, scale in enumerate((True, False))
    ]
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"version": 1, "title": "Two", "steps": steps}))
    page = chromium_page(f"{site}/stories")
    page.get_by_text("Open a story file").click(timeout=PATIENCE)
    page.locator('section[data-testid="stFileUploaderDropzone"] input').last.set_input_files(path)
    page.get_by_role("textbox", name="What to say at step 2").wait_for()
    page.get_by_role("button", name="Walk through").last.click()
    expect(page.locator(".attnviz-story-place")).to_have_text("1 / 2")
    page.wait_for_selector(f"{CHART} [data-figure=weights]")
    page.get_by_text("0.663").first.wait_for()
    settled(page)
    page.evaluate("document.querySelector('[data-figure=weights] .attnviz-plot').marked = true")
    page.keyboard.press("PageDown")
    expect(page.locator(".attnviz-story-place")).to_have_text("2 / 2")
    # Unscaled: facts of the same example, 0.268, 0.730, 0.0018.
    page.locator("[data-figure=weights]").get_by_text("0.730").first.wait_for()
    assert page.evaluate("document.querySelector('[data-figure=weights] .attnviz-plot').marked")
    assert "story=" not in page.url


@pytest.mark.parametrize("number", [1, 2, 7])
def test_a_copied_link_opens_at_its_step_in_a_fresh_browser(chromium_page, site, number):
    page = walk(chromium_page, site, number)
    page.wait_for_function(f"location.search.includes('step={number}') && location.search.includes('present=1')")
    if number > 1:
        page.wait_for_function("location.search.includes('view=')")
    settled(page)
    fresh = chromium_page(page.url)
    at(fresh, number)
    titles = {1: "What does attention look at?", 2: "Playground", 7: "Intersection"}
    heading(fresh, titles[number])
    assert fresh.locator('[data-testid="stSidebar"]').is_hidden()


def test_what_a_presenter_changed_is_in_the_link(chromium_page, site):
    page = walk(chromium_page, site, 2)
    page.wait_for_selector(f"{CHART} [data-figure=weights]")
    page.wait_for_function("location.search.includes('view=')")
    before = page.url
    slider = page.get_by_role("slider", name="query · ego car · 2")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("before => location.href !== before", arg=before)
    shown = slider.input_value()
    fresh = chromium_page(page.url)
    at(fresh, 2)
    expect(fresh.get_by_role("slider", name="query · ego car · 2")).to_have_value(shown)


def test_ending_leaves_one_on_the_page_with_everything_to_edit(chromium_page, site):
    page = walk(chromium_page, site, 2)
    page.wait_for_selector(f"{CHART} [data-figure=weights]")
    page.get_by_role("button", name="End presenting").click()
    expect(page.locator(".attnviz-story")).to_have_count(0)
    expect(page.locator('[data-testid="stSidebar"]')).to_be_visible()
    page.get_by_role("combobox", name="Start from").wait_for()
    expect(page.get_by_role("slider", name="query · ego car · 2")).to_have_value("2")
    page.wait_for_function("!/story=|step=|present=/.test(location.search) && location.search.includes('view=')")
    page.keyboard.press("ArrowRight")
    heading(page, "Playground")


def test_zoom_and_view_survive_switching_presenting_on_and_off(chromium_page, link):
    page = chromium_page(link(HeadsView(text="The black cat.", layer=2, head=5, query=3)), height=1400)
    page.wait_for_selector(f"{CHART} [data-figure=matrix]", timeout=PATIENCE)
    plot = "document.querySelector('[data-figure=matrix] .attnviz-plot')"
    page.locator("[data-figure=matrix]").scroll_into_view_if_needed()
    cell = f"([x, y]) => {{ const {{xaxis, yaxis}} = {plot}._fullLayout, box = {plot}.getBoundingClientRect();"
    cell += " return [box.x + xaxis._offset + xaxis.d2p(x), box.y + yaxis._offset + yaxis.d2p(y)]; }"
    page.mouse.move(*page.evaluate(cell, [1, 1]))
    page.mouse.down()
    page.mouse.move(*page.evaluate(cell, [4, 4]), steps=5)
    page.mouse.up()
    ranges = f"[...{plot}._fullLayout.xaxis.range, ...{plot}._fullLayout.yaxis.range].map(one => one.toFixed(3)).join()"
    page.wait_for_function(f"{plot}._fullLayout.xaxis.range[0] > 0.5")
    zoomed = page.evaluate(ranges)
    page.evaluate(f"{plot}.marked = true")
    usual = page.evaluate(f"{plot}._fullLayout.xaxis.tickfont.size")
    page.get_by_text("Presenting", exact=True).click()
    page.wait_for_function(f"{plot}?._fullLayout.xaxis.tickfont.size > {usual} * 1.3")
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") >= 22
    page.wait_for_function("location.search.includes('present=1')")
    settled(page)
    assert page.evaluate(ranges) == zoomed
    page.get_by_role("button", name="End presenting").click()
    page.wait_for_function(f"{plot}?._fullLayout.xaxis.tickfont.size === {usual}")
    settled(page)
    assert page.evaluate(f"{plot}.marked")
    assert page.evaluate(ranges) == zoomed
    page.get_by_text("What “cat” (3) looks at.").wait_for()


@pytest.mark.parametrize(
    ("theme", "width", "language"),
    [("light", 1400, "en"), ("dark", 1400, "ru"), ("light", 1024, "ru"), ("dark", 1024, "en"), ("light", 700, "ja"),
     ("dark", 700, "ru")],
)  # fmt: skip
def test_nothing_is_cut_and_nothing_jumps(chromium_page, site, theme, width, language):
    page = chromium_page(f"{site}/?story=not-zero&step=2&lang={language}", width=width, color_scheme=theme)
    with speaking(language):
        _walk_to_the_end(page, theme, width)
    page.get_by_role("button", name=re.compile("^End|^発表|^Закончить")).click()
    # Presenting without a story: the bar's menu and the way out fit as well.
    page.goto(f"{site}/?present=1")
    bar = page.locator(".attnviz-story")
    bar.wait_for(timeout=PATIENCE)
    for part in bar.locator("select, button").all():
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def _walk_to_the_end(page, theme, width):
    at(page, 2)
    page.wait_for_selector(f"{CHART} [data-figure=weights]")
    assert page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor") == GROUND[theme]
    bar = page.locator(".attnviz-story")
    places = []
    for number in range(2, 9):
        at(page, number)
        box = bar.bounding_box()
        places.append((box["y"], box["height"]))
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        inside = "one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight"
        assert page.locator(".attnviz-story-sentence").evaluate(inside), number
        page.keyboard.press("PageDown")
    assert len(set(places)) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_speaks_the_language_of_the_link(chromium_page, site, language):
    with speaking(language):
        page = chromium_page(f"{site}/?story=not-zero&step=2&lang={language}")
        at(page, 2)
        heading(page, translate("Playground"))
        page.locator("[data-figure=weights]").get_by_text(translate("pedestrian")).first.wait_for(timeout=PATIENCE)
        page.keyboard.press("ArrowRight")
        at(page, 3)
        page.wait_for_function("location.search.includes('step=3')")
        assert ("lang=" in page.url) == (language != "en")


def test_a_story_is_made_from_two_visited_views_reordered_saved_and_opened(chromium_page, site, link, tmp_path):
    page = chromium_page(link(PlaygroundView.start("quiz")))
    page.wait_for_selector(CHART, timeout=PATIENCE)
    page.get_by_role("link", name="Start", exact=True).click()
    heading(page, "What does attention look at?")
    page.get_by_role("link", name="Stories", exact=True).click()
    heading(page, "Stories")
    # The newest first: Start, then the Playground.
    add = page.get_by_role("button", name="Add", exact=True)
    expect(add).to_have_count(2)
    add.nth(0).click()
    page.get_by_role("textbox", name="What to say at step 1").wait_for()
    add.nth(1).click()
    second = page.get_by_role("textbox", name="What to say at step 2")
    second.fill("Which key fits?")
    second.press("Control+Enter")
    first = page.get_by_role("textbox", name="What to say at step 1")
    expect(first).to_have_value("")
    # By keyboard alone.
    up = page.get_by_role("button", name="Up").nth(1)
    up.focus()
    page.keyboard.press("Enter")
    expect(first).to_have_value("Which key fits?")
    settled(page)
    title = page.get_by_role("textbox", name="Title")
    before = page.url
    title.fill("Mine")
    title.press("Enter")
    # The address had a view before; what is waited for is the one with the title, and the page after it.
    page.wait_for_function("before => location.href !== before", arg=before)
    settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as a file").click()
    path = tmp_path / "story.json"
    waiting.value.save_as(path)
    story = from_json(path.read_bytes())
    assert (story.title, [step.page for step in story.steps]) == ("Mine", ["playground", "start"])
    assert story.steps[0].shown() == PlaygroundView.start("quiz")
    fresh = chromium_page(f"{site}/stories")
    fresh.get_by_text("Open a story file").click(timeout=PATIENCE)
    fresh.locator('section[data-testid="stFileUploaderDropzone"] input').last.set_input_files(path)
    expect(fresh.get_by_role("textbox", name="What to say at step 1")).to_have_value("Which key fits?")
    expect(fresh.get_by_role("textbox", name="Title")).to_have_value("Mine")
    fresh.get_by_role("button", name="Walk through").last.click()
    expect(fresh.locator(".attnviz-story-sentence")).to_have_text("Which key fits?")
    heading(fresh, "Playground")
    fresh.get_by_text(re.compile(r"^0\.88")).first.wait_for(timeout=PATIENCE)


def test_the_focus_goes_with_a_step_that_is_moved(chromium_page, site):
    page = chromium_page(f"{site}/stories")
    page.get_by_role("button", name="Make my own from it").first.click(timeout=PATIENCE)
    last = page.get_by_role("textbox", name="What to say at step 8")
    last.wait_for()
    words = last.input_value()
    page.get_by_role("button", name="Up").last.focus()
    for number in (7, 6, 5, 4):
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name=f"What to say at step {number}")).to_have_value(words)
        expect(page.get_by_role("button", name="Up").nth(number - 1)).to_be_focused()
    page.get_by_role("button", name="Down").nth(3).focus()
    for number in (5, 6, 7):
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name=f"What to say at step {number}")).to_have_value(words)
        expect(page.get_by_role("button", name="Down").nth(number - 1)).to_be_focused()


def test_the_sidebar_adds_the_view_that_is_shown(chromium_page, link):
    page = chromium_page(link(PlaygroundView.start("quiz")))
    page.wait_for_selector(CHART, timeout=PATIENCE)
    page.get_by_text("Share this view").click()
    page.get_by_role("button", name="Add to my story").click()
    page.get_by_text("Added to your story as step 1.").wait_for()
    page.get_by_role("link", name="Stories", exact=True).click()
    page.get_by_role("textbox", name="What to say at step 1").wait_for()
    page.get_by_text("Quiz · query (1, 0) · not divided").first.wait_for()


def test_impatient_presses_arrive_where_they_add_up(chromium_page, site):
    page = walk(chromium_page, site, 1)
    for _press in range(5):
        page.keyboard.press("PageDown")
    at(page, 6)
    heading(page, "Intersection")
    for _press in range(4):
        page.keyboard.press("PageUp")
    at(page, 2)
    heading(page, "Playground")
    page.locator("[data-figure=weights]").get_by_text("0.663").first.wait_for()
