"""The study as pictures: whose number each dot is, the truth and the even share beside it, what a model of one's own is."""

import math

import pytest

from attnviz.base.language import LANGUAGES, speaking
from attnviz.models.turn import shipped
from attnviz.models.turn.study import Measured, Study
from attnviz.ui.intersection.driving import exposure, remedies
from attnviz.ui.intersection.driving.exposure import QUESTIONS
from attnviz.ui.views.driving import Drive


def measured(layers=1, with_vehicle=0.4):
    counts = [[0] * 39 + [3, 1] + [0] * 39, [0] * 39 + [4, 0] + [0] * 39]
    return Measured(
        accuracy=0.9, accuracy_near=0.6, with_vehicle=with_vehicle, without_vehicle=0.1, even=0.2,
        weight=[[0.1, 0.3], [0.6, 0.8]][:layers], avoidable=8, missed_avoidable=2, unavoidable=0, missed_unavoidable=0,
        child_weight=[], spearman=[0.9, 0.2][:layers], heaviest=[], reliability=[[10.0, 0.02, 0.3], [0.0]],
        log_odds={"ordinary": counts, "near": counts},
    )  # fmt: skip


NAME = "turn/ego/hazard-0.5/runouts-60/seed-3"
FOUND = Study(
    {hazard: 0.95 * hazard for hazard in shipped.HAZARDS},
    {
        NAME: measured(),
        "turn/self/hazard-0.5/runouts-60/seed-3": measured(2),
        "turn/uniform/hazard-0.5/runouts-60/seed-3": measured(0),
        "turn/ego/hazard-0.5/runouts-60/oversampled/seed-3": measured(with_vehicle=0.45),
    },
    {},
)
AT = Drive(hazard=0.5, runouts=60, seed=3)


def number(question, kind="ego"):
    return exposure.series(AT.model_copy(update={"kind": kind}), FOUND, QUESTIONS[question])["hazard 0.5"][2][3]


def test_numbers_by_hand():
    assert number("weight") == pytest.approx(0.2)  # the mean of 0.1 and 0.3
    assert number("weight", "self") == pytest.approx(0.7)  # of the last layer
    assert number("agreement", "self") == 0.2
    assert number("difference") == pytest.approx(0.3)
    assert number("missed") == pytest.approx(0.25)
    assert math.isnan(number("unavoidable"))  # of none, none is missed


def test_the_baseline_without_attention_is_there_where_it_has_such_a_number():
    names = {name: list(exposure.series(AT, FOUND, QUESTIONS[name])) for name in ("weight", "accuracy")}
    assert "hazard 0.5, without attention" not in names["weight"]
    assert names["accuracy"][-1] == "hazard 0.5, without attention"


def test_the_chosen_model_is_ringed_and_one_of_ones_own_is_not():
    question = QUESTIONS["probability"]
    rings = [
        [trace for trace in exposure._picture(at, FOUND, question).figure.data if trace.marker.size == 17]
        for at in (AT, AT.model_copy(update={"own": "0a"}))
    ]
    assert [list(trace.y) for trace in rings[0]] == [[0.4]]
    assert rings[1] == []
    assert exposure._of_chosen(AT.model_copy(update={"own": "0a"}), FOUND) == {}


def test_truth_and_even_share_stand_beside_the_dots_they_belong_to():
    def lines(picture, dash):
        return [trace.y[0] for trace in picture.figure.data if trace.line.dash == dash]

    for draw in (
        lambda at, name: exposure._picture(at, FOUND, QUESTIONS[name]),
        lambda at, _name: remedies._dots(at, FOUND),
    ):
        weight, said = (draw(AT.model_copy(update={"question": name}), name) for name in ("weight", "probability"))
        assert (lines(weight, "dot"), lines(weight, "dash")) == ([0.2], [])
        assert lines(said, "dot") == []
        assert 0.475 in lines(said, "dash")


def test_remedies_are_compared_at_their_hazard_and_by_their_costs():
    made = remedies.curves(AT, FOUND)
    assert list(made) == ["no remedy", "oversampled: three of ten scenes in a batch have such a vehicle"]
    # 3 of 8 are missed at a half, each as bad as 10 waits.
    assert made["no remedy"][0][39] == pytest.approx(1000 * 10 * 3 / 8)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_picture_has_words_and_a_table_in_every_language(name, language):
    at = AT.model_copy(update={"question": name})
    with speaking(language):
        pictures = [
            exposure._picture(at, FOUND, QUESTIONS[name]), remedies._dots(at, FOUND), remedies._costs(at, FOUND),
            *exposure._of_chosen(at, FOUND).values(),
        ]  # fmt: skip
        for picture in pictures:
            assert picture.description
            assert len(picture.table().columns) >= 3 or not len(picture.table())
