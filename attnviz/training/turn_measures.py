"""What is measured on a turn model once it is trained: on scenes that no model was trained on, whose truth is known."""

from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Float32, Float64
from torch import Tensor, nn

from attnviz.models.turn import features, networks
from attnviz.models.turn.study import LOGIT_EDGES, NEAR_SHARE
from attnviz.scenes.simulator.cast import CHILD, OBJECTS, PARKED, USERS
from attnviz.scenes.simulator.chance import uniform
from attnviz.scenes.simulator.drawing import draw
from attnviz.scenes.simulator.later import first_seen, later
from attnviz.scenes.simulator.moments import Moments, judged, moments
from attnviz.scenes.simulator.outcome import HORIZON, outcome
from attnviz.scenes.simulator.reference_driver import avoids
from attnviz.scenes.simulator.sight import visible

ORDINARY_SEED, NEAR_SEED, HIDDEN_SEED = 9_001, 9_002, 9_100
ORDINARY, NEAR, TRUE, DRAWS, LOOKED = 20_000, 6_000, 400, 200, 2_000
FEWEST_OBJECTS = 4
"""Objects in a scene, at least, for a correlation within it to say something."""
LOG_BINS = torch.tensor([0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
_RUN, _PARKED = USERS.index(CHILD), USERS.index(PARKED)


@dataclass(frozen=True, eq=False)
class Sight:
    """Features and what is present, ready for a network."""

    features: Float32[Tensor, "scenes tokens features"]
    present: Bool[Tensor, "scenes tokens"]

    @classmethod
    def of(cls, found: Moments) -> "Sight":
        return cls(features.of_cast(found.cast), found.tokens)

    def without(self, token: int) -> "Sight":
        present = self.present.clone()
        present[:, token] = False
        return replace(self, present=present)

    def part(self, scenes: Tensor | slice) -> "Sight":
        return Sight(self.features[scenes], self.present[scenes])


@dataclass(frozen=True, eq=False)
class Held:
    """Held-out scenes.

    ordinary: without a parked vehicle near the way. near: with one, at hazard 1, `chance` deciding who runs at less.
    alone: which of them hold nobody else in conflict and no child that is seen. true: for the first of those, how
    likely a child runs, is hidden now and is hit (`hit`), and is seen now (`seen`), at hazard 1. emerging: run-outs at
    the moment when the child is first seen; avoidable: whether the reference driver, noticing it then, avoids it.
    """

    ordinary: Moments
    near: Moments
    chance: Float64[Tensor, " near"]
    alone: Bool[Tensor, " near"]
    hit: Float64[Tensor, " true"]
    seen: Float64[Tensor, " true"]
    emerging: Moments
    avoidable: Bool[Tensor, " emerging"]

    def truth(self, hazard: float) -> float:
        """The mean probability of a conflict in the scenes of `alone`, given that no child is seen (Bayes' rule)."""
        return float((hazard * self.hit / (1 - hazard * self.seen)).mean())


def held_out() -> Held:
    """The scenes on which everything is measured; they take a minute or two to simulate."""
    ordinary = moments(ORDINARY_SEED, torch.arange(ORDINARY), near=False, hazard=0.0)
    numbers = torch.arange(NEAR)
    near = moments(NEAR_SEED, numbers, near=True, hazard=1.0)
    others = near.hit.clone()
    others[:, _RUN] = False
    free = near.seen[:, _PARKED] & ~others.any(dim=1)
    alone = free & ~near.seen[:, _RUN]
    hit, seen = _truth(numbers[alone][:TRUE])
    runs = near.part(alone & near.hit[:, _RUN])
    first = first_seen(runs.cast, CHILD, HORIZON)
    first_conflict = outcome(runs.cast).at[:, _RUN]
    comes = first < first_conflict
    emerging, first = runs.part(comes), first[comes]
    avoidable = avoids(emerging.cast, first)
    chance = uniform(NEAR_SEED, numbers, "run-out")[:, 0]
    return Held(ordinary, near, chance, alone, hit, seen, judged(later(emerging.cast, first)), avoidable)


def _truth(numbers: Tensor) -> tuple[Float64[Tensor, " true"], Float64[Tensor, " true"]]:
    """By drawing what is hidden many times: how often the child is hit though it is hidden now, and how often seen."""
    hit, seen = torch.zeros(len(numbers), dtype=torch.float64), torch.zeros(len(numbers), dtype=torch.float64)
    near = torch.ones(len(numbers), dtype=torch.bool)
    for number in range(DRAWS):
        cast = draw(NEAR_SEED, numbers, near=near, hazard=1.0, hidden=HIDDEN_SEED + number)
        only = torch.tensor([user in ("ego", PARKED, CHILD) for user in USERS])
        shown = visible(cast, torch.zeros(len(cast), 1, dtype=torch.float64), looked_for=only)[:, _RUN, 0]
        found = outcome(replace(cast, present=cast.present & only)).at[:, _RUN]
        seen += shown
        hit += ~shown & found.isfinite() & (found > 0)
    return hit / DRAWS, seen / DRAWS


@torch.no_grad()
def measure(module: nn.Module, held: Held, hazard: float) -> dict[str, Any]:
    """All numbers of one model, as `attnviz.models.turn.study.Measured` names them."""
    near = held.near.with_hazard(hazard, held.chance)
    ordinary, nearby = module_on(module, Sight.of(held.ordinary)), module_on(module, Sight.of(near))
    happened, happened_near = held.ordinary.conflict(), near.conflict()
    accuracy = float(((ordinary > 0) == happened).double().mean())
    accuracy_near = float(((nearby > 0) == happened_near).double().mean())
    return {
        "accuracy": _round((1 - NEAR_SHARE) * accuracy + NEAR_SHARE * accuracy_near),
        "accuracy_near": _round(accuracy_near),
        **_vehicle(module, held),
        **_first_sight(module, held),
        **_agreement(module, held),
        "reliability": _reliability(nearby, happened_near),
        "log_odds": {
            "ordinary": [_counted(ordinary[happened]), _counted(ordinary[~happened])],
            "near": [_counted(nearby[happened_near]), _counted(nearby[~happened_near])],
        },
    }


def module_on(module: nn.Module, sight: Sight) -> Float[Tensor, " scenes"]:
    """The log-odds of many scenes."""
    parts = [
        module(sight.features[at : at + 4096], sight.present[at : at + 4096])
        for at in range(0, len(sight.present), 4096)
    ]
    return torch.cat(parts)


def _vehicle(module: nn.Module, held: Held) -> dict[str, Any]:
    """The parked vehicle while the child, if there is one, is hidden: its weight, and the probability with and without."""
    sight = Sight.of(held.near.part(held.alone))
    decided, weights = networks.ego_weights(module, sight.features, sight.present)
    without = module_on(module, sight.without(_PARKED))
    mine = weights[:, :, :, _PARKED].mean(dim=1)
    return {
        "with_vehicle": _round(float(decided.sigmoid().mean())),
        "without_vehicle": _round(float(without.sigmoid().mean())),
        "even": _round(float((1 / sight.present.sum(dim=1)).mean())),
        # One list for each layer, one number for each head.
        "weight": [[_round(float(head)) for head in layer] for layer in mine],
    }


def _first_sight(module: nn.Module, held: Held) -> dict[str, Any]:
    """Run-outs at the moment when the child is first seen: how many the model misses at a probability of a half."""
    sight = Sight.of(held.emerging)
    shown = sight.present[:, _RUN]
    decided, weights = networks.ego_weights(module, sight.features, sight.present)
    missed = decided < 0
    could, could_not = held.avoidable & shown, ~held.avoidable & shown
    return {
        "avoidable": int(could.sum()),
        "missed_avoidable": int((missed & could).sum()),
        "unavoidable": int(could_not.sum()),
        "missed_unavoidable": int((missed & could_not).sum()),
        "child_weight": [[_round(float(head)) for head in layer] for layer in weights[:, shown][..., _RUN].mean(dim=1)],
    }


def _agreement(module: nn.Module, held: Held) -> dict[str, list[float]]:
    """For each layer: does the ego's weight (mean of the heads) rank the objects of a scene as removing them does?"""
    enough = held.ordinary.tokens[:, 1:].sum(dim=1) >= FEWEST_OBJECTS
    sight = Sight.of(held.ordinary.part(enough)).part(slice(LOOKED))
    decided, weights = networks.ego_weights(module, sight.features, sight.present)
    change = torch.stack(
        [decided - module_on(module, sight.without(token)) for token in range(1, len(OBJECTS) + 1)], dim=1
    )
    there = sight.present[:, 1:]
    ranked, heaviest = [], []
    for layer in weights.mean(dim=2)[:, :, 1:]:
        sides = zip(layer, change.abs(), there, strict=True)
        ranks = torch.tensor([spearman(weight[here], effect[here]) for weight, effect, here in sides])
        ranked.append(_round(float(ranks[ranks.isfinite()].mean())))
        most = layer.masked_fill(~there, -1).argmax(dim=1) == change.abs().masked_fill(~there, -1).argmax(dim=1)
        heaviest.append(_round(float(most.double().mean())))
    return {"spearman": ranked, "heaviest": heaviest}


def spearman(first: Float[Tensor, " n"], second: Float[Tensor, " n"]) -> float:
    """Spearman's rank correlation, equal numbers sharing a rank; NaN where one side is all equal."""
    ranks = [_ranks(side) - (len(side) - 1) / 2 for side in (first, second)]
    size = ranks[0].norm() * ranks[1].norm()
    return float(ranks[0] @ ranks[1] / size) if size > 0 else float("nan")


def _ranks(side: Float[Tensor, " n"]) -> Float64[Tensor, " n"]:
    """How many are smaller, and half of the others that are equal."""
    smaller = (side[None] < side[:, None]).sum(dim=1)
    equal = (side[None] == side[:, None]).sum(dim=1) - 1
    return smaller.double() + equal.double() / 2


def _reliability(decided: Float[Tensor, " scenes"], happened: Bool[Tensor, " scenes"]) -> list[list[float]]:
    """In each of `LOG_BINS`: how many scenes, the mean predicted probability, how often there was a conflict."""
    probability = decided.sigmoid()
    places = torch.bucketize(probability, LOG_BINS[1:-1], right=True)
    rows: list[list[float]] = []
    for place in range(len(LOG_BINS) - 1):
        here = places == place
        means = [float(side[here].double().mean()) for side in (probability, happened)]
        rows.append([float(here.sum()), *map(_round, means)] if here.any() else [0.0])
    return rows


def _counted(decided: Float[Tensor, " scenes"]) -> list[int]:
    """How many log-odds lie in each bin between `LOGIT_EDGES`."""
    places = torch.bucketize(decided, torch.tensor(LOGIT_EDGES[1:-1]), right=True)
    return torch.bincount(places, minlength=len(LOGIT_EDGES) - 1).tolist()


def _round(number: float) -> float:
    return float(f"{number:.4g}")
