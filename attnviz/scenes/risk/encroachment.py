"""Post-encroachment time: how long a place was free between one road user and the next, from recorded tracks."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.boxes import overlap

CHUNK = 64


def post_encroachment_time(
    times_a: Float[Tensor, " moments_a"],
    a: Float[Tensor, "moments_a 4 2"],
    times_b: Float[Tensor, " moments_b"],
    b: Float[Tensor, "moments_b 4 2"],
) -> Float[Tensor, ""]:
    """PET = t_entry(second) − t_exit(first) over the area of conflict, in s.

    Two recorded tracks: times in s on one clock, and the corners of the boxes then. The area of conflict is what both
    sweep: a road user is in it while its box touches any of the other's boxes. The first is the one that leaves before
    the other enters. Infinite where nothing is swept by both, 0 where the boxes touched, and NaN where both were in
    the area at once without touching, as when one follows the other: PET is not defined there. Known to about a step
    of the recording at both ends. Source: Allen, Shin & Cooper 1978, “Analysis of traffic conflicts and collisions”;
    how the area is found is ours. It looks back: it says nothing of what had still to be decided, and nothing of those
    who never came.
    """
    never = times_a.new_tensor(math.inf)
    if not _may_meet(a, b):
        return never
    in_a, in_b = torch.zeros(len(a), dtype=torch.bool), torch.zeros(len(b), dtype=torch.bool)
    touched = False
    for start in range(0, len(a), CHUNK):
        some = slice(start, start + CHUNK)
        both = overlap(a[some].unsqueeze(1), b.unsqueeze(0))
        in_a[some] = both.any(dim=1)
        in_b |= both.any(dim=0)
        touched = touched or bool((both & (times_a[some].unsqueeze(1) == times_b)).any())
    if touched:
        return torch.zeros_like(never)
    if not in_a.any():
        return never
    when_a, when_b = times_a[in_a], times_b[in_b]
    free = torch.maximum(when_b.min() - when_a.max(), when_a.min() - when_b.max())
    return torch.where(free >= 0, free, torch.full_like(free, math.nan))


def _may_meet(a: Tensor, b: Tensor) -> bool:
    """Whether the upright rectangles around all of both tracks meet; most pairs of a recording do not."""
    low_a, high_a, low_b, high_b = a.amin((0, 1)), a.amax((0, 1)), b.amin((0, 1)), b.amax((0, 1))
    return bool(((low_a <= high_b) & (low_b <= high_a)).all())
