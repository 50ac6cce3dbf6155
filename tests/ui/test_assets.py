"""The files of the components reach the browser, and nothing else does."""

import gzip
from pathlib import Path

import plotly
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from attnviz.ui import assets


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=assets.routes()))


def url(name: str, version: str | None = None) -> str:
    return f"/{assets.ROUTE}/{version or assets.version()}/{name}"


def test_plotly_comes_unchanged_from_its_package(client):
    installed = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    answer = client.get(url("plotly.min.js"))
    assert answer.content == installed.read_bytes()
    assert answer.headers["content-type"].startswith("text/javascript")


def test_a_versioned_file_may_be_kept_for_ever_and_an_old_one_may_not(client):
    assert "immutable" in client.get(url("chart.js")).headers["cache-control"]
    assert client.get(url("chart.js", "old")).headers["cache-control"] == "no-store"


def test_files_are_compressed_only_for_those_who_can_read_that(client):
    plain = client.get(url("chart.js"), headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    with client.stream("GET", url("chart.js"), headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        assert gzip.decompress(b"".join(answer.iter_raw())) == plain.content


@pytest.mark.parametrize("name", ["chart.py", "..%2fchart.py", "%2e%2e%2f%2e%2e%2fassets.py", "nothing.js", ".."])
def test_nothing_else_is_served(client, name):
    assert client.get(url(name)).status_code == 404


def test_no_module_reaches_for_another_host(client):
    for path in assets.FOLDER.iterdir():
        hosts = [part for part in path.read_text().split() if part.startswith(("http://", "https://", "//cdn"))]
        assert hosts == [], path.name
