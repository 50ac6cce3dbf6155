"""The address follows the page when a control is released, and a link opens what it was copied from."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"


@pytest.fixture
def url(start_app) -> str:
    return f"{start_app(SITE).url}/state"


def opened(chromium_page, url, **options):
    page = chromium_page(url, **options)
    page.wait_for_selector(".attnviz-share[data-attnviz-painted]")
    return page


def query(page) -> str:
    return page.evaluate("location.search")


def test_the_address_is_written_and_opens_the_same_view_in_another_browser(url, chromium_page):
    page = opened(chromium_page, url)
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search === '?n=2'")
    page.reload()
    expect(page.get_by_text("SEEN 2")).to_be_visible()
    other = opened(chromium_page, page.url)
    expect(other.get_by_text("SEEN 2")).to_be_visible()
    expect(other.locator("input[type=range]")).to_have_value("2")


def test_the_server_sees_the_written_address_on_its_next_run(url, chromium_page):
    page = opened(chromium_page, f"{url}?n=1")
    expect(page.get_by_text("SEEN 1")).to_be_visible()
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search === '?n=2'")
    page.get_by_role("button", name="Again").click()
    expect(page.get_by_text("SEEN 2")).to_be_visible()


def test_nothing_is_written_while_the_pointer_is_pressed(url, chromium_page):
    page = opened(chromium_page, url)
    page.evaluate("""() => {
      const write = history.replaceState.bind(history);
      window.writes = [];
      history.replaceState = (...all) => { window.writes.push([String(all[2]), window.down]); write(...all); };
      addEventListener('pointerdown', () => (window.down = true), true);
      addEventListener('pointerup', () => (window.down = false), true);
    }""")
    track = page.locator("[data-testid=stSlider]").get_by_role("group").first
    box = track.bounding_box()
    thumb = page.locator("input[type=range]").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.3, 0.5, 0.7):
        page.mouse.move(box["x"] + box["width"] * part, y)
    # The server has answered the drag, and a good while longer than the pause has gone by.
    expect(page.locator("[data-testid=stSliderThumbValue]")).to_have_text("7")
    page.evaluate("new Promise((done) => setTimeout(done, 600))")
    assert query(page) == ""
    page.mouse.up()
    page.wait_for_function("location.search === '?n=7'")
    assert all(not down for _url, down in page.evaluate("window.writes"))


def test_other_parameters_stay_and_streamlits_own_are_not_disturbed(url, chromium_page):
    page = opened(chromium_page, f"{url}?lang=ja&n=3")
    expect(page.get_by_text("LANG ja")).to_be_visible()
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("new URLSearchParams(location.search).get('n') === '4'")
    assert page.evaluate("new URLSearchParams(location.search).get('lang')") == "ja"
    # Bound to the query string by Streamlit itself: back to its default, which is not written.
    page.get_by_role("radio", name="en", exact=True).or_(page.get_by_role("button", name="en", exact=True)).click()
    expect(page.get_by_text("LANG en")).to_be_visible()
    page.wait_for_function("location.search === '?n=4'")


def test_an_empty_value_takes_its_parameter_away(url, chromium_page):
    page = opened(chromium_page, f"{url}?n=1")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("location.search === ''")


def test_writing_adds_nothing_to_the_history(url, chromium_page):
    page = opened(chromium_page, url)
    before = page.evaluate("history.length")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search === '?n=1'")
    assert page.evaluate("history.length") == before


def test_copy_link_copies_the_address_as_it_is_now(url, chromium_page):
    page = opened(chromium_page, url, permissions=["clipboard-read", "clipboard-write"])
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('[data-testid=stSliderThumbValue]').textContent === '1'")
    expect(page.get_by_text("SEEN")).to_be_visible()
    page.wait_for_function("location.search === '?n=1'")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{url}?n=1"


def test_where_copying_is_refused_the_link_is_shown_selected(url, chromium_page):
    page = opened(chromium_page, url)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_role("textbox", name="Link to this view")
    expect(field).to_have_value(url)
    assert page.evaluate("getSelection().toString() || document.activeElement.value") == url
