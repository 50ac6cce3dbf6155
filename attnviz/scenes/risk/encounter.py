"""The closest encounter: how near two boxes come, and when."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.boxes import gap


def closest_encounter(
    times: Float[Tensor, " times"], a: Float[Tensor, "*#batch times 4 2"], b: Float[Tensor, "*#batch times 4 2"]
) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
    """TTCE = argmin d(t) in s, the first where there are several, and DCE = min d(t) in m; d is the gap of the boxes.

    Boxes are given at coming times (s from now), and only these are looked at: between two of them the gap may be
    smaller by at most the relative speed times half a step. Source: Eggert 2014, “Predictive risk estimation for
    intelligent ADAS functions”, as listed by CommonRoad-CriMe and by Westhofen et al. 2022.
    It says how near, not how fast: a car that passes at 15 m/s and one that stands are equal at the same gap.
    """
    distances = gap(a, b)
    nearest = distances.min(dim=-1)
    # The first of equal gaps, whatever order a minimum is looked for in; equal within a thousandth of a millimetre.
    first = (distances <= nearest.values.unsqueeze(-1) + 1e-6).to(torch.int8).argmax(dim=-1)
    when = torch.where(nearest.values.isnan(), torch.full_like(nearest.values, torch.nan), times[first])
    return when, nearest.values
