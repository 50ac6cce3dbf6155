"""The findings of the study, again with the weights that are shipped; docs/turn.md states the margins."""

import statistics

import pytest
import torch

from attnviz import models
from attnviz.models.turn import networks, shipped, study
from attnviz.models.turn.shipped import Cell
from attnviz.training import turn_measures

# Fewer scenes than the study's: its numbers come out again within these.
FEW = {"ORDINARY": 400, "NEAR": 800, "TRUE": 40, "DRAWS": 40, "LOOKED": 300}
SAMPLING = 0.08


@pytest.fixture(scope="module")
def held():
    with pytest.MonkeyPatch.context() as patch:
        for name, number in FEW.items():
            patch.setattr(turn_measures, name, number)
        return turn_measures.held_out()


@pytest.fixture(scope="module")
def measured(held):
    """`measured(cell)`: every seed of it, each measured once."""
    kept: dict[Cell, list[study.Measured]] = {}

    def of(cell: Cell) -> list[study.Measured]:
        if cell not in kept:
            path = shipped.WEIGHTS / cell.file
            modules = [shipped.read(path, cell.kind, seed) for seed in range(shipped.SEEDS)]
            kept[cell] = [study.Measured(**turn_measures.measure(one, held, cell.hazard)) for one in modules]
        return kept[cell]

    return of


def median(numbers):
    return statistics.median(numbers)


def test_every_model_of_the_study_is_there_and_finite():
    for kind in networks.KINDS:
        for cell in shipped.cells(kind):
            modules = [shipped.read(shipped.WEIGHTS / cell.file, kind, seed) for seed in range(shipped.SEEDS)]
            states = [torch.cat([one.flatten() for one in module.state_dict().values()]) for module in modules]
            assert all(bool(state.isfinite().all()) for state in states)
            assert len({tuple(state.tolist()) for state in states}) == shipped.SEEDS
    assert models.load("turn/self/hazard-0.1/runouts-600/seed-9").name == "turn/self/hazard-0.1/runouts-600/seed-9"


def test_the_study_on_the_page_is_of_these_weights(measured):
    found = study.study()
    for cell in (Cell("ego", 0.5, 60), Cell("self", 0.5, 15_000), Cell("uniform", 0.5, 600)):
        for here, there in zip(measured(cell), found.of_cell(cell), strict=True):
            assert here.with_vehicle == pytest.approx(there.with_vehicle, abs=SAMPLING)
            assert here.accuracy == pytest.approx(there.accuracy, abs=SAMPLING)
            if there.weight:
                assert here.mean_weight == pytest.approx(there.mean_weight, abs=SAMPLING)


@pytest.mark.parametrize("kind", ["ego", "self"])
def test_the_danger_is_known_where_it_was_seen_often_and_not_where_it_was_hardly_seen(measured, held, kind):
    truth = held.truth(0.5)
    assert 0.4 < truth < 0.55
    often = [one.with_vehicle for one in measured(Cell(kind, 0.5, 15_000))]
    hardly = [one.with_vehicle for one in measured(Cell(kind, 0.5, 10))]
    never = [one.with_vehicle for one in measured(Cell(kind, 0.0, 0))]
    assert all(abs(number - truth) < 0.15 for number in often)
    assert median(hardly) < truth / 2
    assert max(never) < truth / 2
    # And over all scenes none of this is to be seen.
    accuracy = [one.accuracy for count in (10, 15_000) for one in measured(Cell(kind, 0.5, count))]
    assert max(accuracy) - min(accuracy) < 0.1


def test_the_vehicles_weight_rises_with_hazard_and_with_exposure(measured):
    with_hazard = [median([one.mean_weight for one in measured(Cell("ego", h, 15_000))]) for h in (0.0, 0.1, 0.5, 1.0)]
    assert with_hazard == sorted(with_hazard)
    assert with_hazard[0] < 0.05 < 0.3 < with_hazard[-1]
    with_exposure = [median([one.mean_weight for one in measured(Cell("ego", 0.5, n))]) for n in (10, 60, 600, 15_000)]
    assert with_exposure == sorted(with_exposure)


def test_weight_ranks_as_effect_does_in_one_layer_and_not_in_the_last_of_two(measured):
    one_layer = [one.spearman[0] for one in measured(Cell("ego", 0.5, 15_000))]
    last = [one.spearman[-1] for one in measured(Cell("self", 0.5, 15_000))]
    assert min(one_layer) > 0.7
    assert median(last) < 0.5
    assert max(last) < min(one_layer)
