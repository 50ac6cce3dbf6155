"""Whom the ego can see: lines of sight past every vehicle, at the moment or later."""

import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from attnviz.scenes import occlusion
from attnviz.scenes.boxes import corners
from attnviz.scenes.kinds import KINDS
from attnviz.scenes.sighting import EYE, LOW
from attnviz.scenes.simulator.cast import EGO, USERS, Cast
from attnviz.scenes.simulator.motion import motion

_LOW = torch.tensor([KINDS.index(kind) for kind in KINDS if kind in LOW])
_AT_ONCE = 512


def visible(
    cast: Cast, times: Float64[Tensor, "scenes times"], looked_for: Bool[Tensor, " users"] | None = None
) -> Bool[Tensor, "scenes users times"]:
    """Who is there and seen by the ego at these times; the ego itself is. See `attnviz.scenes.occlusion`.

    looked_for: only these; the others, who still hide, are then told as not seen.
    """
    rows = max(1, _AT_ONCE // times.shape[1])
    wanted = torch.ones(len(USERS), dtype=torch.bool) if looked_for is None else looked_for
    parts = [
        _visible(cast.part(slice(at, at + rows)), times[at : at + rows], wanted) for at in range(0, len(cast), rows)
    ]
    return torch.cat(parts) if parts else torch.zeros(0, len(USERS), times.shape[1], dtype=torch.bool)


def _visible(
    cast: Cast, times: Float64[Tensor, "scenes times"], looked_for: Bool[Tensor, " users"]
) -> Bool[Tensor, "scenes users times"]:
    moved = motion(cast, times)
    along = (cast.length[..., None].expand_as(moved.x), cast.width[..., None].expand_as(moved.x))
    boxes = corners(moved.x, moved.y, moved.heading, *along).transpose(1, 2)
    ego = USERS.index(EGO)
    heading = moved.heading[:, ego]
    eye = torch.stack([moved.x[:, ego] + EYE * heading.cos(), moved.y[:, ego] + EYE * heading.sin()], -1)
    hiding = cast.present & ~torch.isin(cast.kind, _LOW)
    hiding[:, ego] = False
    # Only those who are there are looked for: most places are empty in most scenes.
    found = (cast.present & looked_for)[:, None].expand(boxes.shape[:3]).clone()
    found[..., ego] = False
    scene, time, user = found.nonzero(as_tuple=True)
    found[scene, time, user] = occlusion.visible(
        eye[scene, time], boxes[scene, time, user], boxes[scene, time], hiding[scene]
    )
    found[..., ego] = True
    return found.transpose(1, 2)
