"""The chart keeps its view, reports clicks and drags, and lets everything leave the page unharmed."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"
CHART = ".attnviz-chart[data-attnviz-painted]"
HEATMAP = "document.querySelector('[data-figure=weights] .attnviz-plot')"
SCRIPT = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def page(start_app, chromium_page) -> Page:
    page = chromium_page(f"{start_app(SITE).url}/chart")
    page.wait_for_selector(CHART)
    return page


def cell(page: Page, row: int, column: int) -> tuple[float, float]:
    """Where a cell of the heatmap is on the screen."""
    x, y = page.evaluate(
        f"""([row, column]) => {{
          const plot = {HEATMAP}, {{ xaxis, yaxis }} = plot._fullLayout, box = plot.getBoundingClientRect();
          return [box.x + xaxis._offset + xaxis.d2p(column), box.y + yaxis._offset + yaxis.d2p(row)];
        }}""",
        [row, column],
    )
    return x, y


def numbers(page: Page) -> list[str]:
    return page.locator("[data-figure=weights] .heatmap-label").all_text_contents()


def save(page: Page, figure: str, action: str) -> Path:
    with page.expect_download() as waiting:
        page.locator(f"[data-figure={figure}] [data-action={action}]").click()
    return Path(waiting.value.path())


def test_a_slider_changes_the_numbers_and_keeps_the_zoom(page):
    page.evaluate(f"Plotly.relayout({HEATMAP}, {{'xaxis.range': [0.5, 2.5]}})")
    page.mouse.move(*cell(page, 0, 1))
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-figure=weights] .heatmap-label").first).to_have_text("0.064")
    assert page.evaluate(f"{HEATMAP}._fullLayout.xaxis.range") == [0.5, 2.5]


def test_a_zoom_by_hand_survives_a_slider_and_ends_with_reset(page):
    start = page.evaluate(f"{HEATMAP}._fullLayout.xaxis.range")
    (left, top), (right, bottom) = cell(page, 0, 0), cell(page, 2, 2)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move((left + right) / 2, (top + bottom) / 2)
    page.mouse.move(right, bottom)
    page.mouse.up()
    page.wait_for_function(f"{HEATMAP}._fullLayout.xaxis.range[1] < 3")
    zoomed = page.evaluate(f"{HEATMAP}._fullLayout.xaxis.range")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-figure=weights] .heatmap-label").first).to_have_text("0.001")
    assert page.evaluate(f"{HEATMAP}._fullLayout.xaxis.range") == zoomed
    page.locator("[data-figure=weights] [data-action=reset]").click()
    page.wait_for_function(f"{HEATMAP}._fullLayout.xaxis.range[1] > 3")
    assert page.evaluate(f"{HEATMAP}._fullLayout.xaxis.range") == start


def test_all_numbers_of_a_heatmap_follow_the_slider(page):
    page.locator("input[type=range]").focus()
    page.keyboard.press("End")
    expected = np.arange(16, dtype=np.float32) / 16 + 0.010
    expect(page.locator("[data-figure=weights] .heatmap-label").last).to_have_text(f"{expected[-1]:.3f}")
    assert numbers(page) == [f"{value:.3f}" for value in expected]


def test_a_clicked_cell_is_reported_with_its_value(page):
    page.mouse.click(*cell(page, 2, 1))
    # Row 2, column 1 of arange(16)/16 is 9/16; customdata is twice the weight.
    said = page.get_by_text("ChartClick(")
    expect(said).to_contain_text("figure='weights'")
    for part in ("x=1", "y=2", "z=0.5625", "point=(2, 1)", "custom=1.125"):
        expect(said).to_contain_text(part)


def test_a_cell_clicked_after_a_slider_move_has_the_new_value(page):
    page.locator("input[type=range]").focus()
    page.keyboard.press("End")
    expect(page.locator("[data-figure=weights] .heatmap-label").first).to_have_text("0.010")
    page.mouse.click(*cell(page, 0, 0))
    expect(page.get_by_text("ChartClick(")).to_contain_text("z=0.009999999776482582")


def test_a_dragged_handle_moves_the_number_and_ends_where_it_was_dropped(page):
    handle = page.get_by_role("button", name="Query of The")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    # Pixels for one unit of the axis.
    unit = page.evaluate(
        "document.querySelector('[data-figure=arrow] .attnviz-plot')._fullLayout.xaxis.d2p(1)"
        " - document.querySelector('[data-figure=arrow] .attnviz-plot')._fullLayout.xaxis.d2p(0)"
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 31):
        page.mouse.move(x - 2 * unit * step / 30, y)
    page.mouse.up()
    expect(page.get_by_text("TIP -1 1")).to_be_visible()
    expect(handle).to_have_accessible_name("Query of The: -1, 1")
    # The arrow of the same trace has followed.
    assert page.evaluate("document.querySelector('[data-figure=arrow] .attnviz-plot').data[0].x") == [0, -1]


def test_arrow_keys_move_a_handle_by_its_step_and_stop_at_its_bounds(page):
    handle = page.get_by_role("button", name="Query of The")
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("TIP 1.25 1", exact=True)).to_be_visible()
    page.keyboard.press("Shift+ArrowUp")
    expect(page.get_by_text("TIP 1.25 2", exact=True)).to_be_visible()


def test_many_moves_at_once_send_one_message_at_a_time_and_end_right(page):
    page.get_by_role("button", name="Query of The").focus()
    page.evaluate(
        """() => {
          const handle = document.querySelector('.attnviz-handle');
          for (let step = 0; step < 12; step++)
            handle.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }));
        }"""
    )
    # From 1 by 12 steps of a quarter.
    expect(page.get_by_text("TIP -2 1", exact=True)).to_be_visible()
    drags = int(page.get_by_text("DRAGS").inner_text().split()[1])
    # The first was sent at once, the last after its echo; all between were overtaken.
    assert drags == 2


def test_csv_holds_every_cell_with_plain_labels_and_no_formula(page):
    rows = list(csv.DictReader(io.StringIO(save(page, "weights", "csv").read_text())))
    assert len(rows) == 16
    assert [row["row_label"] for row in rows[::4]] == ["The", "<s>", "'=1+2", SCRIPT]
    assert [row["column_label"] for row in rows[:4]] == ["The", "<s>", "'=1+2", SCRIPT]
    assert [float(row["value"]) for row in rows] == [position / 16 for position in range(16)]
    assert [float(row["custom_0"]) for row in rows] == [position / 8 for position in range(16)]


def test_the_exported_page_opens_offline_with_the_same_numbers(page, chromium_page, tmp_path):
    shown = numbers(page)
    file = tmp_path / "figure.html"
    file.write_bytes(save(page, "weights", "html").read_bytes())
    alone = chromium_page(offline=True)
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    labels = alone.locator(".heatmap-label")
    expect(labels.first).to_have_text(shown[0])
    assert labels.all_text_contents() == shown
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    # Tokens and description are text: nothing of them became an element, and the page had no dialog.
    expect(alone.locator("img")).to_have_count(0)
    assert SCRIPT in alone.locator(".ytick").all_text_contents()
    assert "onerror=alert(2)" in alone.title()


def test_the_exported_drawing_holds_the_description_as_text(page):
    drawing = save(page, "weights", "svg").read_text()
    assert "<img" not in drawing
    assert "onerror=alert(2)" in drawing
    assert "0.938" in drawing


def test_the_exported_picture_is_a_png_on_white(page):
    body = save(page, "weights", "png").read_bytes()
    assert body.startswith(b"\x89PNG")
    width = int.from_bytes(body[16:20], "big")
    assert width >= 960  # twice the width on screen, at least


def test_tokens_stay_text_on_the_page(page):
    expect(page.locator("[data-figure] img")).to_have_count(0)
    assert SCRIPT in page.locator("[data-figure=weights] .ytick").all_text_contents()


def test_figures_say_what_they_show_to_a_screen_reader(page):
    expect(page.get_by_role("img", name="One query as an arrow.")).to_be_visible()


def test_figures_keep_their_height_while_the_data_change(page):
    before = page.locator("[data-figure]").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-figure=weights] .heatmap-label").first).to_have_text("0.001")
    after = page.locator("[data-figure]").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert after == before


def test_figures_wrap_where_it_is_narrow(start_app, chromium_page):
    page = chromium_page(f"{start_app(SITE).url}/chart", width=600)
    page.wait_for_selector(CHART)
    tops = page.locator("[data-figure]").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert tops[1] > tops[0]


def test_the_toolbar_is_one_stop_for_the_tab_key_with_arrows_within(page):
    bar = page.locator("[data-figure=weights] [role=toolbar]")
    expect(bar.locator("button[tabindex='0']")).to_have_count(1)
    bar.locator("button").first.focus()
    page.keyboard.press("ArrowRight")
    expect(bar.locator("[data-action=svg]")).to_be_focused()


def test_the_site_works_under_a_base_path(start_app, chromium_page):
    page = chromium_page(f"{start_app(SITE, base='some/where').url}/chart")
    page.wait_for_selector(CHART)
    expect(page.locator("[data-figure=weights] .heatmap-label").first).to_have_text("0.000")


@pytest.fixture
def grids(start_app, chromium_page) -> Page:
    page = chromium_page(f"{start_app(SITE).url}/grids")
    page.wait_for_selector(CHART)
    return page


def drawn(page: Page) -> list[list[str]]:
    """Every heatmap of every figure as it stands in the document: its picture, its letters and where they are."""
    return page.locator("[data-figure]").evaluate_all(
        """figures => figures.map(figure => [...figure.querySelectorAll('.heatmaplayer > .hm')].flatMap(map => [
          map.querySelector('image')?.href.baseVal ?? 'no image',
          ...[...map.querySelectorAll('text')].map(text => [
            text.textContent, text.getAttribute('x'), text.getAttribute('y'), text.style.fontSize, text.style.fill
          ].join(' ')),
        ]))"""
    )


def test_numbers_that_change_alone_are_redrawn_at_once_as_plotly_would_draw_them(grids):
    grids.evaluate(
        "() => { const react = Plotly.react; window.reacts = 0;"
        " Plotly.react = (...all) => { window.reacts += 1; return react(...all); }; }"
    )
    before = drawn(grids)
    label = grids.locator("[data-figure=weights] .heatmap-label").filter(has_text="0.26")
    grids.locator("input[type=range]").focus()
    grids.keyboard.press("End")
    expect(label.first).to_have_text("0.260")
    expect(label).to_have_count(10)  # the lower triangle of four
    assert grids.evaluate("window.reacts") == 0
    quick = drawn(grids)
    assert quick != before
    for button in grids.locator("[data-action=reset]").all():
        button.click()
    grids.wait_for_function("window.reacts === 3")
    assert drawn(grids) == quick


def test_csv_leaves_out_decoration_and_gaps(grids):
    rows = list(csv.DictReader(io.StringIO(save(grids, "weights", "csv").read_text())))
    # Positions keep equal labels apart; absent entries are gaps, printed numbers are no data.
    assert [(row["row"], row["column"]) for row in rows] == [(str(i), str(j)) for i in range(4) for j in range(i + 1)]
    assert {row["value"] for row in rows} == {"0.25"}
    assert rows[-1]["row_label"] == "'=b"


def test_a_wide_figure_takes_two_columns_where_there_are_as_many(grids, start_app, chromium_page):
    def widths(page):
        return page.locator("[data-figure]").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")

    narrow = chromium_page(f"{start_app(SITE).url}/grids", width=400)
    narrow.wait_for_selector(CHART)
    one, wide, _other = widths(grids)
    assert wide == pytest.approx(2 * one + 16, abs=1)
    one, wide, _other = widths(narrow)
    assert wide == one


LEGEND = "document.querySelector('[data-figure=dots] .attnviz-plot')"


def below_the_plot(page: Page) -> dict[str, list[float]]:
    """Top and bottom, from the plot's lower edge, of what stands below it; the end of the figure; the plot's height."""
    return page.evaluate(
        f"""() => {{
          const plot = {LEGEND}, size = plot._fullLayout._size, box = plot.getBoundingClientRect();
          const edge = box.top + size.t + size.h;
          const of = (selector) => {{
            const all = [...plot.querySelectorAll(selector)].map(one => one.getBoundingClientRect());
            return [Math.min(...all.map(one => one.top)) - edge, Math.max(...all.map(one => one.bottom)) - edge];
          }};
          return {{ ticks: of('.xtick text'), title: of('.g-xtitle text'), legend: of('.legend .traces'),
                   end: [box.bottom - edge], plot: [size.h] }};
        }}"""
    )


def test_a_legend_of_several_lines_lies_on_nothing_and_goes_back_to_one_line(start_app, chromium_page):
    page = chromium_page(f"{start_app(SITE).url}/legend", width=1400)
    page.wait_for_selector(CHART)
    wide, high = below_the_plot(page), page.evaluate(f"{LEGEND}.clientHeight")
    lines = (
        f"new Set([...{LEGEND}.querySelectorAll('.legend .traces')].map(one => one.getBoundingClientRect().top)).size"
    )
    assert page.evaluate(lines) == 1
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(f"{lines} >= 3")
    page.wait_for_function(f"{LEGEND}._fullLayout._size.h === {wide['plot'][0]}")
    narrow = below_the_plot(page)
    for found in (wide, narrow):
        assert found["ticks"][0] >= 0
        assert found["ticks"][1] <= found["title"][0] + 2
        assert found["title"][1] <= found["legend"][0] + 2
        assert found["legend"][1] <= found["end"][0]
    # A new number keeps the room; a wide page takes it back.
    page.locator("input[type=range]").focus()
    page.keyboard.press("End")
    page.wait_for_function(f"{LEGEND}.data[0].y[2] === 1")
    page.wait_for_function(f"{LEGEND}._fullLayout._size.h === {wide['plot'][0]}")
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_function(f"{lines} === 1")
    page.wait_for_function(f"{LEGEND}.clientHeight === {high}")
