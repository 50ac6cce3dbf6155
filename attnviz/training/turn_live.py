"""A small turn model trained in some seconds, watched while it learns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

import torch
from torch import nn

from attnviz.models.turn import features, networks
from attnviz.models.turn.networks import Kind
from attnviz.scenes.simulator.cast import PARKED, USERS
from attnviz.scenes.simulator.moments import moments
from attnviz.training.turn import FIRST_NEAR, Recipe, examples_of, fit, joined, vehicles
from attnviz.training.turn_measures import Sight

BACKGROUND = 4_000
AT_ONCE = 1_000
"""Scenes that are simulated between two reports."""
RECIPE = Recipe(steps=400, batch=256)
EVERY = 10
"""Steps between two looks."""
PROBE_SEED, PROBE = 9_200, 400
SIMULATING = 0.3
"""The part of the progress that simulating is told as."""
_drawing = Lock()


@dataclass(frozen=True)
class Plan:
    """What is trained: as in the study, with fewer scenes and steps."""

    kind: Kind
    hazard: float
    runouts: int
    seed: int


@dataclass(frozen=True)
class Look:
    """After so many steps, in scenes with a parked vehicle near the way where nobody else is in it: the mean weight on
    the vehicle (last layer, mean of the heads), and the mean probability with and without the vehicle."""

    step: int
    weight: float
    with_vehicle: float
    without_vehicle: float


@dataclass
class Lesson:
    """A training that goes on while somebody watches: `run` yields how much of it is done, from 0 to 1."""

    plan: Plan
    looks: list[Look] = field(default_factory=list)

    def run(self) -> Iterator[float]:
        """Simulates, then trains, and looks at the vehicle every few steps."""
        plan = self.plan
        near = vehicles(plan.hazard, plan.runouts)
        total = BACKGROUND + near + PROBE
        parts, done = [], 0
        for first, count, is_near in ((0, BACKGROUND, False), (FIRST_NEAR, near, True)):
            for at in range(0, count, AT_ONCE):
                numbers = first + torch.arange(at, min(at + AT_ONCE, count))
                parts.append(examples_of(moments(plan.seed, numbers, near=is_near, hazard=plan.hazard)))
                done += len(numbers)
                yield SIMULATING * done / total
        probe = _probe()
        module = _fresh(plan)
        self._look(module, probe, 0)
        for step, _loss in enumerate(fit(module, joined(parts), plan.seed, RECIPE), 1):
            if step % EVERY == 0:
                self._look(module, probe, step)
            yield SIMULATING + (1 - SIMULATING) * step / RECIPE.steps

    @torch.no_grad()
    def _look(self, module: nn.Module, probe: Sight, step: int) -> None:
        slot = USERS.index(PARKED)
        decided, weights = networks.ego_weights(module, probe.features, probe.present)
        gone = probe.without(slot)
        without = module(gone.features, gone.present)
        weight = float(weights[-1, :, :, slot].mean()) if len(weights) else float("nan")
        self.looks.append(Look(step, weight, float(decided.sigmoid().mean()), float(without.sigmoid().mean())))


def _fresh(plan: Plan) -> nn.Module:
    # First weights come from torch's one random state: another session must not draw from it in between, nor find it changed.
    with _drawing, torch.random.fork_rng(devices=[]):
        torch.manual_seed(plan.seed)
        return networks.build(plan.kind)


def _probe() -> Sight:
    found = moments(PROBE_SEED, torch.arange(PROBE), near=True, hazard=0.0)
    free = found.seen[:, USERS.index(PARKED)] & ~found.hit.any(dim=1)
    chosen = found.part(free)
    return Sight(features.of_cast(chosen.cast), chosen.tokens)
