"""The part of the Cost page that tells where detectors place attention."""

import pytest

from attnviz.cost import detector_live
from attnviz.ui import address
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.cost_detector import Detector

from .conftest import no_trace_of_failure, said


def opened(open_page, lang="en", **fields):
    view = CostView(part="detector", detector=Detector(**fields))
    app = open_page("cost", view=address.encode(view), lang=lang)
    no_trace_of_failure(app)
    return app


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        ({"longest": 640, "square": True}, "400"),
        ({"longest": 640, "square": False}, "240"),
        ({"longest": 1280, "square": True}, "1,600"),
        ({"longest": 1920, "square": False}, "2,040"),
    ],
)
def test_tokens_of_a_camera_s_image(open_page, fields, tokens):
    assert f"**{tokens} tokens**" in said(opened(open_page, **fields))


def test_the_table_holds_what_was_counted(open_page):
    table = opened(open_page).table[0].value
    assert list(table.index) == ["YOLO26n", "YOLO26s", "YOLO26m", "YOLO26l", "YOLO26x"]
    assert table["heads"].tolist() == ["2", "4", "4", "4", "6"]
    assert table["softmaxes"].tolist() == ["2", "2", "2", "3", "3"]
    assert table["tokens, n"].tolist() == ["400"] * 5
    # Shares as they were counted apart from this table.
    assert table["GFLOP, attention's share"].tolist() == [
        "6.1, 3.34 %", "22.8, 2.48 %", "75.0, 0.75 %", "93.4, 0.91 %", "208.9, 0.78 %"
    ]  # fmt: skip
    assert table["parameters, attention's share"].tolist()[:2] == ["2.57 M, 3.99 %", "10.01 M, 4.02 %"]
    assert table.shape[1] <= 6


def test_another_family_and_size(open_page):
    app = opened(open_page)
    app.segmented_control(key="cost:detector family").set_value("yolo11").run()
    app.segmented_control(key="cost:detector scale").set_value("x").run()
    no_trace_of_failure(app)
    assert app.table[0].value["softmaxes"].tolist() == ["1", "1", "1", "2", "2"]
    assert "YOLO11x is given 640 × 640" in said(app)


@pytest.mark.parametrize("lang", ["en", "ja", "ru"])
def test_every_language(open_page, lang):
    app = opened(open_page, lang=lang)
    assert app.table[0].value.shape == (5, 6)


def test_without_the_package_it_says_what_it_would_do(open_page, monkeypatch):
    monkeypatch.setattr(detector_live, "is_installed", lambda: False)
    app = opened(open_page)
    assert "AGPL-3.0" in said(app)
    assert not [button for button in app.button if button.key == "cost:count"]


def test_counted_here_stands_beside_the_table(open_page, monkeypatch):
    made = detector_live.Counted("yolo26n.yaml", "8.4.190", ((1, 2, 400, 400),) * 2, (10, 22), 2_572_280, 102_656, 6_081_254_400, 203_366_400, 122_880_000, 235_264, 308_224_000)  # fmt: skip
    monkeypatch.setattr(detector_live, "is_installed", lambda: True)
    monkeypatch.setattr(detector_live, "count", lambda name, height, width: made)
    app = opened(open_page)
    app.button(key="cost:count").click().run()
    no_trace_of_failure(app)
    table = app.table[1].value
    assert table.loc["operations"].tolist() == ["6,081,254,400", "6,081,254,400"]
    assert table.loc["layers with attention"].tolist() == ["10, 22", "10, 22"]
    assert table.loc["shape of each"].tolist() == ["1 × 2 × 400 × 400"] * 2
