"""Lines of sight: what share of a road user is seen past the boxes in front of it, and what a box hides."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

# How much of its width must be seen for a road user to count as visible. Ours; the lowest of the four bins of
# visibility in nuScenes ends at the same 40 %.
VISIBLE_SHARE = 0.4

# Two boxes whose near sides are a millimetre apart, as seen from the eye, are taken for equally far: a road user that
# is itself among the blockers does not hide itself.
NEARER = 1e-3

# Half a turn, less what rounding in float32 may take from it.
HALF_TURN = math.pi - 1e-6


def seen(
    eye: Float[Tensor, "*#batch 2"],
    target: Float[Tensor, "*#batch 4 2"],
    blockers: Float[Tensor, "*#batch boxes 4 2"],
    present: Bool[Tensor, "*#batch boxes"],
) -> Float[Tensor, "..."]:
    """The share of the target's width that no blocker hides from the eye, from 0 to 1.

    Width is the angle that the target fills as seen from the eye. The angles are exact: each blocker covers an
    interval of them, and the share is what their union leaves. A blocker counts where it is nearer than the target on
    the ray through the middle of the interval that both share; boxes that do not overlap have the same order on every
    ray. The target does not hide itself, whether or not it is among the blockers. An eye within the target sees all
    of it, and within a blocker nothing: leave the ego's own box out by `present`. Heights are ignored: every box
    hides whatever is behind it. Boxes have their corners in order around them, as from `boxes.corners`, in m; a target
    without any width gives NaN.
    """
    away = (target - eye.unsqueeze(-2)).unsqueeze(-3)
    others = blockers - eye.unsqueeze(-2).unsqueeze(-3)
    towards, middle = _middle(away), _middle(others)
    low, high = _extent(away, towards)
    other_low, other_high = _extent(others, middle)
    turned = _angle(towards, middle)

    starts, ends = [], []
    # An interval may reach around the eye's back, where angles jump by a full turn.
    for turn in (0.0, 2 * math.pi):
        by = turned - torch.sign(turned) * turn
        start, end = torch.maximum(other_low + by, low), torch.minimum(other_high + by, high)
        counts = present & (end > start)
        counts = _nearer(others, away, towards, (start + end) / 2, counts)
        starts.append(torch.where(counts, start, high))
        ends.append(torch.where(counts, end, high))
    hidden = _union(torch.cat(starts, dim=-1), torch.cat(ends, dim=-1))
    share = (1 - hidden / (high - low).squeeze(-1)).clamp(0, 1)
    # Seen from within, a convex shape fills at least half of all directions; from outside it never does.
    within_blocker = (present & (other_high - other_low >= HALF_TURN)).any(dim=-1)
    within_target = (high - low >= HALF_TURN).squeeze(-1)
    share = torch.where(within_blocker, torch.zeros_like(share), share)
    return torch.where(within_target, torch.ones_like(share), share)


def visible(
    eye: Float[Tensor, "*#batch 2"],
    target: Float[Tensor, "*#batch 4 2"],
    blockers: Float[Tensor, "*#batch boxes 4 2"],
    present: Bool[Tensor, "*#batch boxes"],
    *,
    share: float = VISIBLE_SHARE,
) -> Bool[Tensor, "..."]:
    """Whether at least this share of the target's width is seen; `VISIBLE_SHARE` unless told. See `seen`."""
    return seen(eye, target, blockers, present) >= share


def shadow(
    eye: Float[Tensor, "*#batch 2"], blocker: Float[Tensor, "*#batch 4 2"]
) -> tuple[Float[Tensor, "... 6 2"], Float[Tensor, "... 6"]]:
    """The blocker and all that it hides from the eye, as six half-planes: normals n and offsets c, n · p ≤ c inside.

    The region is convex: the wedge between the two lines of sight that touch the blocker, without what lies on the
    near side of the sides that face the eye. Take the blocker's own box away for the region where somebody can be
    hidden. Normals have length 1 and point outwards, so that c − n · p is how deep inside p is, in m. Sides that
    face away set no limit: their offset is infinite. The shadow of a blocker that holds the eye is not defined.
    """
    away = blocker - eye.unsqueeze(-2)
    middle = away.mean(dim=-2)
    angles = _angle(middle.unsqueeze(-2), away)
    right = _corner(away, angles.argmin(dim=-1))
    left = _corner(away, angles.argmax(dim=-1))
    lines = torch.stack([_quarter(left), -_quarter(right)], dim=-2)
    lines = _unit(lines)
    outwards, offsets = sides(away)
    offsets = torch.where(offsets < 0, offsets, torch.full_like(offsets, math.inf))
    all_normals = torch.cat([lines, outwards], dim=-2)
    from_eye = torch.cat([torch.zeros_like(lines[..., 0]), offsets], dim=-1)
    return all_normals, from_eye + (all_normals * eye.unsqueeze(-2)).sum(dim=-1)


def hides(
    eye: Float[Tensor, "*#batch 2"], blocker: Float[Tensor, "*#batch 4 2"], points: Float[Tensor, "*#batch points 2"]
) -> Bool[Tensor, "..."]:
    """Whether the blocker hides each of these points from the eye, "... points"; points within it are not hidden."""
    return _within(points, *shadow(eye, blocker)) & ~_within(points, *sides(blocker))


def sides(box: Float[Tensor, "*batch 4 2"]) -> tuple[Float[Tensor, "*batch 4 2"], Float[Tensor, "*batch 4"]]:
    """A box as four half-planes, n · p ≤ c inside: normals n of length 1 that point outwards, and offsets c in m."""
    side = box.roll(-1, dims=-2) - box
    # A quarter turn clockwise points out of corners that go around anticlockwise; mirrored ones go the other way.
    way = torch.sign(_cross(side[..., 0, :], side[..., 1, :]))[..., None, None]
    outwards = -_quarter(side) * way
    outwards = _unit(outwards)
    return outwards, (outwards * box).sum(dim=-1)


def _within(points: Tensor, outwards: Tensor, offsets: Tensor) -> Tensor:
    return (points @ outwards.mT <= offsets.unsqueeze(-2)).all(dim=-1)


def _middle(away: Tensor) -> Tensor:
    """The box's middle, or a corner where the eye is exactly there: some direction is needed to count angles from."""
    middle = away.mean(dim=-2)
    return torch.where((middle == 0).all(dim=-1, keepdim=True), away[..., 0, :], middle)


def _extent(away: Tensor, towards: Tensor) -> tuple[Tensor, Tensor]:
    """The least and the greatest angle to a corner, from the direction to the box's middle; the eye is the origin."""
    angles = _angle(towards.unsqueeze(-2), away)
    return angles.amin(dim=-1), angles.amax(dim=-1)


def _nearer(others: Tensor, away: Tensor, towards: Tensor, ray: Tensor, asked: Tensor) -> Tensor:
    """Of the pairs that are asked about, those whose blocker is met first on the ray at this angle from the target."""
    # Few pairs share an angle at all: only those are worked out.
    forward = _rotated(towards.expand(*asked.shape, 2)[asked], ray[asked])
    first = _entry(others.expand(*asked.shape, 4, 2)[asked], forward)
    second = _entry(away.expand(*asked.shape, 4, 2)[asked], forward)
    found = torch.zeros_like(asked)
    found[asked] = first < second - NEARER
    return found


def _entry(away: Tensor, forward: Tensor) -> Tensor:
    """How far a ray from the origin in this direction (length 1) goes until it enters a box that it meets."""
    outwards, offsets = sides(away)
    against = (outwards * forward.unsqueeze(-2)).sum(dim=-1)
    facing = against < 0
    reached = offsets / torch.where(facing, against, -torch.ones_like(against))
    return torch.where(facing, reached, torch.full_like(reached, -math.inf)).amax(dim=-1)


def _union(starts: Tensor, ends: Tensor) -> Tensor:
    """The length of the union of intervals along the last dimension."""
    starts, order = starts.sort(dim=-1)
    reached = ends.gather(-1, order).cummax(dim=-1).values
    before = torch.cat([starts[..., :1], reached[..., :-1]], dim=-1)
    return (reached - torch.maximum(starts, before)).clamp(min=0).sum(dim=-1)


def _corner(away: Tensor, index: Tensor) -> Tensor:
    return away.gather(-2, index[..., None, None].expand(*index.shape, 1, 2)).squeeze(-2)


def _rotated(towards: Tensor, by: Tensor) -> Tensor:
    unit = _unit(towards)
    return unit * by.cos().unsqueeze(-1) + _quarter(unit) * by.sin().unsqueeze(-1)


def _unit(vector: Tensor) -> Tensor:
    lengths: Tensor = torch.linalg.vector_norm(vector, dim=-1, keepdim=True)
    return vector / lengths


def _angle(start: Tensor, end: Tensor) -> Tensor:
    return torch.atan2(_cross(start, end), (start * end).sum(dim=-1))


def _cross(a: Tensor, b: Tensor) -> Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _quarter(vector: Tensor) -> Tensor:
    """The vector turned by a quarter to the left."""
    return torch.stack([-vector[..., 1], vector[..., 0]], dim=-1)
