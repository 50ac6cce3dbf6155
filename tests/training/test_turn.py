"""Training turn models: how many scenes, the same again, a loss that falls; a few steps only."""

import math
from dataclasses import replace

import pytest
import torch

from attnviz.__main__ import main
from attnviz.base.errors import InputError
from attnviz.models.turn import networks, shipped, study
from attnviz.models.turn.shipped import Cell
from attnviz.scenes.simulator.cast import PARKED, USERS
from attnviz.training import turn, turn_live, turn_measures
from attnviz.training.turn import Recipe, Source


@pytest.fixture(scope="module")
def source():
    return Source(0, background=1_500)


def test_vehicles_are_as_many_as_the_run_outs_need():
    assert turn.vehicles(0.5, 60) == 120
    assert turn.vehicles(1.0, 15_000) == 15_000
    assert turn.vehicles(0.1, 15_000) == 150_000
    # At hazard 0 nobody runs: as many vehicles as at 0.5.
    assert turn.vehicles(0.0, 60) == 120
    assert turn.vehicles(0.5, 0) == 0


def test_examples_hold_about_as_many_run_outs_as_asked_for(source):
    from attnviz.scenes.simulator.cast import CHILD, USERS

    found = source.examples(0.5, 100)
    assert len(found) == 1_500 + 200
    # Nearly every child that runs hits an ego that goes on; 100 expected of 200, standard deviation 7.
    assert 70 <= int(found.hit[:, USERS.index(CHILD)].sum()) <= 125
    assert not found.hit[:1_500, USERS.index(CHILD)].any()
    assert len(source.examples(0.5, 0)) == 1_500


def test_a_smaller_cell_is_the_beginning_of_a_larger_one(source):
    large, small = source.examples(0.5, 60), source.examples(0.5, 20)
    fresh = Source(0, background=1_500).examples(0.5, 20)
    assert torch.equal(small.features, fresh.features)
    assert torch.equal(small.hit, fresh.hit)
    assert torch.equal(small.features, large.features[: len(small)])


@pytest.mark.parametrize("kind", networks.KINDS)
def test_the_loss_falls_and_the_same_seed_gives_the_same_again(source, kind):
    examples = source.examples(0.5, 60)
    states = []
    for _again in range(2):
        torch.manual_seed(4)
        module = networks.build(kind)
        losses = list(turn.fit(module, examples, 4, Recipe(steps=60, batch=256)))
        states.append(module.state_dict())
    assert sum(losses[-10:]) / 10 < 0.9 * losses[0]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_seeds_cross_data_and_first_weights():
    pairs = {(shipped.data_seed(seed), shipped.first_seed(seed)) for seed in range(shipped.SEEDS)}
    assert pairs == {(data, first) for data in range(5) for first in range(2)}


def test_cells_that_can_be_asked_for():
    assert turn.wanted("ego", 0.5, 60) == [Cell("ego", 0.5, 60)]
    assert turn.wanted("ego", 0.5, 0) == [Cell("ego", 0.0, 0)]
    assert len(turn.wanted("self", None, None)) == len(shipped.cells("self")) == 17
    with pytest.raises(InputError, match=r"probability from 0 to 1, not 2\.0"):
        turn.wanted("ego", 2.0, 60)
    with pytest.raises(InputError, match="16000 run-outs were asked for; 0 to 15000"):
        turn.wanted("ego", 0.5, 16_000)
    with pytest.raises(InputError, match=r"hazard 0\.001 that many run-outs need more than 150000 scenes"):
        turn.wanted("ego", 0.001, 15_000)


def test_training_writes_each_seed_and_gathering_puts_them_together(tmp_path, monkeypatch, source):
    monkeypatch.setattr(turn, "Source", lambda _seed: source)
    lines: list[str] = []
    turn.study(range(shipped.SEEDS), [Cell("uniform", 0.5, 10)], tmp_path, lines.append, Recipe(steps=2, batch=64))
    assert len(lines) == shipped.SEEDS
    before = sorted(tmp_path.iterdir())
    turn.study(range(shipped.SEEDS), [Cell("uniform", 0.5, 10)], tmp_path, lines.append, Recipe(steps=2, batch=64))
    assert all("is there already and stays" in line for line in lines[shipped.SEEDS :])
    assert len(lines) == 2 * shipped.SEEDS
    assert sorted(tmp_path.iterdir()) == before
    monkeypatch.setattr(shipped, "cells", lambda kind: (Cell(kind, 0.5, 10),))
    (path,) = turn.gather("uniform", tmp_path, tmp_path)
    for seed in (0, 7):
        one = shipped.read(tmp_path / f"uniform-hazard-0.5-runouts-10-seed-{seed}.safetensors", "uniform").state_dict()
        again = shipped.read(path, "uniform", seed).state_dict()
        assert all(torch.equal(one[name], again[name]) for name in one)


def test_the_command(tmp_path, monkeypatch, source, capsys):
    monkeypatch.setattr(turn, "Source", lambda _seed: source)
    assert (
        main(
            ["train", "turn", "--hazard", "0.5", "--runouts", "10", "--seed", "3", "--steps", "2", "-o", str(tmp_path)]
        )
        == 0
    )
    assert [path.name for path in tmp_path.iterdir()] == ["ego-hazard-0.5-runouts-10-seed-3.safetensors"]
    assert "turn/ego/hazard-0.5/runouts-10/seed-3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seed", "-1"], "-1 was given as a seed; a whole number from 0 to 9999 was expected."),
        (["--seed", "0", str(10**30)], f"{10**30} was given as a seed"),
        (["--steps", "0"], "0 steps were asked for; at least one was expected."),
        (["--hazard", "nan"], "A hazard is a probability from 0 to 1, not nan."),
        (["--gather", "nowhere"], "ego-hazard-0-runouts-0-seed-0.safetensors is no turn model"),
    ],
)
def test_what_the_command_cannot_do_is_one_sentence(tmp_path, capsys, options, said):
    assert main(["train", "turn", *options, "-o", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not list(tmp_path.iterdir())


def test_ranks_by_hand():
    # Ranks 1 2 3 4 against 1 3 2 4: 1 − 6 · 2 / (4 · 15) = 0.8.
    assert turn_measures.spearman(
        torch.tensor([0.1, 0.2, 0.3, 0.9]), torch.tensor([1.0, 7.0, 3.0, 9.0])
    ) == pytest.approx(0.8)
    # Ties share a rank: 1.5 1.5 3 against 1 2 3 is 1.5 / √(1.5 · 2) = 0.866.
    assert turn_measures.spearman(torch.tensor([5.0, 5.0, 6.0]), torch.tensor([1.0, 2.0, 3.0])) == pytest.approx(
        0.8660, abs=1e-4
    )
    assert math.isnan(turn_measures.spearman(torch.ones(3), torch.tensor([1.0, 2.0, 3.0])))


def test_a_lesson_reports_and_looks(monkeypatch):
    monkeypatch.setattr(turn_live, "BACKGROUND", 300)
    monkeypatch.setattr(turn_live, "PROBE", 60)
    monkeypatch.setattr(turn_live, "RECIPE", Recipe(steps=20, batch=64))
    lesson = turn_live.Lesson(turn_live.Plan("ego", 0.5, 10, 0))
    shares = list(lesson.run())
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert [look.step for look in lesson.looks] == [0, 10, 20]
    assert all(0 <= look.weight <= 1 and 0 <= look.with_vehicle <= 1 for look in lesson.looks)


def test_a_lesson_of_two_layers_looks_at_the_parked_vehicle_and_not_at_its_neighbour(monkeypatch):
    monkeypatch.setattr(turn_live, "BACKGROUND", 200)
    monkeypatch.setattr(turn_live, "PROBE", 60)
    monkeypatch.setattr(turn_live, "RECIPE", Recipe(steps=10, batch=64))
    lesson = turn_live.Lesson(turn_live.Plan("self", 0.5, 10, 3))
    assert list(lesson.run())
    # Before the first step the weights are those of the same first weights, as a model that is used gives them.
    torch.manual_seed(3)
    module, probe, slot = networks.build("self").eval(), turn_live._probe(), USERS.index(PARKED)
    weights = networks.ego_weights(module, probe.features, probe.present)[1]
    assert lesson.looks[0].weight == pytest.approx(float(weights[-1, :, :, slot].mean()), abs=1e-6)


def test_a_lesson_leaves_the_random_numbers_of_others_alone(monkeypatch):
    monkeypatch.setattr(turn_live, "BACKGROUND", 100)
    monkeypatch.setattr(turn_live, "PROBE", 30)
    monkeypatch.setattr(turn_live, "RECIPE", Recipe(steps=2, batch=16))
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    assert list(turn_live.Lesson(turn_live.Plan("ego", 0.5, 10, 0)).run())
    assert torch.equal(torch.rand(3), expected)


@pytest.fixture(scope="module")
def held():
    few = {"ORDINARY": 600, "NEAR": 300, "TRUE": 12, "DRAWS": 20, "LOOKED": 60}
    with pytest.MonkeyPatch.context() as patch:
        for name, number in few.items():
            patch.setattr(turn_measures, name, number)
        return turn_measures.held_out()


def test_the_truth_grows_with_the_hazard_and_is_nothing_without_one(held):
    truths = [held.truth(hazard) for hazard in shipped.HAZARDS]
    assert truths == sorted(truths)
    assert truths[0] == 0
    # Who runs is hit nearly always; given that nobody is seen now, a little less than the hazard.
    assert 0.35 < truths[2] <= 0.5


def test_run_outs_are_judged_at_the_moment_when_the_child_is_first_seen(held):
    from attnviz.scenes.simulator.cast import CHILD, USERS

    slot = USERS.index(CHILD)
    assert held.emerging.seen[:, slot].double().mean() > 0.95
    assert held.emerging.hit[:, slot].double().mean() > 0.95
    assert 0 < int(held.avoidable.sum()) < len(held.avoidable)


def test_gathering_writes_the_study_that_the_page_reads(tmp_path, monkeypatch, source, held):
    cell = Cell("ego", 0.5, 10)
    monkeypatch.setattr(turn, "Source", lambda _seed: source)
    monkeypatch.setattr(networks, "KINDS", ("ego",))
    monkeypatch.setattr(shipped, "cells", lambda _kind: (cell,))
    monkeypatch.setattr(turn, "_measured", lambda _kind: [cell])
    monkeypatch.setattr(turn_measures, "held_out", lambda: held)
    lines: list[str] = []
    turn.study(range(shipped.SEEDS), [cell], tmp_path, lines.append, Recipe(steps=2, batch=64))
    turn.ship(tmp_path, tmp_path, lines.append)
    found = study.study(tmp_path / study.FILE)
    assert len(found.of_cell(cell)) == shipped.SEEDS
    one = found.of(cell, 3)
    assert one is not None
    assert 0 <= one.with_vehicle <= 1
    assert len(one.weight) == 1
    assert len(one.weight[0]) == networks.HEADS
    assert sum(map(sum, one.log_odds["ordinary"])) == 600
    assert found.truth[0.0] == 0
    assert found.facts["parameters"] == {"ego": 9793}


def test_a_study_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "study.json").write_text('{"truth": {}, "models": {"a": {"accuracy": 1}}}')
    with pytest.raises(InputError, match=r"study\.json holds no study of turn models"):
        study.study(tmp_path / "study.json")


def test_oversampling_puts_scenes_with_a_vehicle_in_the_place_of_others_until_three_in_ten_have_one():
    near = torch.tensor([False] * 8 + [True] * 2)
    draw = torch.Generator().manual_seed(0)
    chosen = torch.tensor([0, 1, 2, 9, 4, 5, 6, 7, 0, 1])
    found = turn._oversampled(chosen, near, draw)
    assert int(near[found].sum()) == 3
    # The one that was there stays, and seven of the nine others.
    assert found[3] == 9
    assert int((found == chosen).sum()) == 8
    many = torch.tensor([8, 9, 8, 9, 0, 1, 2, 3, 4, 5])
    assert torch.equal(turn._oversampled(many, near, draw), many)
    assert torch.equal(turn._oversampled(chosen, near & False, draw), chosen)


def test_what_re_weighting_learns_is_corrected_to_the_share_that_there_was():
    # One conflict in six, counted five times, is as good as one in two: the loss is least at log-odds of 0.
    happened = torch.tensor([1.0, 0, 0, 0, 0, 0])
    decided = torch.zeros(6, requires_grad=True)
    weight = turn._weight(happened, "weighted")
    torch.nn.functional.binary_cross_entropy_with_logits(decided, happened, weight=weight).backward()
    assert float(decided.grad.sum()) == pytest.approx(0, abs=1e-7)
    assert turn._weight(happened, "oversampled") is None
    for kind in networks.KINDS:
        module = networks.build(kind).eval()
        with torch.no_grad():
            module.get_parameter("decide.2.weight").zero_()
            module.get_parameter("decide.2.bias").zero_()
            turn.corrected(module)
            said = module(torch.zeros(1, 2, networks.FEATURES), torch.ones(1, 2, dtype=torch.bool)).sigmoid()
        assert float(said) == pytest.approx(1 / 6)


class Says(torch.nn.Module):
    """A model whose log-odds are known: one number, and another where the parked vehicle is a token."""

    def __init__(self, without, with_vehicle):
        super().__init__()
        self.numbers = without, with_vehicle

    def forward(self, features, present):
        return torch.where(present[:, USERS.index(PARKED)], self.numbers[1], self.numbers[0])


def test_measures_of_models_whose_answers_are_known(held):
    never = turn_measures.measure(Says(-2.0, -2.0), held, 0.5)
    always = turn_measures.measure(Says(2.0, 2.0), held, 0.5)
    rate, near = (
        held.ordinary.conflict().double().mean(),
        held.near.with_hazard(0.5, held.chance).conflict().double().mean(),
    )
    # On a street where one scene in a hundred has a vehicle near the way.
    assert never["accuracy"] == pytest.approx(float(1 - 0.99 * rate - 0.01 * near), abs=1e-4)
    assert always["accuracy"] == pytest.approx(float(0.99 * rate + 0.01 * near), abs=1e-4)
    assert always["accuracy_near"] == pytest.approx(float(near), abs=1e-4)
    assert never["missed_avoidable"] == never["avoidable"] > 0
    assert never["missed_unavoidable"] == never["unavoidable"] > 0
    assert always["missed_avoidable"] == always["missed_unavoidable"] == 0
    # 1 / (1 + e^∓2): with the vehicle, and in the same scenes without it.
    knows = turn_measures.measure(Says(-2.0, 2.0), held, 0.5)
    assert (knows["with_vehicle"], knows["without_vehicle"]) == pytest.approx((0.8808, 0.1192), abs=1e-4)
    assert knows["weight"] == knows["spearman"] == []


def test_the_truth_is_bayes_rule_by_hand(held):
    one = replace(
        held, hit=torch.tensor([0.8, 0.0], dtype=torch.float64), seen=torch.tensor([0.2, 1.0], dtype=torch.float64)
    )
    # Half of them run: 0.5 · 0.8 hidden and hit, of 1 − 0.5 · 0.2 where nobody is seen; the other is seen or not there.
    assert one.truth(0.5) == pytest.approx(0.4 / 0.9 / 2)


def test_bins_by_hand():
    logit = [math.log(p / (1 - p)) for p in (0.0005, 0.02, 0.02, 0.5)]
    rows = turn_measures._reliability(torch.tensor(logit), torch.tensor([False, True, False, True]))
    assert [row[0] for row in rows] == [1, 0, 0, 2, 0, 0, 1]
    assert rows[0] == pytest.approx([1, 0.0005, 0])
    assert rows[3] == pytest.approx([2, 0.02, 0.5])
    assert rows[6] == pytest.approx([1, 0.5, 1])
    counted = turn_measures._counted(torch.tensor([-11.0, -10.0, -0.01, 0.0, 0.1, 11.0]))
    # Bins of a quarter from −10: whoever is just at an edge waits at that threshold, and is above it.
    assert {place: count for place, count in enumerate(counted) if count} == {0: 2, 39: 1, 40: 2, 79: 1}
    assert study.LOGIT_EDGES[40] == 0
