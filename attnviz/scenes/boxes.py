"""Geometry of boxes that stand at any angle: their corners, whether two touch, how far apart they are."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def corners(
    x: Float[Tensor, "*batch"],
    y: Float[Tensor, "*batch"],
    heading: Float[Tensor, "*batch"],
    length: Float[Tensor, "*batch"],
    width: Float[Tensor, "*batch"],
) -> Float[Tensor, "*batch 4 2"]:
    """The corners of boxes in m: front left, rear left, rear right, front right, hence anticlockwise.

    x, y: the centre. heading: rad from the x axis towards the y axis. length along the heading, width across it.
    """
    along, across = length / 2, width / 2
    forward = torch.stack([along, -along, -along, along], dim=-1)
    left = torch.stack([across, across, -across, -across], dim=-1)
    cosine, sine = heading.cos().unsqueeze(-1), heading.sin().unsqueeze(-1)
    return torch.stack(
        [x.unsqueeze(-1) + forward * cosine - left * sine, y.unsqueeze(-1) + forward * sine + left * cosine], dim=-1
    )


def overlap(a: Float[Tensor, "*#batch 4 2"], b: Float[Tensor, "*#batch 4 2"]) -> Bool[Tensor, "..."]:
    """Whether two boxes share a point; boxes that just touch do.

    Two convex shapes are apart exactly where their shadows on one of their sides' normals are (the theorem of the
    separating axis: Gottschalk, Lin & Manocha 1996, “OBBTree”).
    """
    low_a, high_a, low_b, high_b = shadows_on_normals(a, b)
    return ((low_a <= high_b) & (low_b <= high_a)).all(dim=-1)


def gap(a: Float[Tensor, "*#batch 4 2"], b: Float[Tensor, "*#batch 4 2"]) -> Float[Tensor, "..."]:
    """The distance between two boxes in m, 0 where they touch or overlap.

    Two convex shapes that are apart are nearest to each other at a corner of one of them, so that the least distance
    between the corners of one and the sides of the other is exact.
    """
    a, b = _alike(a, b)
    apart = torch.minimum(_from_corners_to_sides(a, b), _from_corners_to_sides(b, a))
    return torch.where(overlap(a, b), torch.zeros_like(apart), apart)


def shadows_on_normals(
    a: Float[Tensor, "*#batch 4 2"], b: Float[Tensor, "*#batch 4 2"]
) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."], Float[Tensor, "..."], Float[Tensor, "..."]]:
    """From where to where both boxes reach on each of the four normals, "... 4": low a, high a, low b, high b, in m."""
    a, b = _alike(a, b)
    axes = normals(a, b)
    on_a, on_b = axes @ a.mT, axes @ b.mT
    return on_a.amin(dim=-1), on_a.amax(dim=-1), on_b.amin(dim=-1), on_b.amax(dim=-1)


def normals(a: Float[Tensor, "*#batch 4 2"], b: Float[Tensor, "*#batch 4 2"]) -> Float[Tensor, "... 4 2"]:
    """Unit vectors across the sides of both boxes, two for each: opposite sides share theirs up to the sign."""
    a, b = _alike(a, b)
    sides = torch.cat([a[..., 1:3, :] - a[..., 0:2, :], b[..., 1:3, :] - b[..., 0:2, :]], dim=-2)
    across = torch.stack([-sides[..., 1], sides[..., 0]], dim=-1)
    lengths: Tensor = torch.linalg.vector_norm(across, dim=-1, keepdim=True)
    return across / lengths


def _from_corners_to_sides(points: Float[Tensor, "*batch 4 2"], box: Float[Tensor, "*batch 4 2"]) -> Tensor:
    start = box.unsqueeze(-3)
    side = box.roll(-1, dims=-2).unsqueeze(-3) - start
    away = points.unsqueeze(-2) - start
    # The nearest point of a side is the foot of the perpendicular, or the end that is nearer to it.
    share = ((away * side).sum(dim=-1) / (side * side).sum(dim=-1)).clamp(0, 1)
    distances: Tensor = torch.linalg.vector_norm(away - share.unsqueeze(-1) * side, dim=-1)
    return distances.amin(dim=(-2, -1))


def _alike(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    a, b = torch.broadcast_tensors(a, b)  # type: ignore[no-untyped-call]  # PyTorch left it so
    return a, b
