"""Tokens that would be markup stay text in everything that leaves the page."""

import csv
import io
from xml.etree import ElementTree

import pytest
import torch
from playwright.sync_api import expect

from attnviz.attention import Attention
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace
from attnviz.ui.views.heads import HeadsView
from tests.browser.pages.sources import open_file

pytestmark = pytest.mark.browser

HOSTILE = "</script><b>x<img src=y onerror=alert(1)>"
# What may be in a drawing: none of it runs anything or fetches anything.
DRAWN = {"svg", "g", "path", "rect", "text", "tspan", "title", "defs", "clipPath", "image", "circle", "line", "style",
         "linearGradient", "stop", "mask", "a"}  # fmt: skip


def trace_of(count, tmp_path):
    tokens = Tokens((HOSTILE, "=1+1", *(["a"] * (count - 2))))
    weights = torch.full((1, count, count), 1 / count)
    attention = Attention.from_weights(weights, name=HOSTILE, query_tokens=tokens, key_tokens=tokens)
    path = tmp_path / "hostile.safetensors"
    Trace([attention], origin=Origin(kind="recorded", model=HOSTILE, text=HOSTILE)).save(path)
    return path


@pytest.fixture
def opened(chromium_page, link, tmp_path):
    """The Heads page on so many tokens, one of which is chosen, so that descriptions name it."""

    def opened_(count, ready):
        page = chromium_page(link(HeadsView(text="The cat.")), height=1400)
        page.wait_for_selector(".attnviz-chart[data-attnviz-painted]", timeout=120_000)
        open_file(page, trace_of(count, tmp_path))
        expect(page.locator(".attnviz-token")).to_have_count(count, timeout=60_000)
        page.locator(".attnviz-token").first.click()
        page.get_by_text("(0) looks at.").wait_for()
        page.wait_for_selector(ready, timeout=60_000)
        return page

    return opened_


def save(page, within, action):
    with page.expect_download() as waiting:
        page.locator(f"{within} [data-action={action}]").click()
    return waiting.value.path().read_bytes()


def check_drawing(raw):
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(raw).iter()}  # noqa: S314 - our own export
    assert names <= DRAWN, names - DRAWN


def check_page(chromium_page, tmp_path, raw, elements):
    """Opens an exported page by itself: a dialog or a script error fails the test."""
    file = tmp_path / "export.html"
    file.write_bytes(raw)
    alone = chromium_page(offline=True)
    alone.goto(file.as_uri())
    alone.locator(elements).first.wait_for()
    expect(alone.locator("b, img")).to_have_count(0)
    expect(alone.locator("script:not([type])")).to_have_count(2 if elements == ".main-svg" else 0)


@pytest.mark.parametrize("figure", ["matrix", "lines"])
def test_of_figures(opened, chromium_page, tmp_path, figure):
    page = opened(4, f"[data-figure={figure}] .main-svg")
    within = f"[data-figure={figure}]"
    expect(page.locator("[data-testid=stMain]").locator("b, img[src=y]")).to_have_count(0)
    assert save(page, within, "png").startswith(b"\x89PNG")
    check_drawing(save(page, within, "svg"))
    check_page(chromium_page, tmp_path, save(page, within, "html"), ".main-svg")
    rows = list(csv.DictReader(io.StringIO(save(page, within, "csv").decode())))
    said = {value for row in rows for value in row.values()}
    assert any(value.startswith(HOSTILE[:9]) for value in said)
    assert not any(value.startswith("=") for value in said), "no sheet runs a token"
    assert not any("&lt;" in value for value in said), "a table holds the token itself"


def test_of_maps_and_large_matrices(opened, chromium_page, tmp_path):
    page = opened(140, ".attnviz-matrix[data-attnviz-painted] >> nth=1")
    for place in (0, 1):
        within = f".attnviz-matrix >> nth={place} >>"
        assert save(page, within, "png").startswith(b"\x89PNG")
        check_drawing(save(page, within, "svg"))
        check_page(chromium_page, tmp_path, save(page, within, "html"), "svg")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save all weights of this head as CSV").click()
    rows = list(csv.reader(io.StringIO(waiting.value.path().read_text())))
    assert rows[0][:3] == ["", f"0 {HOSTILE}", "1 =1+1"]
    assert float(rows[1][1]) == pytest.approx(1 / 140)
