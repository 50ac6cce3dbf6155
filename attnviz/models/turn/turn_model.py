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
from attnviz.models.turn import features
from attnviz.recording import capture
from attnviz.scenes import Scenes
from attnviz.tokens import Tokens
from attnviz.trace import Trace

MOST_TOKENS = 256


@dataclass(frozen=True, eq=False)
class Seen:
    """What the model reads at one moment. ids: of the tokens, the ego first."""

    ids: tuple[str, ...]
    features: Float32[Tensor, "tokens features"]


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

    def seen(self, scenes: Scenes, scene_id: str = "scene", t: float = 0.0) -> Seen:
        """The tokens of a moment: road users that are there and can be seen, and signs.

        A speed that nobody knows is read as standing still. Raises `InputError` where the moment has no ego or more
        than 256 tokens.
        """
        moment = scenes.moment(scene_id, t)
        hidden = moment["visible"].isin([False]) & ~moment["is_ego"].astype(bool)  # None is unknown, not hidden
        shown, signs = moment[~hidden], scenes.signs_at(scene_id, t)
        if len(shown) + len(signs) > MOST_TOKENS:
            raise InputError(
                _m("The scene “{name}” has {found} road users and signs at {t} s; the model reads at most {most}."),
                name=scene_id, found=len(shown) + len(signs), t=t, most=MOST_TOKENS,
            )  # fmt: skip
        mirrored = scenes.traffic == "right"
        ids = (*map(str, shown["agent_id"]), *map(str, signs["sign_id"]))
        return Seen(
            ids, torch.cat([self._users(shown, mirrored=mirrored), features.of_signs(signs, mirrored=mirrored)])
        )

    def log_odds(self, seen: Seen, kept: Bool[Tensor, "runs tokens"] | None = None) -> Float[Tensor, " runs"]:
        """The log-odds of a conflict, once for each row of tokens that are kept; the ego has to be."""
        kept = torch.ones(1, len(seen.ids), dtype=torch.bool) if kept is None else kept
        with self._running, torch.no_grad():
            found: Tensor = self.module(seen.features.expand(len(kept), -1, -1), kept)
        return found

    def without_each(self, seen: Seen) -> Float[Tensor, " objects"]:
        """The log-odds without each object, in the order of the tokens after the ego."""
        count = len(seen.ids)
        kept = ~torch.eye(count, dtype=torch.bool)[1:]
        return self.log_odds(seen, kept) if count > 1 else torch.zeros(0)

    def trace(self, scenes: Scenes, scene_id: str = "scene", t: float = 0.0) -> Trace:
        """The attentions of one pass. Raises `InputError` as `seen` does."""
        return self.trace_of(self.seen(scenes, scene_id, t))

    def trace_of(self, seen: Seen, labels: Sequence[str] | None = None) -> Trace:
        """The attentions of one pass over these tokens. labels: what they are called; without, their ids."""
        tokens = Tokens(texts=tuple(labels or seen.ids), kind="road-user", ids=seen.ids)
        with self._running, torch.no_grad():
            with capture(self.module, values=True) as recorded:
                self.module(seen.features[None], torch.ones(1, len(seen.ids), dtype=torch.bool))
            attentions = list(recorded)
        ego = Tokens(texts=tokens.texts[:1], kind="road-user", ids=seen.ids[:1])
        found = []
        for attention in attentions:
            alone = attention.shape[0] == 1
            placed = one_item(attention, 0, ego if alone else tokens, tokens)
            found.append(replace(placed, role="ego") if alone else placed)
        return Trace(found, origin=replace(recorded.origin, model=self.name), notes=recorded.notes)

    def _users(self, shown: pd.DataFrame, *, mirrored: bool) -> Float32[Tensor, "users features"]:
        def column(name: str) -> Float64[Tensor, " users"]:
            return torch.from_numpy(np.nan_to_num(shown[name].to_numpy(dtype=np.float64)))

        kinds = [
            features.column_of(str(kind), ego=bool(ego))
            for kind, ego in zip(shown["class"], shown["is_ego"], strict=True)
        ]
        x, heading, vx = column("x"), column("heading"), column("vx")
        if mirrored:
            x, heading, vx = -x, torch.pi - heading, -vx
        return features.of_users(
            torch.tensor(kinds), x, column("y"), heading, vx, column("vy"), column("length"), column("width")
        )
