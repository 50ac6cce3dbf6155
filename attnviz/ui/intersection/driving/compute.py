"""From what the model is shown to its numbers: who is seen, the decision, weights, effects, and the truth."""

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.models.turn import networks, shipped
from attnviz.models.turn.turn_model import TurnModel
from attnviz.safety.influence import Influence, influence
from attnviz.scenes import Agent, Scenes, risk
from attnviz.scenes.kinds import NAMES, Kind
from attnviz.scenes.sighting import with_sight
from attnviz.scenes.simulator.cast import OBJECTS
from attnviz.scenes.simulator.drawing import draw
from attnviz.scenes.simulator.later import later
from attnviz.scenes.simulator.outcome import HORIZON, relevance
from attnviz.scenes.simulator.tables import scenes_of
from attnviz.ui.intersection.driving import own
from attnviz.ui.views.driving import MEAN, OWN, Drive, Mover
from attnviz.ui.views.street import EGO, KNOWN, Place

SCENE = "scene"
SCENES_SEED = 4_711
"""Of the simulated scenes that the page offers: no model was trained on them."""
LAYERS_OF = {"ego": 1, "self": networks.LAYERS}
EVERY = 0.1
"""Seconds between two moments of a simulated scene."""
RISK_EVERY = 0.5
"""Seconds between two moments whose risk is measured."""


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model makes of one moment.

    rows: the road users of the moment, the ego first, hidden ones too. found: over the one moment. labels: by id.
    """

    rows: pd.DataFrame
    found: Influence
    labels: dict[str, str]
    layers: int

    @property
    def probability(self) -> float:
        """Of a conflict if the ego turns now."""
        return float(self.found.probability[0])

    def weights(self, drive: Drive) -> dict[str, float]:
        """By id, the weights of the layer and head that is looked at."""
        chosen = weights_of(self.found, drive)[0]
        return dict(zip(self.found.ids, chosen.tolist(), strict=True))

    @property
    def tokens(self) -> int:
        """How many tokens the model reads, the ego among them."""
        return int(self.found.weights.isfinite().any(dim=(0, 2)).sum()) if self.layers else len(self.found.ids)


def probability_of(log_odds: float) -> float:
    """Without overflow: a model of one's own may be as sure as it likes."""
    return 1 / (1 + math.exp(-log_odds)) if log_odds >= 0 else math.exp(log_odds) / (1 + math.exp(log_odds))


def weights_of(found: Influence, drive: Drive) -> Float[Tensor, "times tokens"]:
    """Of the layer and head that is looked at, or the mean over the layer's heads."""
    layer = found.weights[min(drive.layer, len(found.weights) - 1)]
    return layer.mean(dim=1) if drive.head == MEAN else layer[:, drive.head]


def model(name: str) -> TurnModel:
    """The model of this name. Raises `InputError`, also for one's own that is not open here."""
    return own.model(name.removeprefix(OWN)) if name.startswith(OWN) else _shipped(name)


@functools.lru_cache(maxsize=64)
def _shipped(name: str) -> TurnModel:
    found = shipped.load(name)
    assert found is not None, name  # noqa: S101 - a Drive names no other
    return found


def judge(drive: Drive) -> Judged:
    """Everything about the moment that is shown. Raises `InputError`."""
    scenes, t = moment(drive)
    loaded = model(drive.name)
    found = influence(loaded, loaded.seen(scenes, SCENE, (t,)))
    if len(found.weights) != LAYERS_OF[drive.kind]:
        # An address that calls one's own model by the other kind: the layer that is chosen would be another one.
        raise InputError(own.NOT_OPEN)
    return Judged(scenes.moment(SCENE, t), found, labels(drive, scenes), len(found.weights))


def moment(drive: Drive) -> tuple[Scenes, float]:
    """The scenes that are shown, and the moment of them."""
    if drive.moving:
        scenes = played(drive.scene, near=drive.near, child=drive.child)
        times = scenes.times(SCENE)
        return scenes, float(times[int(np.abs(times - drive.t).argmin())])
    return still(
        drive.traffic, drive.ego, drive.ego_speed, tuple((u.id, u.kind, u.place, u.speed) for u in drive.users)
    ), 0.0


@functools.lru_cache(maxsize=64)
def still(traffic: str, ego: Place, speed: float, others: tuple[tuple[str, Kind, Place, float], ...]) -> Scenes:
    """The street that one's own hand makes, with who is hidden."""
    agents = [_agent(EGO, "car", ego, speed, is_ego=True), *(_agent(*other) for other in others)]
    return with_sight(Scenes.of_moment(agents, traffic="right" if traffic == "right" else "left", origin="typed in"))


@functools.lru_cache(maxsize=32)
def played(number: int, *, near: bool, child: bool) -> Scenes:
    """A simulated scene from its moment on, ten times a second, until the ego has left the street."""
    cast = draw(SCENES_SEED, torch.tensor([number]), near=torch.tensor([near]), hazard=float(child))
    return scenes_of(cast, torch.arange(0, round(HORIZON / EVERY) + 1, dtype=torch.float64) * EVERY, [SCENE])


@functools.lru_cache(maxsize=32)
def played_truth(number: int, *, near: bool, child: bool, t: float) -> tuple[bool, dict[str, bool], dict[str, bool]]:
    """What happens from this moment on: whether there is a conflict; without each object; with each object alone."""
    cast = draw(SCENES_SEED, torch.tensor([number]), near=torch.tensor([near]), hazard=float(child))
    truth = relevance(later(cast, torch.tensor([t], dtype=torch.float64)))
    without, alone = (dict(zip(OBJECTS, side[0].tolist(), strict=True)) for side in (truth.without, truth.alone))
    return bool(truth.conflict[0]), without, alone


@dataclass(frozen=True, eq=False)
class Played:
    """A whole simulated scene as a model sees it. risk: `attnviz.scenes.risk.measures`, a row each user and time."""

    times: Float[np.ndarray, " times"]
    found: Influence
    present: Bool[Tensor, "times tokens"]
    first_seen: dict[str, float | None]
    risk: pd.DataFrame


@functools.lru_cache(maxsize=16)
def whole(number: int, *, near: bool, child: bool, name: str) -> Played:
    """Every tenth of a second of a scene."""
    scenes = played(number, near=near, child=child)
    times = scenes.times(SCENE)
    loaded = model(name)
    seen = loaded.seen(scenes, SCENE, tuple(times.tolist()))
    return Played(
        times, influence(loaded, seen), seen.present, scenes.first_visible(SCENE), measured(number, near=near, child=child),
    )  # fmt: skip


@functools.lru_cache(maxsize=16)
def measured(number: int, *, near: bool, child: bool) -> pd.DataFrame:
    """The risk measures of a simulated scene, twice a second: they take longer than all the rest. The ego's way is the path."""
    scenes = played(number, near=near, child=child)
    way = torch.from_numpy(scenes.road.lanes[0].centre.copy())
    kept = scenes.table[(scenes.table["t"] / RISK_EVERY - (scenes.table["t"] / RISK_EVERY).round()).abs() < 1e-6]
    return risk.measures(replace(scenes, table=kept), SCENE, way)


def labels(drive: Drive, scenes: Scenes) -> dict[str, str]:
    """What everybody and every sign is called, in the current language."""
    if drive.moving:
        return _played_labels(scenes)
    return {EGO: _(KNOWN["ego car"])} | {user.id: user.label() for user in drive.users}


def _played_labels(scenes: Scenes) -> dict[str, str]:
    found = {EGO: _(KNOWN["ego car"])}
    rows = scenes.table.drop_duplicates("agent_id")
    for name, kind in zip(rows["agent_id"].astype(str), rows["class"].astype(str), strict=True):
        if name != EGO:
            called = _(KNOWN["oncoming car"]) if name.startswith("oncoming") else _(NAMES[kind])  # type: ignore[index]  # kinds are checked
            found[name] = f"{called} {name.rsplit('-', 1)[-1]}"
    signs = {"traffic-light": _("traffic light"), "stop-line": _("stop line"), "speed-limit": _("speed limit")}
    for name, kind in zip(scenes.signs["sign_id"].astype(str), scenes.signs["class"].astype(str), strict=True):
        found[name] = signs[kind]
    return found


def taken_over(drive: Drive) -> Drive:
    """The moment of a simulated scene as a street that one's own hand can change; signs stay behind."""
    scenes, t = moment(drive)
    rows = scenes.moment(SCENE, t)
    movers, ego, speed = [], drive.ego, drive.ego_speed
    called = labels(drive, scenes)
    for row in rows.to_dict("records"):
        place = Place(x=round(row["x"], 2), y=round(row["y"], 2), heading=round(math.degrees(row["heading"]) % 360, 1))
        fast = round(math.hypot(row["vx"], row["vy"]), 2)
        if row["is_ego"]:
            ego, speed = place, fast
        else:
            name = str(row["agent_id"])
            movers.append(Mover(id=name, kind=row["class"], name=called[name][:60], place=place, speed=fast))
    return drive.model_copy(
        update={"moving": False, "ego": ego, "ego_speed": speed, "users": tuple(movers), "traffic": "left"}
    )


def _agent(name: str, kind: Kind, place: Place, speed: float, *, is_ego: bool = False) -> Agent:
    heading = math.radians(place.heading)
    return Agent(
        name, kind, place.x, place.y, heading, speed * math.cos(heading), speed * math.sin(heading), is_ego=is_ego
    )
