"""Post-encroachment time: how long a place was free between one road user and the next, from recorded tracks."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.boxes import overlap

CHUNK = 64
# Longer than this, in s, nobody knows where a road user was between two moments of its track.
GAP = 1.0
MOST_BOXES = 100_000


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
    the area at once without touching, as when one follows the other: PET is not defined there. Between two moments
    that are at most a second apart both go straight, for at 2 Hz a car leaps over what crosses its way; known to the
    time in which a box goes half of its shorter side. Source: Allen, Shin & Cooper 1978, “Analysis of traffic conflicts and collisions”;
    how the area is found is ours. It looks back: it says nothing of what had still to be decided, and nothing of those
    who never came.
    """
    never = times_a.new_tensor(math.inf)
    if not _may_meet(a, b):
        return never
    if _touched(times_a, a, times_b, b):
        return torch.zeros_like(never)
    (times_a, a), (times_b, b) = _finer(times_a, a), _finer(times_b, b)
    in_a, in_b = torch.zeros(len(a), dtype=torch.bool), torch.zeros(len(b), dtype=torch.bool)
    for start in range(0, len(a), CHUNK):
        some = slice(start, start + CHUNK)
        both = overlap(a[some].unsqueeze(1), b.unsqueeze(0))
        in_a[some] = both.any(dim=1)
        in_b |= both.any(dim=0)
    if not in_a.any():
        return never
    when_a, when_b = times_a[in_a], times_b[in_b]
    free = torch.maximum(when_b.min() - when_a.max(), when_a.min() - when_b.max())
    return torch.where(free >= 0, free, torch.full_like(free, math.nan))


def _touched(times_a: Tensor, a: Tensor, times_b: Tensor, b: Tensor) -> bool:
    """Whether the boxes touched at a moment of either track at which both are known."""
    times = torch.cat([times_a, times_b])
    (at_a, known_a), (at_b, known_b) = _at(times, times_a, a), _at(times, times_b, b)
    return bool((known_a & known_b & overlap(at_a, at_b)).any())


def _at(when: Tensor, times: Tensor, track: Tensor) -> tuple[Tensor, Tensor]:
    """The boxes of a track at these times, straight between its moments, and whether they are known there."""
    if len(times) == 1:
        return track.expand(len(when), 4, 2), when == times
    upper = torch.searchsorted(times, when.contiguous()).clamp(1, len(times) - 1)
    span = times[upper] - times[upper - 1]
    share = (when - times[upper - 1]) / span
    known = ((share >= 0) & (share <= 1) & (span <= GAP)) | (share == 0) | (share == 1)
    return track[upper - 1] + share[:, None, None] * (track[upper] - track[upper - 1]), known


def _finer(times: Tensor, track: Tensor) -> tuple[Tensor, Tensor]:
    """The track with boxes in between, so that each covers at least half of the one before it."""
    if len(times) == 1:
        return times, track
    metres = torch.linalg.vector_norm(track.mean(dim=1).diff(dim=0), dim=-1)
    shorter = torch.linalg.vector_norm(track[0, 1:3] - track[0, 0:2], dim=-1).amin()
    pieces = (2 * metres / shorter).ceil().clamp(1, max(1, MOST_BOXES // len(times))).to(torch.int64)
    pieces = torch.where(times.diff() <= GAP, pieces, 1)
    start = torch.arange(len(pieces)).repeat_interleave(pieces)
    share = (torch.arange(len(start)) - (pieces.cumsum(0) - pieces)[start]) / pieces[start]
    between = track[start] + share[:, None, None] * track.diff(dim=0)[start]
    return torch.cat([times[start] + share * times.diff()[start], times[-1:]]), torch.cat([between, track[-1:]])


def _may_meet(a: Tensor, b: Tensor) -> bool:
    """Whether the upright rectangles around all of both tracks meet; most pairs of a recording do not."""
    low_a, high_a, low_b, high_b = a.amin((0, 1)), a.amax((0, 1)), b.amin((0, 1)), b.amax((0, 1))
    return bool(((low_a <= high_b) & (low_b <= high_a)).all())
