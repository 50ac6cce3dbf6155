"""The street: widths, numbers, hands and keys, one message in flight, exports."""

import csv
import io
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attnviz.figures import thickness

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"
ROOT = ".attnviz-scene"
LINES = f"""[...document.querySelectorAll('{ROOT} .attnviz-weight')].map(line => ({{
    user: line.dataset.user, head: Number(line.dataset.head), weight: Number(line.dataset.weight),
    width: Number(getComputedStyle(line).strokeWidth.replace('px', '')), colour: line.getAttribute('stroke'),
    ends: ['x1', 'y1', 'x2', 'y2'].map(name => Number(line.getAttribute(name))),
}}))"""


@pytest.fixture
def opened(chromium_page, start_app):
    def open_(query="", **options) -> Page:
        page = chromium_page(f"{start_app(SITE).url}/scene{query}", **options)
        page.wait_for_selector(f"{ROOT}[data-attnviz-painted]")
        return page

    return open_


@pytest.fixture
def page(opened) -> Page:
    return opened()


def user(page, name):
    return page.locator(f'{ROOT} .attnviz-user[data-id="{name}"]')


def middle(page, name):
    box = user(page, name).locator(".attnviz-body").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def state(page):
    return page.get_by_text("HEARD").inner_text()


def numbers(page):
    return page.locator(f"{ROOT} .attnviz-number").evaluate_all(
        "nodes => Object.fromEntries(nodes.map(node => [node.dataset.user, [...node.querySelectorAll('text')].map(one => one.textContent)]))"
    )


def test_widths_are_proportional_to_weights_within_a_pixel(opened):
    lines = opened("?users=5").evaluate(LINES)
    weights = {line["user"]: line["weight"] for line in lines}
    assert weights == {"u0": 0.6, "u1": 0.39, "u2": 1e-6, "u3": 0.0095, "u4": 1.0}
    widest = next(line["width"] for line in lines if line["weight"] == 1)
    for line in lines:
        assert line["width"] == pytest.approx(widest * line["weight"], abs=1)
        assert line["width"] == pytest.approx(thickness(line["weight"]), abs=1e-3)


def test_a_weight_of_a_millionth_is_drawn_and_printed(opened):
    page = opened("?users=4")
    line = next(line for line in page.evaluate(LINES) if line["weight"] == 1e-6)
    assert line["width"] >= 0.8
    assert numbers(page) == {"u0": ["0.600"], "u1": ["0.390"], "u2": ["1.0·10⁻⁶"], "u3": ["0.0095"]}


def test_zero_has_a_line_and_what_is_no_number_has_none_but_says_so(opened):
    page = opened("?users=7")
    widths = {line["user"]: line["width"] for line in page.evaluate(LINES)}
    assert widths["u5"] == pytest.approx(0.8)
    assert widths["u6"] == 0
    assert numbers(page)["u5"] == ["0"]
    assert numbers(page)["u6"] == ["NaN"]


def test_lines_of_several_heads_run_beside_each_other_and_never_overlap(opened):
    page = opened("?users=3&heads=4")
    lines = page.evaluate(LINES)
    assert len({line["colour"] for line in lines}) == 4
    for name in ("u0", "u1", "u2"):
        for one, other in combinations([line for line in lines if line["user"] == name], 2):
            apart = ((one["ends"][0] - other["ends"][0]) ** 2 + (one["ends"][1] - other["ends"][1]) ** 2) ** 0.5
            assert apart >= (one["width"] + other["width"]) / 2 + 1
    assert all(len(texts) == 4 for texts in numbers(page).values())


def test_a_head_is_switched_off_and_on(opened):
    page = opened("?users=3&heads=2")
    page.get_by_role("button", name="head 2").click()
    page.wait_for_function(f"document.querySelectorAll('{ROOT} .attnviz-weight').length === 3")
    assert {line["head"] for line in page.evaluate(LINES)} == {0}
    page.get_by_role("button", name="head 2").click()
    page.wait_for_function(f"document.querySelectorAll('{ROOT} .attnviz-weight').length === 6")


def test_the_own_weight_is_a_ring_with_its_number(opened):
    page = opened("?users=3&heads=2&own")
    rings = page.locator(f"{ROOT} .attnviz-ring")
    expect(rings).to_have_count(2)
    first, second = (
        {name: float(rings.nth(place).get_attribute(name)) for name in ("r", "stroke-width")} for place in range(2)
    )
    assert first["stroke-width"] == pytest.approx(thickness(0.25), abs=1e-3)
    assert second["r"] - first["r"] >= first["stroke-width"]
    assert numbers(page)["ego"] == ["0.250", "0.250"]


def test_a_dragged_road_user_takes_the_lines_end_along_before_python_hears_of_it(opened):
    page = opened("?slow=1")
    x, y = middle(page, "u1")
    before = next(line["ends"] for line in page.evaluate(LINES) if line["user"] == "u1")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y - 30, steps=4)
    page.wait_for_function(
        f"before => Math.abs({LINES}.find(line => line.user === 'u1').ends[2] - before - 50) < 3", arg=before[2]
    )
    assert "ScenePlace" not in state(page)
    after = next(line["ends"] for line in page.evaluate(LINES) if line["user"] == "u1")
    assert after[:2] == pytest.approx(before[:2], abs=6)
    page.mouse.up()
    expect(page.get_by_text("ScenePlace")).to_be_visible()


def test_while_dragged_it_speaks_only_where_places_change_weights(opened):
    heard = {}
    for query in ("?", "?live"):
        page = opened(query)
        x, y = middle(page, "u1")
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(12):
            page.mouse.move(x + 4 * step, y)
        page.mouse.up()
        expect(page.get_by_text("ScenePlace")).to_be_visible()
        page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
        heard[query] = state(page).count("ScenePlace")
    assert heard["?"] == 1
    assert heard["?live"] >= 1


def test_against_a_slow_page_few_are_sent_and_the_last_place_counts(opened):
    page = opened("?live&slow=0.4")
    x, y = middle(page, "u1")
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 2 * step, y)
        page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()
    at = float(user(page, "u1").get_attribute("data-x"))
    expect(page.get_by_text(f"LAST ({at:g}, ")).to_be_visible(timeout=20_000)
    assert state(page).count("ScenePlace") < 20


def test_escape_puts_a_dragged_one_back(page):
    x, y = middle(page, "u1")
    before = user(page, "u1").get_attribute("data-x")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y)
    page.wait_for_function("before => document.querySelector('[data-id=u1]').dataset.x !== before", arg=before)
    page.keyboard.press("Escape")
    page.wait_for_function("before => document.querySelector('[data-id=u1]').dataset.x === before", arg=before)
    page.mouse.up()


def test_keys_move_turn_choose_and_remove(page):
    user(page, "u1").focus()
    x, y = (float(user(page, "u1").get_attribute(f"data-{name}")) for name in "xy")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("q")
    expect(user(page, "u1")).to_have_attribute("data-heading", "15")
    assert float(user(page, "u1").get_attribute("data-x")) == x + 0.5
    assert float(user(page, "u1").get_attribute("data-y")) == y - 2.5
    expect(user(page, "u1")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Delete")
    expect(user(page, "u1")).to_have_count(0)


def test_turning_by_the_handle_and_by_button(page):
    x, y = middle(page, "u0")
    page.mouse.click(x, y)
    knob = page.locator(f"{ROOT} .attnviz-turn circle").last.bounding_box()
    page.mouse.move(knob["x"] + 7, knob["y"] + 7)
    page.mouse.down()
    page.mouse.move(x, y - 80, steps=6)
    page.mouse.up()
    expect(user(page, "u0")).to_have_attribute("data-heading", "90")
    expect(page.get_by_text("ScenePlace")).to_be_visible()
    page.get_by_role("button", name="Turn right").click()
    expect(user(page, "u0")).to_have_attribute("data-heading", "75")


def test_another_name_is_typed_where_the_road_user_stands(page):
    user(page, "u1").focus()
    page.keyboard.press("F2")
    page.keyboard.type("<i>tram</i>")
    page.keyboard.press("Enter")
    expect(page.get_by_text("NAMES ['<b>name</b>', '<i>tram</i>'")).to_be_visible()
    expect(user(page, "u1")).to_be_focused()
    user(page, "u1").dblclick()
    page.keyboard.type("never mind")
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Rename")).to_be_hidden()
    assert "never mind" not in state(page)


def test_somebody_is_added_where_nobody_stands(page):
    for count, kind in ((5, "child"), (6, "bus")):
        page.get_by_role("combobox", name="Add").select_option(kind)
        expect(page.locator(f"{ROOT} .attnviz-user")).to_have_count(count)
    places = page.locator(f"{ROOT} .attnviz-user").evaluate_all(
        "nodes => nodes.map(node => [Number(node.dataset.x), Number(node.dataset.y)])"
    )
    assert len(places) == 6
    for (x1, y1), (x2, y2) in combinations(places, 2):
        assert (x1 - x2) ** 2 + (y1 - y2) ** 2 > 2**2


def test_the_ego_can_be_moved_but_neither_renamed_nor_removed(page):
    user(page, "ego").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_text("LAST (0.0, -8.5, 90.0)")).to_be_visible()
    page.keyboard.press("Delete")
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="Rename")).to_be_hidden()
    expect(page.get_by_role("button", name="Remove")).to_be_disabled()
    assert "SceneRemove" not in state(page)


def test_zoom_stays_while_numbers_change(page):
    page.get_by_role("button", name="Zoom in").click()
    width = user(page, "u1").locator(".attnviz-body").bounding_box()["width"]
    user(page, "u1").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("ScenePlace")).to_be_visible()
    assert user(page, "u1").locator(".attnviz-body").bounding_box()["width"] == pytest.approx(width, abs=0.5)
    page.get_by_role("button", name="Show the whole street").click()
    assert user(page, "u1").locator(".attnviz-body").bounding_box()["width"] < width


def test_forty_road_users_keep_their_numbers_apart(opened):
    page = opened("?users=40", height=1100)
    boxes = page.locator(f"{ROOT} .attnviz-number rect:first-child").evaluate_all(
        "nodes => nodes.map(node => { const {left, top, right, bottom} = node.getBoundingClientRect(); return [left, top, right, bottom]; })"
    )
    assert len(boxes) == 40
    hidden = [
        (one, other)
        for one, other in combinations(boxes, 2)
        if min(one[2], other[2]) - max(one[0], other[0]) > 3 and min(one[3], other[3]) - max(one[1], other[1]) > 3
    ]
    assert hidden == []


def test_somebody_added_quickly_four_times_stands_in_four_places(opened):
    page = opened("?slow=0.3")
    for kind in ("child", "bus", "car", "van"):
        page.get_by_role("combobox", name="Add").select_option(kind)
    expect(page.locator(f"{ROOT} .attnviz-user")).to_have_count(8)
    places = page.locator(f"{ROOT} .attnviz-user").evaluate_all(
        "nodes => nodes.map(node => `${node.dataset.x} ${node.dataset.y}`)"
    )
    assert len(set(places)) == 8


def test_a_number_is_nearer_to_its_own_road_user_than_to_another(opened):
    page = opened("?users=5")
    spots = page.evaluate(
        f"""() => Object.fromEntries(['.attnviz-number', '.attnviz-user'].map(kind => [kind,
            [...document.querySelectorAll(`{ROOT} ${{kind}}`)].map(node => {{
                const box = (node.querySelector('.attnviz-body') ?? node).getBoundingClientRect();
                return [node.dataset.user ?? node.dataset.id, box.x + box.width / 2, box.y + box.height / 2];
            }})]))"""
    )
    for name, x, y in spots[".attnviz-number"]:
        others = [(ux - x) ** 2 + (uy - y) ** 2 for user, ux, uy in spots[".attnviz-user"] if user not in (name, "ego")]
        assert min(others) > 40**2, name


def test_where_everybody_stands_on_one_spot_no_number_covers_another(opened):
    page = opened("?users=3&together")
    boxes = page.locator(f"{ROOT} .attnviz-number rect:first-child").evaluate_all(
        "nodes => nodes.map(node => { const {left, top, right, bottom} = node.getBoundingClientRect(); return [left, top, right, bottom]; })"
    )
    for one, other in combinations(boxes, 2):
        assert min(one[2], other[2]) <= max(one[0], other[0]) or min(one[3], other[3]) <= max(one[1], other[1])


def test_more_numbers_than_fit_are_said_to_cover_each_other(opened):
    page = opened("?users=40&heads=6", width=500)
    expect(page.get_by_text("Some numbers cover each other")).to_be_visible()
    assert "cover each other" not in opened("?users=3").locator(f"{ROOT} .attnviz-readout").inner_text()


def test_without_tools_keys_spoil_nothing_and_plain_arrows_are_left_alone(opened):
    page = opened("?bare")
    user(page, "u1").focus()
    x = user(page, "u1").get_attribute("data-x")
    page.evaluate("addEventListener('keydown', event => { window.taken = event.defaultPrevented; })")
    for key in ("Delete", "F2", "q", "ArrowRight"):
        page.keyboard.press(key)
        assert page.evaluate("taken") is False, key
    expect(user(page, "u1")).to_have_attribute("data-x", x)
    page.keyboard.press("Shift+ArrowRight")
    expect(user(page, "u1")).to_have_attribute("data-x", f"{float(x) + 0.5:g}")
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)


def test_an_empty_name_asks_for_the_usual_one(page):
    user(page, "u1").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    expect(page.get_by_text("NAMES ['<b>name</b>', '', 'user 2']")).to_be_visible()


def test_names_and_descriptions_are_text(page):
    expect(user(page, "u0")).to_have_attribute("aria-label", "<b>name</b>: exact")
    expect(page.locator(f"{ROOT} b")).to_have_count(0)
    expect(page.locator(f"{ROOT} svg.attnviz-street")).to_have_attribute("aria-label", "A street of <b>tests</b>.")


def _saved(page, name):
    with page.expect_download() as download:
        page.locator(f'{ROOT} [data-action="{name}"]').click()
    return Path(download.value.path()).read_bytes()


def test_the_picture_leaves_as_svg_html_png_and_table(opened):
    page = opened("?users=4")
    drawing = _saved(page, "svg").decode()
    ET.fromstring(drawing)  # noqa: S314 - our own export
    assert "&lt;b&gt;name&lt;/b&gt;" in drawing
    assert ">0.0095<" in drawing
    assert "A street of &lt;b&gt;tests&lt;/b&gt;." in drawing
    assert _saved(page, "png").startswith(b"\x89PNG")
    assert b"Content-Security-Policy" in _saved(page, "html")
    rows = list(csv.DictReader(io.StringIO(_saved(page, "csv").decode().lstrip("\ufeff"))))
    assert [row["id"] for row in rows] == ["ego", "u0", "u1", "u2", "u3"]
    assert [float(row["weight head 1"]) for row in rows[1:]] == [0.6, 0.39, 1e-6, 0.0095]


def test_a_finger_drags_too(opened):
    page = opened("?", has_touch=True)
    x, y = middle(page, "u1")
    before = float(user(page, "u1").get_attribute("data-x"))
    session = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + 30, "y": y}]),
        ("touchMove", [{"x": x + 60, "y": y}]),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(page.get_by_text("ScenePlace")).to_be_visible()
    assert float(user(page, "u1").get_attribute("data-x")) > before + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_stand_out_from_the_street(opened, scheme):
    """Contrast of at least 3 : 1 to what is around a line (WCAG 2.1, 1.4.11): its halo and the asphalt."""
    page = opened("?users=3&heads=6", color_scheme=scheme)
    contrasts = page.evaluate(
        """() => {
        const luminance = colour => {
            const [red, green, blue] = colour.match(/[0-9a-f]{2}/gi).map(part => parseInt(part, 16) / 255)
                .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const halo = document.querySelector('.attnviz-scene-halos line').getAttribute('stroke');
        return [...document.querySelectorAll('.attnviz-weight')].map(line => {
            const [low, high] = [luminance(halo), luminance(line.getAttribute('stroke'))].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
        });
    }"""
    )
    assert min(contrasts) >= 3
