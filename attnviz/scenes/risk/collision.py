"""Time to collision: how long until two boxes touch if both go on as they do."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.boxes import normals, shadows_on_normals


def time_to_collision(
    a: Float[Tensor, "*#batch 4 2"],
    b: Float[Tensor, "*#batch 4 2"],
    velocity_a: Float[Tensor, "*#batch 2"],
    velocity_b: Float[Tensor, "*#batch 2"],
    horizon: float = math.inf,
) -> Float[Tensor, "..."]:
    """TTC = min {t ≥ 0 : the boxes touch at t}, in s; 0 where they do now, infinite where never within the horizon.

    Both go on at constant velocity (m/s) and do not turn. Exact: on each normal of their sides the boxes approach at
    a constant speed, and they touch from the last moment at which some normal still parts them. Source: Hayward 1972,
    “Near-miss determination through use of a scale of danger”, there for points; boxes after Westhofen et al. 2022.
    It ignores whatever does not move into the way, a parked car beside the path above all.
    """
    low_a, high_a, low_b, high_b = shadows_on_normals(a, b)
    rate = (normals(a, b) * (velocity_b - velocity_a).unsqueeze(-2)).sum(dim=-1)
    still = rate == 0
    safe = torch.where(still, torch.ones_like(rate), rate)
    from_low, from_high = (low_a - high_b) / safe, (high_a - low_b) / safe
    meeting = (low_a <= high_b) & (low_b <= high_a)
    endless = torch.full_like(from_low, math.inf)
    enter = torch.where(still, torch.where(meeting, -endless, endless), torch.minimum(from_low, from_high))
    leave = torch.where(still, torch.where(meeting, endless, -endless), torch.maximum(from_low, from_high))
    first, last = enter.amax(dim=-1).clamp(min=0), leave.amin(dim=-1)
    # What touches now does so at 0, not at −0.
    found = torch.where((first <= last) & (first <= horizon), first + 0.0, endless[..., 0])
    return torch.where(rate.isnan().any(dim=-1), torch.full_like(found, math.nan), found)


def time_to_collision_along(
    times: Float[Tensor, " times"], a: Float[Tensor, "*#batch times 4 2"], b: Float[Tensor, "*#batch times 4 2"]
) -> Float[Tensor, "..."]:
    """The same for boxes that are given at coming times (s, increasing, two at least), such as an ego on its path.

    Between two times both go straight and keep the heading that they had at the first of them. Infinite where the
    boxes do not touch up to the last time.
    """
    spans = times.diff()
    velocity_a, velocity_b = (
        (box.mean(dim=-2)[..., 1:, :] - box.mean(dim=-2)[..., :-1, :]) / spans.unsqueeze(-1) for box in (a, b)
    )
    within = time_to_collision(a[..., :-1, :, :], b[..., :-1, :, :], velocity_a, velocity_b)
    # A millionth of a step is rounding: what touches at the end of one step touches at the start of the next.
    met = torch.where(within > spans * (1 + 1e-6), torch.full_like(within, math.inf), within)
    return (times[:-1] + met).amin(dim=-1)
