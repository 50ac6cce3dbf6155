"""Required deceleration: how hard the ego would have to brake now, on its path, so that nothing touches it."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.scenes.risk.collision import time_to_collision_along
from attnviz.scenes.risk.path import Path, moved

SHARES = 64
HALVINGS = 12
# A little more than stopping just before the place, where the boxes would still touch.
BEYOND_STOPPING = 1.02


def required_deceleration(
    path: Path,
    speed: float,
    length: float,
    width: float,
    others: Float[Tensor, "others 4 2"],
    velocities: Float[Tensor, "others 2"],
) -> Float[Tensor, " others"]:
    """a_req = min {b ≥ 0 : no touch at any t, the ego going v t − b t²/2 along its path until it stands}, in m/s².

    speed: v in m/s now; braking begins now, without a reaction time. Others go on at constant velocity. 0 where v
    held would do; infinite where the boxes touch already or where braking cannot help. For what stands in the way at
    d metres it is v²/(2d), for what drives ahead (v − v_other)²/(2d), and more for what crosses slantwise towards the
    ego, which has to stop before the whole stretch that is swept. A touch at speed v is looked for up to the
    path's last moment, one while braking twice as long, which is how long braking behind something takes. Looked for
    among 64 parts of v²/(2d) and 63 shorter ways to stop, down to d/64, then halved: within a thousandth. Source: the required longitudinal acceleration of
    Westhofen et al. 2022, with the sign turned, after Jansson 2005. It ignores that the ego might steer.
    """
    constant = path.boxes_at(speed * path.times, length, width)
    hit = time_to_collision_along(path.times, constant, moved(others, velocities, path.times))
    found = torch.where(hit.isinf(), torch.zeros_like(hit), torch.full_like(hit, math.inf))
    asked = (hit > 0) & hit.isfinite()
    if speed <= 0 or not asked.any():
        return found.where(~velocities.isnan().any(dim=-1), torch.nan)
    boxes, rates = others[asked], velocities[asked]
    most = BEYOND_STOPPING * speed**2 / (2 * speed * hit[asked])
    parts = torch.arange(SHARES + 1, dtype=most.dtype) / SHARES
    shares = torch.cat([parts, 1 / parts[1:-1].flip(0)])
    free = _free(path, speed, length, width, boxes, rates, most.unsqueeze(-1) * parts)
    # Few need to brake harder than for something that stands where they would touch.
    harder = torch.zeros(len(most), SHARES - 1, dtype=torch.bool)
    rest = ~free.any(dim=-1)
    harder[rest] = _free(
        path, speed, length, width, boxes[rest], rates[rest], most[rest].unsqueeze(-1) * shares[SHARES + 1 :]
    )
    free = torch.cat([free, harder], dim=-1)
    first = free.to(torch.int8).argmax(dim=-1).clamp(min=1)
    low, high = most * shares[first - 1], most * shares[first]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _free(path, speed, length, width, boxes, rates, middle.unsqueeze(-1)).squeeze(-1)
        low, high = torch.where(enough, low, middle), torch.where(enough, middle, high)
    found[asked] = torch.where(free.any(dim=-1), high, torch.full_like(high, math.inf))
    return found.where(~velocities.isnan().any(dim=-1), torch.nan)


def _free(
    path: Path,
    speed: float,
    length: float,
    width: float,
    others: Float[Tensor, "others 4 2"],
    velocities: Float[Tensor, "others 2"],
    braking: Float[Tensor, "others tries"],
) -> Bool[Tensor, "others tries"]:
    """Whether the ego, braking so hard, never touches the other."""
    times = torch.cat([path.times, path.times[-1] + path.times[1:]])
    moments = torch.minimum(times, speed / braking.unsqueeze(-1))
    gone = speed * moments - braking.unsqueeze(-1) * moments**2 / 2
    boxes = path.boxes_at(gone, length, width)
    return time_to_collision_along(times, boxes, moved(others, velocities, times).unsqueeze(-4)).isinf()
