"""The canvas matrix: exact numbers, distinct states, a view that stays, and nothing that vanishes when small."""

import base64
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attnviz.figures.codes import code_colours
from tests.browser.conftest import painted, paints

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"
MAP = ".st-key-matrix .attnviz-matrix"
CANVAS = f"{MAP} canvas"
READOUT = f"{MAP} .attnviz-readout"


@pytest.fixture
def url(start_app) -> str:
    return f"{start_app(SITE).url}/matrix"


def opened(chromium_page, url) -> Page:
    page = chromium_page(url)
    page.wait_for_selector(f"{MAP}[data-attnviz-painted]")
    return page


@pytest.fixture
def page(url, chromium_page) -> Page:
    return opened(chromium_page, url)


def view(page: Page) -> list[float]:
    """First column and row that are seen, and the size of a cell in CSS pixels."""
    return [float(part) for part in page.locator(MAP).get_attribute("data-attnviz-view").split()]


def place(page: Page, row: int, column: int) -> tuple[float, float]:
    """Where the middle of a cell is on the screen."""
    box = page.locator(CANVAS).bounding_box()
    x, y, across, down = view(page)
    # The gutters that hold the labels.
    return box["x"] + 110 + (column + 0.5 - x) * across, box["y"] + 4 + (row + 0.5 - y) * down


def zoom_in(page: Page, times: int) -> None:
    page.locator(CANVAS).focus()
    for _time in range(times):
        before = view(page)
        page.keyboard.press("+")
        page.wait_for_function(
            "([map, before]) => document.querySelector(map).dataset.attnvizView !== before",
            arg=[MAP, " ".join(f"{part:.3f}" for part in before)],
        )


def pixels(page: Page, row: int, column: int, size: int = 14) -> list[tuple[int, ...]]:
    """The colours of a square in the middle of a cell."""
    box = page.locator(CANVAS).bounding_box()
    x, y = place(page, row, column)
    data = page.locator(CANVAS).evaluate(
        "(canvas, [x, y, n]) => [...canvas.getContext('2d').getImageData(x, y, n, n).data]",
        [round(x - box["x"] - size / 2), round(y - box["y"] - size / 2), size],
    )
    return [tuple(data[at : at + 4]) for at in range(0, len(data), 4)]


def go_to_the_corner(page: Page) -> None:
    """The cursor on cell (0, 0), so that zooming keeps it in sight."""
    page.locator(CANVAS).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")


def test_zoom_and_place_stay_while_the_codes_change(page):
    zoom_in(page, 3)
    before = view(page)
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("SHIFT 1")).to_be_visible()
    assert view(page) == before
    page.locator(CANVAS).dblclick()
    page.wait_for_function("map => document.querySelector(map).dataset.attnvizView.startsWith('0.000 0.000')", arg=MAP)
    assert view(page)[2] < before[2]


def test_the_wheel_zooms_around_the_pointer_once_the_map_has_the_focus(page):
    x, y = place(page, 80, 80)
    page.mouse.move(x, y)
    whole = view(page)
    page.mouse.wheel(0, -400)
    expect(page.locator(READOUT)).to_contain_text("Ctrl")
    assert view(page) == whole
    page.locator(CANVAS).focus()
    page.mouse.wheel(0, -400)
    page.wait_for_function(
        "([map, size]) => Number(document.querySelector(map).dataset.attnvizView.split(' ')[2]) > size",
        arg=[MAP, whole[2] * 1.5],
    )
    # Across, the square map still has room beside it and stays at its labels.
    assert place(page, 80, 80)[1] == pytest.approx(y, abs=1)


def test_dragging_moves_a_map_that_is_zoomed_in(page):
    zoom_in(page, 4)
    x, y, across, _down = view(page)
    start = place(page, int(y) + 5, int(x) + 5)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 40, start[1], steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([map, x]) => Number(document.querySelector(map).dataset.attnvizView.split(' ')[0]) < x", arg=[MAP, x - 1]
    )
    assert view(page)[0] == pytest.approx(x - 40 / across, abs=0.05)
    # A drag is not a click.
    expect(page.get_by_text("CLICKED None")).to_be_visible()


def test_a_cell_is_told_at_once_and_then_exactly(page):
    zoom_in(page, 2)
    _x, row, _across, _down = view(page)
    row = int(row) + 6
    column = int(_x) + 4
    page.mouse.move(*place(page, row, column))
    # 2^((100 − 4)·24/251 − 24) = 3.5·10⁻⁵ is what code 100 stands for.
    told = page.locator(READOUT)
    expect(told).to_have_text(re.compile(rf"exactly 100 at {row}, {column} with shift 0"))
    expect(told).to_have_attribute("data-exact", "true")


def test_the_approximate_value_stands_there_until_the_exact_one_comes(page):
    zoom_in(page, 2)
    page.evaluate(
        """map => {
          const said = document.querySelector(map + ' .attnviz-readout');
          window.told = [];
          new MutationObserver(() => window.told.push(said.textContent)).observe(said, { childList: true, subtree: true, characterData: true });
        }""",
        MAP,
    )
    x, y, *_sizes = view(page)
    row, column = int(y) + 6, int(x) + 4
    page.mouse.move(*place(page, row, column))
    expect(page.locator(READOUT)).to_contain_text("exactly")
    first = page.evaluate("window.told")[0]
    assert first == f"“<b>token{row}</b>” ({row}) → “<b>token{column}</b>” ({column}): ≈ 0.000035"


def test_an_old_exact_value_is_not_shown_for_new_codes(page):
    zoom_in(page, 2)
    x, y, *_sizes = view(page)
    row, column = int(y) + 6, int(x) + 4
    page.mouse.move(*place(page, row, column))
    expect(page.locator(READOUT)).to_contain_text("shift 0")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    # The page answers for the same cell with the new codes.
    expect(page.locator(READOUT)).to_contain_text(f"exactly 101 at {row}, {column} with shift 1")


def test_an_answer_does_not_send_the_codes_again(url, chromium_page):
    sizes: list[int] = []
    page = chromium_page()
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: sizes.append(len(data))))
    page.goto(f"{url}?size=512")
    page.wait_for_selector(f"{MAP}[data-attnviz-painted]")
    assert max(sizes) > 512 * 512
    sizes.clear()
    page.mouse.move(*place(page, 100, 100))
    expect(page.locator(READOUT)).to_contain_text("exactly")
    sizes.clear()
    page.mouse.move(*place(page, 300, 200))
    expect(page.locator(READOUT)).to_contain_text(re.compile("at (29|30)"))
    # What is left is the colours and what is said; the codes alone are a quarter of a megabyte.
    assert 0 < max(sizes) < 60_000


def test_the_four_special_states_look_different_from_each_other_and_from_weights(page):
    go_to_the_corner(page)
    zoom_in(page, 6)
    colours = code_colours()
    found = {code: set(pixels(page, 0, column)) for column, code in enumerate((0, 1, 2, 3, 255))}
    # Flat: absent, zero and the largest weight. Hatched: fully masked and NaN, over their own ground.
    assert found[3] == {tuple(int(part) for part in colours[3])}
    assert found[255] == {tuple(int(part) for part in colours[255])}
    assert len(found[0]) == 1
    assert len(found[1]) > 2
    assert len(found[2]) > 2
    assert tuple(int(part) for part in colours[2]) in found[2]
    grounds = [max(set(pixels(page, 0, column)), key=pixels(page, 0, column).count) for column in range(5)]
    assert len(set(grounds)) == 5


def test_one_large_weight_among_small_ones_is_seen_when_a_pixel_holds_many_cells(url, chromium_page):
    page = opened(chromium_page, f"{url}?size=2048")
    assert view(page)[2] < 0.5
    brightest = tuple(int(part) for part in code_colours()[255])
    x, y = place(page, 2048 - 7, 2048 - 9)
    box = page.locator(CANVAS).bounding_box()
    data = page.locator(CANVAS).evaluate(
        "(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(x, y, 5, 5).data]",
        [round(x - box["x"]) - 2, round(y - box["y"]) - 2],
    )
    assert brightest in {tuple(data[at : at + 4]) for at in range(0, len(data), 4)}
    # And the pointer on that pixel finds that very cell.
    page.mouse.move(x, y)
    expect(page.locator(READOUT)).to_contain_text(f"exactly 255 at {2048 - 7}, {2048 - 9}")


def test_a_click_and_the_keyboard_choose_a_cell(page):
    zoom_in(page, 2)
    x, y, *_sizes = view(page)
    row, column = int(y) + 6, int(x) + 4
    page.mouse.click(*place(page, row, column))
    expect(page.get_by_text(f"CLICKED ({row}, {column})")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator(READOUT)).to_contain_text(f"exactly 100 at {row + 1}, {column + 1}")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"CLICKED ({row + 1}, {column + 1})")).to_be_visible()


def test_an_atlas_names_its_maps(page):
    canvas = page.locator(".st-key-atlas canvas")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-atlas .attnviz-readout")).to_have_text(re.compile(r"^map layer 0 · 0: ≈ "))


def test_the_exported_page_is_alone_and_its_words_are_text(page, chromium_page, tmp_path):
    with page.expect_download() as waiting:
        page.locator(f"{MAP} [data-action=html]").click()
    file = tmp_path / "map.html"
    file.write_bytes(Path(waiting.value.path()).read_bytes())
    alone = chromium_page(file.as_uri(), offline=True)
    assert alone.title() == "A map of <b>weights</b>."
    expect(alone.locator("b")).to_have_count(0)
    drawn = alone.locator("image").evaluate("image => image.href.baseVal")
    assert base64.b64decode(drawn.split(",")[1]).startswith(b"\x89PNG")


def test_the_exported_picture_is_on_white_and_holds_the_colours_of_the_map(page):
    with page.expect_download() as waiting:
        page.locator(f"{MAP} [data-action=png]").click()
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_map_that_comes_where_there_is_no_room_yet_is_drawn_once_there_is(url, chromium_page):
    page = chromium_page()
    page.add_init_script("""document.addEventListener("DOMContentLoaded", () => {
      const style = document.createElement("style");
      style.id = "folded";
      style.textContent = ".attnviz-matrix { display: none }";
      document.head.append(style);
    })""")
    page.goto(url)
    page.locator(f"{MAP}[data-attnviz-painted]").wait_for(state="attached")
    assert page.locator(MAP).get_attribute("data-attnviz-view") is None
    page.evaluate("document.querySelector('#folded').remove()")
    page.wait_for_selector(f"{MAP}[data-attnviz-view]")
    page.locator(CANVAS).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(READOUT)).not_to_be_empty()


def test_what_comes_while_the_map_is_folded_away_is_drawn_when_it_is_seen_again(page):
    drawn = "map => document.querySelector(`${map} canvas`).toDataURL()"
    before = page.evaluate(drawn, MAP)
    page.add_style_tag(content=".folded .attnviz-matrix { display: none }")
    page.evaluate("document.body.classList.add('folded')")
    seen = paints(page, MAP)
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    painted(page, seen, MAP)
    assert page.evaluate(drawn, MAP) == before
    page.evaluate("document.body.classList.remove('folded')")
    page.wait_for_function(
        "([map, before]) => document.querySelector(`${map} canvas`).toDataURL() !== before", arg=[MAP, before]
    )
