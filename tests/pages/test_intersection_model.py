"""The Intersection page where a model that learnt is asked, and where scenes come from a file."""

import pytest

from attnviz.scenes import Agent, Scenes, write
from attnviz.ui import address
from attnviz.ui.views.driving import LESSON_MOVERS, Drive, Mover, Recorded
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.street import Place

from .conftest import no_trace_of_failure, said


def opened(open_page, **fields):
    view = IntersectionView(source="model", drive=Drive(**fields))
    app = open_page("intersection", view=address.encode(view))
    no_trace_of_failure(app)
    return app


def drive(app):
    return app.session_state["store:intersection"].view.drive


def test_the_source_is_switched_and_comes_back(open_page):
    app = open_page("intersection")
    before = said(app)
    app.segmented_control(key="intersection:source").set_value("model").run()
    no_trace_of_failure(app)
    assert "told only whether a conflict followed" in said(app)
    app.segmented_control(key="intersection:source").set_value("typed").run()
    no_trace_of_failure(app)
    assert said(app) == before


def test_weights_of_all_tokens_sum_to_one_and_effects_stand_beside_them(open_page):
    app = opened(open_page)
    table = app.dataframe[0].value
    assert table["weight"].sum() == pytest.approx(1.0, abs=1e-5)
    assert table["object"].tolist() == ["ego car", "oncoming car", "pedestrian", "parked car"]
    assert table["probability without it"].iloc[1:].between(0, 1).all()
    assert app.metric[0].value.startswith("0.")


def test_the_threshold_decides_whether_the_ego_waits(open_page):
    probability = float(opened(open_page).metric[0].value)
    low, high = max(probability - 0.05, 0.002), min(probability + 0.05, 0.998)
    assert "the ego **waits**" in said(opened(open_page, threshold=low))
    assert "the ego **goes**" in said(opened(open_page, threshold=high))


def test_another_cell_and_seed_is_another_model(open_page):
    app = opened(open_page)
    first = app.metric[0].value
    app.selectbox(key="intersection:drive seed").set_value(5).run()
    no_trace_of_failure(app)
    assert drive(app).seed == 5
    assert app.metric[0].value != first
    app.button(key="intersection:undo").click().run()
    assert app.metric[0].value == first


def test_a_simulated_scene_moves_and_says_the_truth(open_page):
    app = opened(open_page, moving=True, scene=3, t=1.0)
    assert "In truth there is a conflict if the ego goes on." in said(app)
    (table,) = [one.value for one in app.dataframe if "in truth" in one.value and "object" in one.value]
    truth = dict(zip(table["object"], table["in truth"], strict=True))
    assert truth["parked car 1"] in ("decides", "would be enough alone")
    app.button(key="intersection:step 0.1").click().run()
    no_trace_of_failure(app)
    assert drive(app).t == 1.1
    app.button(key="intersection:take").click().run()
    no_trace_of_failure(app)
    assert not drive(app).moving
    assert any(user.id == "parked-1" for user in drive(app).users)


def test_the_probe_names_who_hides_a_child(open_page):
    app = opened(open_page, probe=True)
    table = next(one.value for one in app.dataframe if "hidden by" in one.value)
    assert table["hidden by"].tolist() == ["parked car"]
    assert 0 < table["warning time, s"].iloc[0] < 2


@pytest.mark.parametrize("part", ["study", "remedies", "live"])
def test_every_part_opens(open_page, part):
    app = opened(open_page, part=part)
    assert app.segmented_control(key="intersection:drive part").value == part


def test_a_small_training_is_started_and_stopped(open_page):
    app = opened(open_page, part="live", live_runouts=10)
    app.button(key="intersection:train").click().run()
    no_trace_of_failure(app)
    app.button(key="going:stop").click().run()
    no_trace_of_failure(app)
    assert app.button(key="intersection:train")


def test_a_training_that_was_stopped_before_its_first_step_is_drawn_when_it_goes_on(open_page):
    app = opened(open_page, part="live", live_runouts=10)
    app.button(key="intersection:train").click().run()
    work, lesson = app.session_state["going:work"], app.session_state["intersection:lesson"]
    work.share, work.paused = 0.0, True
    app.run()
    app.button(key="intersection:train").click().run()
    no_trace_of_failure(app)
    assert app.session_state["going:work"] is work
    assert app.session_state["intersection:lesson"] is lesson


def test_a_model_of_ones_own_that_is_not_open_is_one_sentence(open_page):
    app = opened(open_page, own="abc123")
    assert len(app.error) == 1
    assert "open its file again" in app.error[0].value


def test_a_road_user_that_is_called_phantom_stays_beside_the_child(open_page):
    users = (*LESSON_MOVERS, Mover(id="phantom", kind="car", place=Place(x=3, y=20, heading=-90)))
    app = opened(open_page, probe=True, users=users)
    no_trace_of_failure(app)
    assert not app.error
    (probed,) = [one.value for one in app.dataframe if "hidden by" in one.value]
    assert "parked car" in list(probed["hidden by"])


def test_ones_own_street_stops_what_plays(open_page):
    app = opened(open_page, moving=True)
    app.button(key="intersection:play").click().run()
    assert app.session_state["intersection:playing"]
    app.segmented_control(key="intersection:drive moving").set_value(False).run()
    no_trace_of_failure(app)
    assert not app.session_state["intersection:playing"]


def test_a_file_that_is_no_turn_model_is_one_sentence(open_page):
    app = opened(open_page)
    app.file_uploader(key="intersection:own").set_value(
        ("bad.safetensors", b"no weights", "application/octet-stream")
    ).run()
    no_trace_of_failure(app)
    assert "no turn model of attnviz" in app.error[0].value


@pytest.fixture
def table_file(tmp_path):
    scenes = Scenes.of_moment(
        [
            Agent("me", "car", 0.0, 0.0, 0.0, 5.0, 0.0, is_ego=True),
            Agent("van", "van", 12.0, 0.2, 0.0, 0.0, 0.0),
            Agent("behind", "car", 22.0, 0.3, 0.0, 0.0, 0.0),
            Agent("<b>far</b>", "pedestrian", 300.0, 0.0, 0.0, 0.0, 0.0),
        ]
    )
    path = tmp_path / "own.csv"
    write(scenes, path)
    return path


def test_a_scene_file_is_opened_and_its_risks_stand_beside_everybody(open_page, table_file):
    app = open_page("intersection", view=address.encode(IntersectionView(source="file")))
    no_trace_of_failure(app)
    assert "Open a scene file" in said(app)
    app.file_uploader(key="intersection:files").set_value([("own.csv", table_file.read_bytes(), "text/csv")]).run()
    no_trace_of_failure(app)
    assert app.metric[0].value == "2"
    assert "1 of them are hidden" in said(app)
    assert "1 further away are not drawn." in said(app)
    risks = app.dataframe[0].value
    assert risks["road user"].tolist() == ["van", "behind"]
    # 12 − 4.3 / 2 − 5.5 / 2 = 7.1 m at 5 m/s.
    assert risks["time to collision, straight on, s"].iloc[0] == "1.42"


def test_a_file_that_is_no_scene_is_one_sentence(open_page):
    app = open_page("intersection", view=address.encode(IntersectionView(source="file")))
    app.file_uploader(key="intersection:files").set_value([("x.csv", b"a,b\n1,2\n", "text/csv")]).run()
    no_trace_of_failure(app)
    assert len(app.error) == 1


@pytest.fixture
def asked_for_an_ego(open_page, table_file):
    # A column is_ego that says so of nobody.
    raw = table_file.read_bytes().replace(b"True", b"False", 1)
    app = open_page("intersection", view=address.encode(IntersectionView(source="file")))
    app.file_uploader(key="intersection:files").set_value([("own.csv", raw, "text/csv")]).run()
    no_trace_of_failure(app)
    assert not app.error
    return app


def test_where_nobody_is_marked_as_the_ego_one_can_be_chosen(asked_for_an_ego):
    app = asked_for_an_ego
    app.selectbox(key="intersection:which-ego").set_value("me").run()
    no_trace_of_failure(app)
    assert not app.error
    assert app.metric[0].value == "2"


def test_a_scene_without_an_ego_is_one_sentence_and_another_can_be_chosen(open_page, table_file):
    # The same road users again as scene "two", in which nobody is the ego.
    lines = table_file.read_text().splitlines()
    names = next(line for line in lines if "agent_id" in line).split(",")
    rows = [line for line in lines if line.startswith("scene,")]
    other = [dict(zip(names, row.split(","), strict=True)) | {"scene_id": "two", "is_ego": "False"} for row in rows]
    raw = "\n".join([*lines, *(",".join(row.values()) for row in other)]).encode()
    app = open_page(
        "intersection", view=address.encode(IntersectionView(source="file", recorded=Recorded(scene="two")))
    )
    app.file_uploader(key="intersection:files").set_value([("own.csv", raw, "text/csv")]).run()
    no_trace_of_failure(app)
    assert ["The scene “two” has no ego" in error.value for error in app.error] == [True]
    app.selectbox(key="intersection:recorded scene").set_value("scene").run()
    no_trace_of_failure(app)
    assert not app.error
