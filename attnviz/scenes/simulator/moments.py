"""Moments of decision with their truth: what the ego sees, and what happens if it goes on, whatever is taken away."""

from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from attnviz.scenes.simulator import sight
from attnviz.scenes.simulator.cast import CHILD, LIGHT, OBJECTS, ONCOMING, PARKED, USERS, Cast
from attnviz.scenes.simulator.drawing import draw
from attnviz.scenes.simulator.outcome import outcome
from attnviz.scenes.simulator.street import Street


@dataclass(frozen=True, eq=False)
class Moments:
    """cast: who is there. seen: whom the ego sees. hit: with whom it comes into conflict if it goes on; hit_unlit: if
    there were no light."""

    cast: Cast
    seen: Bool[Tensor, "scenes users"]
    hit: Bool[Tensor, "scenes users"]
    hit_unlit: Bool[Tensor, "scenes users"]

    def __len__(self) -> int:
        return len(self.cast)

    def part(self, scenes: slice | Int64[Tensor, " some"] | Bool[Tensor, " scenes"]) -> "Moments":
        """Some of the scenes."""
        chosen = {one.name: getattr(self, one.name)[scenes] for one in fields(self) if one.name != "cast"}
        return Moments(cast=self.cast.part(scenes), **chosen)

    @property
    def tokens(self) -> Bool[Tensor, "scenes tokens"]:
        """What a model may know of: users that are seen, the ego first, and signs, in the order of `USERS`, `SIGNS`."""
        return torch.cat([self.seen, self.cast.signs], dim=1)

    def conflict(self, kept: Bool[Tensor, "scenes objects"] | None = None) -> Bool[Tensor, " scenes"]:
        """The outcome of the scenes, or of the scenes with only these objects kept."""
        return self.hit.any(dim=1) if kept is None else conflict_with(self.hit, self.hit_unlit, kept)

    def with_hazard(self, hazard: float, chance: Tensor) -> "Moments":
        """Of the children of moments at hazard 1 only those whose `chance` is below this hazard."""
        runs, slot = chance < hazard, USERS.index(CHILD)
        parts = {}
        for name in ("seen", "hit", "hit_unlit"):
            parts[name] = getattr(self, name).clone()
            parts[name][:, slot] &= runs
        present = self.cast.present.clone()
        present[:, slot] &= runs
        return replace(self, cast=replace(self.cast, present=present), **parts)


def conflict_with(
    hit: Bool[Tensor, "scenes users"], hit_unlit: Bool[Tensor, "scenes users"], kept: Bool[Tensor, "scenes objects"]
) -> Bool[Tensor, " scenes"]:
    """Whether there is a conflict when only these objects are kept; their order is that of `OBJECTS`.

    The same as running the scenes again, because nobody reacts to anybody but the light; a test holds both together.
    Whoever cannot be seen stays, apart from the child behind a parked vehicle, that goes with it.
    """
    users = torch.ones_like(hit)
    users[:, 1:] = kept[:, : len(USERS) - 1]
    users[:, USERS.index(CHILD)] &= users[:, USERS.index(PARKED)]
    lit = kept[:, OBJECTS.index(LIGHT), None]
    return (users & torch.where(lit, hit, hit_unlit)).any(dim=1)


def moments(
    seed: int,
    scenes: Int64[Tensor, " scenes"],
    *,
    near: bool,
    hazard: float,
    street: Street | None = None,
    hidden: int | None = None,
) -> Moments:
    """The scenes with these numbers, judged; see `draw`. Who would stand within the ego's box is not there."""
    everywhere = torch.full((len(scenes),), near)
    cast = draw(seed, scenes, near=everywhere, hazard=hazard, street=street, hidden=hidden)
    return judged(cast)


def judged(cast: Cast) -> Moments:
    """Drawn scenes with their truth. Who would be in conflict at once is taken out: the moment would come too late."""
    run = outcome(cast)
    cast = replace(cast, present=cast.present & (run.at > 0))
    seen = sight.visible(cast, torch.zeros(len(cast), 1, dtype=torch.float64))[..., 0]
    hit = run.at.isfinite() & cast.present
    hit_unlit = hit.clone()
    obeys = (cast.acceleration[:, ONCOMING] != 0).any(dim=1)
    unlit = outcome(cast.part(obeys).without(LIGHT))
    hit_unlit[obeys] = unlit.at.isfinite()
    return Moments(cast, seen, hit, hit_unlit)
