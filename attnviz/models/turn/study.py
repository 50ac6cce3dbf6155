"""What was measured on the turn models: the study of hazard and exposure, as facts beside the weights."""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.turn.shipped import SEEDS, WEIGHTS, Cell

FILE = "study.json"
NEAR_SHARE = 0.01
"""How many scenes of a street have a parked vehicle near the way, where something is counted over all of them."""
LOGIT_EDGES = tuple(-10 + 0.25 * place for place in range(81))
"""Edges of the bins in which log-odds are counted; the first and the last bin take what is beyond."""
RATIOS = (1, 2, 5, 10, 20, 50, 100)
"""How many waits for nothing a miss may be said to cost."""
Counts = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Measured:
    """One model on held-out scenes; shares and probabilities from 0 to 1.

    accuracy: at a probability of a half, on a street where one scene in a hundred has a parked vehicle near the way;
    accuracy_near: on those scenes alone. with_vehicle, without_vehicle: the mean probability in scenes where nobody else
    is in the way and no child is seen, with and without the vehicle. weight: on the vehicle there, by layer and head;
    even: the mean even share 1/N. avoidable, missed_avoidable: run-outs at first sight that the reference driver avoids,
    and those of them to which the model gives less than a half; unavoidable likewise. child_weight: on the child then.
    spearman: within ordinary scenes, between the ego's weight (mean of the heads) and the size of the effect of
    removal, by layer; heaviest: how often the heaviest is the most decisive. reliability: rows of count, mean
    probability, share of conflicts. log_odds: counts in the bins of `LOGIT_EDGES`, with and without a conflict, for
    "ordinary" and "near".
    """

    accuracy: float
    accuracy_near: float
    with_vehicle: float
    without_vehicle: float
    even: float
    weight: Sequence[Sequence[float]]
    avoidable: int
    missed_avoidable: int
    unavoidable: int
    missed_unavoidable: int
    child_weight: Sequence[Sequence[float]]
    spearman: Sequence[float]
    heaviest: Sequence[float]
    reliability: Sequence[Sequence[float]]
    log_odds: Mapping[str, Counts]

    @property
    def mean_weight(self) -> float | None:
        """On the vehicle, the mean over the heads of the last layer; None without attention."""
        return sum(self.weight[-1]) / len(self.weight[-1]) if self.weight else None


@dataclass(frozen=True)
class Study:
    """truth: by hazard, the true mean probability in the scenes of `with_vehicle`, by drawing what is hidden many
    times. models: by name. facts: how it was made: command, date, torch's version, recipe."""

    truth: Mapping[float, float]
    models: Mapping[str, Measured]
    facts: Mapping[str, Any]

    def of(self, cell: Cell, seed: int) -> Measured | None:
        """What was measured on one model; None if nothing was. Without run-outs the hazard still decides what is held
        against it, so that such a model has one row for each hazard."""
        return self.models.get(f"{cell.name}/seed-{seed}")

    def of_cell(self, cell: Cell) -> list[Measured]:
        """All seeds of a cell that were measured."""
        found = [self.of(cell, seed) for seed in range(SEEDS)]
        return [one for one in found if one is not None]


@functools.cache
def study(path: Path = WEIGHTS / FILE) -> Study:
    """The study that is shipped. Raises `InputError` where the file is missing or not what it should be."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Study(
            {float(hazard): float(truth) for hazard, truth in data["truth"].items()},
            {name: Measured(**found) for name, found in data["models"].items()},
            data["facts"],
        )
    except (OSError, ValueError, KeyError, TypeError) as reason:
        raise InputError(
            _m("{file} holds no study of turn models: {reason}."),
            file=path.name,
            reason=" ".join(str(reason).split())[:100],
        ) from reason
