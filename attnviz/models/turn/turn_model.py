"""A turn model of a scene: from who is there to the probability of a conflict, and the trace that led to it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Float32, Float64
from torch import Tensor, nn

from attnviz.attention.items import one_item
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.card import Card
from attnviz.models.turn import features, networks
from attnviz.recording import capture
from attnviz.scenes import Scenes
from attnviz.tokens import Tokens
from attnviz.trace import Trace

MOST_TOKENS = 256


@dataclass(frozen=True, eq=False)
class Seen:
    """What the model reads, at one moment or over several. ids: of the tokens, the ego first."""

    ids: tuple[str, ...]
    features: Float32[Tensor, "times tokens features"]
    present: Bool[Tensor, "times tokens"]


class TurnModel:
    """How likely a conflict is if the ego turns now. Its frame is the junction of `attnviz.scenes.simulator.street`.

    Right-hand traffic is shown to it in a mirror. One thread at a time runs it.
    """

    uses_positions = True

    def __init__(self, name: str, card: Card | None, module: nn.Module) -> None:
        self.name = name
        self.card = card
        self.module = module.eval()
        self._running = threading.Lock()

    def seen(self, scenes: Scenes, scene_id: str = "scene", times: Sequence[float] = (0.0,)) -> Seen:
        """The tokens of these moments: road users that are there and not known to be hidden, and signs.

        A speed that nobody knows is read as standing still, a side of traffic that nobody knows as the left. Raises `InputError` where a moment has no ego, the ego is
        not the same in all of them, or there are more than 256 tokens.
        """
        moments = [_shown(scenes, scene_id, t) for t in times]
        egos = {ids[0] for ids, _features in moments}
        if len(egos) > 1:
            raise InputError(_m("The scene “{name}” has two egos."), name=scene_id[:40])
        ids = tuple(dict.fromkeys(name for names, _features in moments for name in names))
        if len(ids) > MOST_TOKENS:
            raise InputError(
                _m("The scene “{name}” has {found} road users and signs; the model reads at most {most}."),
                name=scene_id[:40], found=len(ids), most=MOST_TOKENS,
            )  # fmt: skip
        place = {name: position for position, name in enumerate(ids)}
        numbers = torch.zeros(len(moments), len(ids), features.FEATURES)
        present = torch.zeros(len(moments), len(ids), dtype=torch.bool)
        for time, (names, read) in enumerate(moments):
            here = [place[name] for name in names]
            numbers[time, here], present[time, here] = read, True
        return Seen(ids, numbers, present)

    def log_odds(self, seen: Seen) -> Float[Tensor, " times"]:
        """The log-odds of a conflict at each moment. Raises `InputError` where they are no finite numbers."""
        return self._decide(seen.features, seen.present)

    def without_each(self, seen: Seen) -> Float[Tensor, "times tokens"]:
        """The log-odds when one token is taken out, for each; NaN for the ego, which has to be, and for who is not there."""
        found = torch.full(seen.present.shape, torch.nan)
        for token in range(1, len(seen.ids)):
            here = seen.present[:, token]
            kept = seen.present[here].clone()
            kept[:, token] = False
            found[here, token] = self._decide(seen.features[here], kept)
        return found

    def ego_weights(self, seen: Seen) -> Float[Tensor, "layers times heads tokens"]:
        """The weights with which the ego looks at every token; NaN for who is not there."""
        with self._running, torch.no_grad():
            weights = networks.ego_weights(self.module, seen.features, seen.present)[1]
        return weights.masked_fill(~seen.present[None, :, None], torch.nan)

    def _decide(
        self, numbers: Float32[Tensor, "times tokens features"], present: Bool[Tensor, "times tokens"]
    ) -> Float[Tensor, " times"]:
        if not len(present):
            return torch.zeros(0)
        with self._running, torch.no_grad():
            found: Tensor = self.module(numbers, present)
        if not bool(found.isfinite().all()):
            # Weights of somebody's own that are finite, but too large to calculate with.
            raise InputError(_m("The model {name} does not answer with a finite number."), name=self.name[:60])
        return found

    def trace(self, scenes: Scenes, scene_id: str = "scene", t: float = 0.0) -> Trace:
        """The attentions of one pass. Raises `InputError` as `seen` does."""
        return self.trace_of(self.seen(scenes, scene_id, (t,)))

    def trace_of(self, seen: Seen, labels: Sequence[str] | None = None) -> Trace:
        """The attentions of one pass over these tokens, of the first moment. labels: what they are called; without, their ids."""
        here = seen.present[0]
        ids = tuple(name for name, there in zip(seen.ids, here.tolist(), strict=True) if there)
        called = dict(zip(seen.ids, labels or seen.ids, strict=True))
        tokens = Tokens(texts=tuple(called[name] for name in ids), kind="road-user", ids=ids)
        with self._running, torch.no_grad():
            with capture(self.module, values=True) as recorded:
                self.module(seen.features[:1, here], here[here][None])
            attentions = list(recorded)
        ego = Tokens(texts=tokens.texts[:1], kind="road-user", ids=ids[:1])
        found = []
        for attention in attentions:
            alone = attention.shape[0] == 1
            placed = one_item(attention, 0, ego if alone else tokens, tokens)
            found.append(replace(placed, role="ego") if alone else placed)
        return Trace(found, origin=replace(recorded.origin, model=self.name), notes=recorded.notes)


def _shown(scenes: Scenes, scene_id: str, t: float) -> tuple[tuple[str, ...], Float32[Tensor, "tokens features"]]:
    """The ids and features of one moment, the ego first."""
    moment = scenes.moment(scene_id, t)
    hidden = moment["visible"].isin([False]) & ~moment["is_ego"].astype(bool)  # None is unknown, not hidden
    shown, signs = moment[~hidden], scenes.signs_at(scene_id, t)
    mirrored = scenes.traffic == "right"
    ids = (*map(str, shown["agent_id"]), *map(str, signs["sign_id"]))
    return ids, torch.cat([_users(shown, mirrored=mirrored), features.of_signs(signs, mirrored=mirrored)])


def _users(shown: pd.DataFrame, *, mirrored: bool) -> Float32[Tensor, "users features"]:
    def column(name: str) -> Float64[Tensor, " users"]:
        return torch.from_numpy(np.nan_to_num(shown[name].to_numpy(dtype=np.float64)))

    kinds = [
        features.column_of(str(kind), ego=bool(ego)) for kind, ego in zip(shown["class"], shown["is_ego"], strict=True)
    ]
    x, heading, vx = column("x"), column("heading"), column("vx")
    if mirrored:
        x, heading, vx = -x, torch.pi - heading, -vx
    return features.of_users(
        torch.tensor(kinds), x, column("y"), heading, vx, column("vy"), column("length"), column("width")
    )
