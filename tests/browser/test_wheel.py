"""`attnviz run` works from an installed wheel, without the checkout."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 90


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """What pip would unpack into site-packages."""
    built = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)], cwd=ROOT, check=True)
    (wheel,) = built.glob("attnviz-*.whl")
    place = built / "site-packages"
    zipfile.ZipFile(wheel).extractall(place)
    return place


def test_app_pages_settings_and_catalogues_travel_inside(installed):
    for name in (
        "_site/app.py",
        "_site/pages/heads.py",
        "_site/.streamlit/config.toml",
        "base/locale/ru/LC_MESSAGES/attnviz.po",
        "ui/components/browser/chart.js",
        "ui/frame.css",
        "py.typed",
    ):
        assert (installed / "attnviz" / name).is_file(), name
    assert sorted(path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")) == ["attnviz"]


def test_the_dashboard_runs_from_it(installed, tmp_path, chromium_page):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "attnviz", "run", "--port", str(port), "--no-browser"]
    environment = dict(os.environ, PYTHONPATH=str(installed))
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
    try:
        _await(f"http://localhost:{port}/_stcore/health", process)
        page = chromium_page(f"http://localhost:{port}/playground?lang=ru")
        page.get_by_role("heading", name="Песочница", exact=True).wait_for(timeout=90_000)
        page.wait_for_selector(".attnviz-chart[data-attnviz-painted]", timeout=90_000)
    finally:
        process.terminate()
        process.wait(20)


def _await(address, process):
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)  # between two questions to a server that is not up yet
    pytest.fail("the server did not start")
