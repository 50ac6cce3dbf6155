"""A running app and a real browser, for tests that drive pages."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect, sync_playwright

from tests.browser.chromium import ADVICE, on_path

CHECKOUT = Path(__file__).parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_SECONDS = 60
# As patient as the page itself: machines differ.
expect.set_options(timeout=30_000)


@dataclass(frozen=True)
class App:
    """A Streamlit server that a test started."""

    url: str
    log: Path


StartApp = Callable[..., App]
OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def start_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartApp]:
    """`start_app(path, *options, base="", environment=None)`: one server for each path, on a free port."""
    running: dict[tuple[Any, ...], App] = {}
    processes: list[subprocess.Popen[bytes]] = []

    def start(path: Path, *options: str, base: str = "", environment: dict[str, str] | None = None) -> App:
        name = (path, options, base, tuple((environment or {}).items()))
        if name not in running:
            log = tmp_path_factory.mktemp("server") / "log.txt"
            port = _free_port()
            command = _command(path, port, [*options, *(["--server.baseUrlPath", base] if base else [])])
            with log.open("wb") as file:
                processes.append(
                    subprocess.Popen(
                        command,
                        cwd=CHECKOUT,
                        stdout=file,
                        stderr=subprocess.STDOUT,
                        env={**os.environ, **(environment or {})},
                    )
                )
            running[name] = App(f"http://localhost:{port}/{base}".rstrip("/"), log)
            _await_health(running[name], processes[-1])
        return running[name]

    yield start
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(20)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright itself, once for all tests."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """One browser for all tests; each page gets a context of its own, with nothing stored."""
    try:
        browser = playwright.chromium.launch(executable_path=on_path(), args=ARGUMENTS)
    except Error as reason:
        pytest.fail(f"{ADVICE} {reason}")
    yield browser
    browser.close()


@pytest.fixture
def chromium_page(chromium: Browser) -> Iterator[OpenPage]:
    """`chromium_page(url, width=1400, height=900, **context options)`: a fresh page; script errors fail the test."""
    pages: list[Page] = []
    errors: list[str] = []

    def opened(url: str | None = None, *, width: int = 1400, height: int = 900, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: (errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        pages.append(page)
        if url:
            page.goto(url)
        return page

    yield opened
    for page in pages:
        page.context.close()
    assert errors == []


def painted(page: Page, seen: int, selector: str = "[data-attnviz-painted]") -> int:
    """Waits until a component has painted more often than `seen` times; returns how often it has."""
    page.wait_for_function(
        "([selector, seen]) => Number(document.querySelector(selector)?.dataset.attnvizPainted ?? 0) > seen",
        arg=[selector, seen],
    )
    return paints(page, selector)


def paints(page: Page, selector: str = "[data-attnviz-painted]") -> int:
    """How often a component has painted so far."""
    return int(page.locator(selector).first.get_attribute("data-attnviz-painted") or 0)


def _command(path: Path, port: int, options: Sequence[str]) -> list[str]:
    settings = ["--server.headless", "true", "--server.address", "localhost", "--server.port", str(port)]
    return [sys.executable, "-m", "streamlit", "run", str(path), *settings, *options]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_health(app: App, process: subprocess.Popen[bytes]) -> None:
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{app.url}/_stcore/health", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)  # between two questions to a server that is not up yet
    pytest.fail(f"The app did not start:\n{app.log.read_text()}")
