"""The part of the Cost page that tells how long attention takes."""

import pytest

from attnviz.ui import address
from attnviz.ui.cost.measuring import misses, tail
from attnviz.ui.going import Going
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.cost_time import TimeBudget

from .conftest import no_trace_of_failure, said


def opened(open_page, lang="en", **fields):
    view = CostView(part="time", time=TimeBudget(**fields))
    app = open_page("cost", view=address.encode(view), lang=lang)
    no_trace_of_failure(app)
    return app


def time(app):
    return app.session_state["store:cost"].view.time


def test_the_budget_of_a_layer_and_the_most_tokens_by_hand(open_page):
    # 10 Hz is 100 ms; 6 % over 6 layers is 1 ms. 1 ms at 42.6 TFLOP/s is 42.6·10⁹ operations: n = √(42.6·10⁹ / 4·256) = 6,449.
    app = opened(open_page, chip="orin", rate=10, share=6, layers=6, form="fused")
    assert "**1 ms a layer**" in said(app)
    assert "**6,449 tokens**" in said(app)
    assert "computing decides there" in said(app)


def test_written_out_memory_decides(open_page):
    app = opened(open_page, chip="orin", rate=10, share=6, layers=6)
    app.segmented_control(key="cost:time form").set_value("plain").run()
    no_trace_of_failure(app)
    assert time(app).form == "plain"
    assert "memory decides there" in said(app)


def test_a_faster_camera_leaves_less(open_page):
    app = opened(open_page, rate=10, share=100, layers=1)
    assert "**100 ms a layer**" in said(app)
    app.segmented_control(key="cost:time rate").set_value(30).run()
    assert "**33.3 ms a layer**" in said(app)


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", ("lower bound", "2 to 4 times", "derived")), ("ja", ()), ("ru", ())],
)
def test_it_says_what_it_is(open_page, lang, words):
    app = opened(open_page, lang=lang)
    assert all(word in said(app) for word in words)
    # The table of chips names each, and those that it stands in for are said to be others.
    assert app.table[-1].value.shape == (5, 4)


def test_measuring_gives_medians_and_stops(open_page):
    app = opened(open_page, measured=("plain",), upto=400, repeats=5, width=16, heads=2)
    assert len(app.table) == 1
    app.button(key="cost:measure").click().run()
    no_trace_of_failure(app)
    for _go in range(40):
        if (
            len(app.table) == 2
            and len(app.table[0].value) == 3
            and not any("stop" in button.key for button in app.button if button.key)
        ):
            break
        app.run()
    no_trace_of_failure(app)
    table = app.table[0].value
    assert list(table.index) == ["written out, 100", "written out, 200", "written out, 400"]
    assert table.iloc[:, 1].str.startswith("largest of 5").all()
    assert "Measured here: CPU, float32. 1 thread." in said(app)
    assert "to the power" in said(app)


def test_a_chip_that_is_not_in_the_table_is_a_sentence(open_page):
    with pytest.raises(Exception, match="pascal"):
        TimeBudget(chip="pascal")


def test_the_slow_ones_are_bounded_only_with_runs_enough():
    seconds = [0.001 * (number + 1) for number in range(299)]
    assert tail(seconds) == "p99 ≤ 299"
    assert tail(seconds[:298]).startswith("p95 ≤")
    assert tail(seconds[:59]) == "p95 ≤ 59"
    assert tail(seconds[:58]).startswith("p90 ≤")
    assert tail(seconds[:28]) == "largest of 28: 28"


def test_no_miss_is_not_no_misses():
    # 1 − 0.05^(1/10) = 25.9 %; one of ten: 39.4 %.
    assert misses([0.001] * 10, 2.0) == "0 of 10; at most 25.9 %"
    assert misses([0.001] * 9 + [0.003], 2.0) == "1 of 10; at most 39.4 %"


@pytest.mark.parametrize(("tokens", "words"), [(6449, "does not rule it out"), (6450, "**it cannot fit**")])
def test_what_somebody_has_is_held_against_the_budget(open_page, tokens, words):
    # 1 ms a layer on Orin: at most 6,449 tokens, see above.
    view = CostView(
        part="time", source="number", number=tokens, time=TimeBudget(chip="orin", rate=10, share=6, layers=6)
    )
    app = open_page("cost", view=address.encode(view))
    no_trace_of_failure(app)
    assert words in said(app)


def test_strangers_cannot_have_the_machine_measured(open_page, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_PUBLIC", "1")
    app = opened(open_page)
    assert not [button for button in app.button if button.key == "cost:measure"]
    assert "nothing is measured" in said(app)


def test_a_presenter_keeps_the_frame_and_leaves_the_layer(open_page):
    app = open_page("cost", view=address.encode(CostView(part="time")), present="1")
    no_trace_of_failure(app)
    keys = {element.key for element in app.segmented_control}
    assert "cost:time rate" in keys
    assert "cost:time form" not in keys


def test_what_was_stopped_can_go_on(open_page):
    app = opened(open_page)
    app.session_state["going:work"] = Going(time(app).plan(), iter([1.0]), share=0.25, paused=True)
    app.run()
    no_trace_of_failure(app)
    assert app.button(key="cost:measure").label == "Go on measuring (25 % done)"
