"""What goes through the WebSocket for the first view of a 12 × 12 × 512 model; static files excluded."""

import tempfile
from pathlib import Path

import torch
from transformers import AutoTokenizer, BertConfig, BertModel

from attnviz.models import minilm
from attnviz.ui import address
from attnviz.ui.views.heads import HeadsView
from benchmarks.latency import AT_REST, WATCH
from benchmarks.report import Result
from benchmarks.site import ROOT, browser, server

BOUND = 1.0
TOKENS = 512


def measure() -> list[Result]:
    """A random-initialised model of 12 layers × 12 heads on 512 tokens, opened by a link."""
    with tempfile.TemporaryDirectory() as folder:
        _make_model(Path(folder))
        view = HeadsView(model=folder, text="cat " * (TOKENS - 2))
        received = _bytes_received(f"/heads?view={address.encode(view)}")
    return [Result("first view of 12 × 12 × 512", (received / 1e6,), "MB through the WebSocket", BOUND)]


def _make_model(folder: Path) -> None:
    torch.manual_seed(0)
    config = BertConfig(
        num_hidden_layers=12, num_attention_heads=12, hidden_size=192, intermediate_size=384,
        max_position_embeddings=TOKENS,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(minilm.folder(), model_max_length=TOKENS).save_pretrained(folder)


def _bytes_received(path: str) -> int:
    counted = [0]

    def count(payload: bytes | str) -> None:
        counted[0] += len(payload if isinstance(payload, bytes) else payload.encode())

    with server(ROOT / "app.py") as site, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        page.on("websocket", lambda socket: socket.on("framereceived", count))
        page.add_init_script(WATCH)
        page.goto(site + path)
        # A link alone loads no folder.
        page.get_by_role("button", name="Load this model").click(timeout=180_000)
        # The overview of all heads, then the matrix of the first.
        page.locator(".attnviz-matrix[data-attnviz-painted]").nth(1).wait_for(timeout=180_000)
        page.wait_for_function(AT_REST, timeout=60_000)
    return counted[0]
