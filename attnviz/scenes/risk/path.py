"""Where the ego will be: along points that are given, along its own recorded track, or straight on."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.boxes import corners

Origin = Literal["given", "recorded", "constant-velocity"]


@dataclass(frozen=True, eq=False)
class Path:
    """The middle of the ego at coming moments: times in s from now and increasing, places in m, headings in rad."""

    times: Float[Tensor, " times"]
    places: Float[Tensor, "times 2"]
    headings: Float[Tensor, " times"]
    origin: Origin

    def travelled(self) -> Float[Tensor, " times"]:
        """How far along the path the ego is at each moment, in m."""
        steps: Tensor = torch.linalg.vector_norm(self.places.diff(dim=0), dim=-1)
        return torch.cat([steps.new_zeros(1), steps.cumsum(dim=0)])

    def boxes(self, length: float, width: float) -> Float[Tensor, "times 4 2"]:
        """The corners of the ego's box at each moment."""
        return _boxes(self.places, self.headings, length, width)

    def boxes_at(self, distance: Float[Tensor, "*batch"], length: float, width: float) -> Float[Tensor, "*batch 4 2"]:
        """The corners of the ego's box once it has gone so far, in m; beyond the path's end it goes straight on."""
        travelled = self.travelled()
        beyond = (distance - travelled[-1]).clamp(min=0).unsqueeze(-1)
        headings = between(distance, travelled, self.headings, turns=True)
        ahead = torch.stack([headings.cos(), headings.sin()], dim=-1)
        return _boxes(between(distance, travelled, self.places) + beyond * ahead, headings, length, width)


def straight_on(
    place: Float[Tensor, "2"], heading: float, velocity: Float[Tensor, "2"], times: Float[Tensor, " times"]
) -> Path:
    """The path at constant velocity in m/s, without turning."""
    return Path(times, place + times.unsqueeze(-1) * velocity, torch.full_like(times, heading), "constant-velocity")


def as_recorded(
    moments: Float[Tensor, " moments"],
    places: Float[Tensor, "moments 2"],
    headings: Float[Tensor, " moments"],
    times: Float[Tensor, " times"],
) -> Path:
    """The recorded path, straight between its moments (s from now, two at least), and after them as it ended."""
    beyond = (times - moments[-1]).clamp(min=0).unsqueeze(-1)
    last = (places[-1] - places[-2]) / (moments[-1] - moments[-2])
    return Path(
        times,
        between(times, moments, places) + beyond * last,
        between(times, moments, headings, turns=True),
        "recorded",
    )


def along_points(
    points: Float[Tensor, "points 2"], place: Float[Tensor, "2"], speed: float, times: Float[Tensor, " times"]
) -> Path:
    """At this speed in m/s along straight pieces between points, from where they are nearest to the ego."""
    pieces = points.diff(dim=0)
    lengths: Tensor = torch.linalg.vector_norm(pieces, dim=-1)
    pieces, lengths, starts = pieces[lengths > 0], lengths[lengths > 0], points[:-1][lengths > 0]
    ends = lengths.cumsum(dim=0)
    share = (((place - starts) * pieces).sum(dim=-1) / lengths**2).clamp(0, 1)
    feet = starts + share.unsqueeze(-1) * pieces
    distances: Tensor = torch.linalg.vector_norm(feet - place, dim=-1)
    nearest = int(distances.argmin())
    gone = ends[nearest] - (1 - share[nearest]) * lengths[nearest] + speed * times
    # On a corner the ego has already turned; beyond the last point it goes straight on.
    piece = torch.searchsorted(ends, gone, right=True).clamp(max=len(ends) - 1)
    direction = (pieces / lengths.unsqueeze(-1))[piece]
    into = (gone - (ends - lengths)[piece]).unsqueeze(-1)
    return Path(times, starts[piece] + into * direction, torch.atan2(direction[:, 1], direction[:, 0]), "given")


def moved(
    box: Float[Tensor, "*#batch 4 2"], velocity: Float[Tensor, "*#batch 2"], times: Float[Tensor, " times"]
) -> Float[Tensor, "*batch times 4 2"]:
    """A box at constant velocity in m/s at each of these times in s, without turning."""
    return box.unsqueeze(-3) + times[:, None, None] * velocity[..., None, None, :]


def between(at: Tensor, known: Tensor, values: Tensor, *, turns: bool = False) -> Tensor:
    """The values, straight between those that are known; held before the first and after the last.

    Where `known` stands still, its first moment counts. turns: values are angles, taken the short way around.
    """
    upper = torch.searchsorted(known, at.contiguous()).clamp(1, len(known) - 1)
    lower = upper - 1
    span = known[upper] - known[lower]
    share = torch.where(span > 0, (at - known[lower]) / span, torch.zeros_like(at)).clamp(0, 1)
    change = values[upper] - values[lower]
    if turns:
        change = torch.atan2(change.sin(), change.cos())
    return values[lower] + (share if values.ndim == 1 else share.unsqueeze(-1)) * change


def _boxes(places: Tensor, headings: Tensor, length: float, width: float) -> Tensor:
    return corners(
        places[..., 0], places[..., 1], headings, torch.full_like(headings, length), torch.full_like(headings, width)
    )
