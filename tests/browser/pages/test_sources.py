"""Traces and arrays from files, opened as a person opens them."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from attnviz.attention import Attention
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace
from attnviz.ui.views.heads import HeadsView
from tests.browser.conftest import CHECKOUT
from tests.browser.pages.sources import choose, open_file

pytestmark = pytest.mark.browser

APP = CHECKOUT / "app.py"
CHART = ".attnviz-chart[data-attnviz-painted]"


@pytest.fixture
def heads(chromium_page, link):
    page = chromium_page(link(HeadsView(text="The black cat.")), height=1400)
    page.wait_for_selector(CHART, timeout=120_000)
    return page


def test_what_the_command_line_wrote_is_opened_by_the_app(heads, tmp_path):
    path = tmp_path / "run.safetensors"
    command = [
        sys.executable,
        "-m",
        "attnviz",
        "trace",
        "--model",
        "minilm",
        "--text",
        "A red bird sang.",
        "-o",
        str(path),
    ]
    said = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True, timeout=300).stdout
    assert "6 attentions written" in said
    open_file(heads, path)
    heads.locator(".attnviz-token", has_text="bird").wait_for(timeout=60_000)
    heads.get_by_text("The file run.safetensors says of itself: minilm").wait_for()
    heads.get_by_text("6 layers were checked against the model's own output").wait_for()
    expect(heads.locator(CHART)).to_be_visible()
    # Another source closes the file.
    choose(heads, "MiniLM")
    heads.locator(".attnviz-token", has_text="black").wait_for(timeout=60_000)


def test_arrays_are_opened_and_say_what_is_missing(heads, tmp_path):
    path = tmp_path / "weights.npz"
    np.savez(path, layer_2=np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32))
    open_file(heads, path)
    heads.get_by_text("Arrays from the file weights.npz, whose origin is unknown.").wait_for(timeout=60_000)
    heads.get_by_text("There are weights alone").wait_for()
    heads.get_by_text("No tokens came with the weights").wait_for()
    heads.locator(".attnviz-token", has_text="2").first.click()
    expect(heads.locator(CHART)).to_be_visible()
    # Taken out of the field, as happens when another one is brought, it stays open until it is closed.
    heads.get_by_role("button", name="Remove weights.npz").click()
    expect(heads.get_by_role("button", name="Remove weights.npz")).to_have_count(0)
    heads.get_by_text("weights.npz is open.").wait_for()
    heads.get_by_role("button", name="Close the file").click()
    heads.get_by_text("Recorded from the model as it ran: minilm").wait_for(timeout=60_000)


SENTENCES = {
    "hebrew": ("[CLS]", "החתול", " השחור", " חצה", " את", " הרחוב", " 7", "."),
    "arabic": ("[CLS]", "عبرت", " القطة", " السوداء", " الشارع", " 7", "."),
    "japanese": ("[CLS]", "黒", "猫", "が", "道", "を", "渡った", "。"),
}


def trace_of(tmp_path, texts):
    tokens = Tokens(
        texts, special=(True, *(False,) * (len(texts) - 1)), generated=(*(False,) * (len(texts) - 2), True, True)
    )
    scores = torch.eye(len(texts)) * 3
    attention = Attention.from_qk(scores, torch.eye(len(texts)), name="layer", query_tokens=tokens, key_tokens=tokens)
    path = tmp_path / "trace.safetensors"
    Trace([attention], origin=Origin(kind="recorded", model="by hand")).save(path)
    return path


@pytest.mark.parametrize("language", SENTENCES)
def test_every_script_is_laid_out_in_the_order_of_its_positions(heads, tmp_path, language):
    texts = SENTENCES[language]
    open_file(heads, trace_of(tmp_path, texts))
    tokens = heads.locator(".attnviz-token")
    expect(tokens).to_have_count(len(texts))
    expect(heads.locator(".attnviz-token span").nth(1)).to_have_text(texts[1])
    left = [tokens.nth(place).bounding_box()["x"] for place in range(len(texts))]
    backwards = language != "japanese"
    assert left == sorted(left, reverse=backwards)
    expect(heads.get_by_text("The positions run from right to left.")).to_have_count(int(backwards))
    heads.get_by_text("✎ marks what the model wrote itself.").wait_for()
    # The arrow goes where it points.
    tokens.nth(1).focus()
    heads.keyboard.press("ArrowLeft" if backwards else "ArrowRight")
    expect(tokens.nth(2)).to_be_focused()
    heads.keyboard.press("Enter")
    chosen = texts[2].replace(" ", "·")
    heads.get_by_text(f"What “\u2068{chosen}\u2069” (2)" if backwards else f"What “{chosen}” (2)").wait_for()


def test_the_app_that_is_started_with_a_file_begins_with_it(start_app, chromium_page, tmp_path_factory):
    path = tmp_path_factory.mktemp("begun") / "weights.npy"
    np.save(path, np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32))
    app = start_app(APP, environment={"ATTNVIZ_FILE": str(path)})
    page = chromium_page(app.url)
    page.get_by_text("Arrays from the file weights.npy, whose origin is unknown.").wait_for(timeout=120_000)
    page.get_by_role("link", name="Playground").click()
    page.get_by_role("heading", name="Playground").wait_for()
    page.get_by_role("link", name="Start").click()
    page.get_by_text("What does attention look at?").wait_for()


def test_a_public_server_says_what_it_opens(start_app, chromium_page, tmp_path):
    app = start_app(APP, environment={"ATTNVIZ_PUBLIC": "1"})
    page = chromium_page(f"{app.url}/heads", height=1400)
    page.wait_for_selector(CHART, timeout=120_000)
    path = tmp_path / "long.npy"
    np.save(path, np.full((1, 3000), 1 / 3000, dtype=np.float32))
    open_file(page, path)
    page.get_by_text("files of up to 50 MB and 2048 tokens").wait_for()
    page.get_by_text("it opens files of at most 2048 tokens; this one has 3000.").wait_for()
