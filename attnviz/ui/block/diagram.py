"""The chosen layer as it is wired, with the token's numbers at the arrows."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import Box, Branch, OnTheLine
from attnviz.figures.block_diagram import Stage
from attnviz.figures.numerals import signed_text
from attnviz.figures.part_colours import COLOURS, part_name
from attnviz.recording.blocks import Layer, Step

SWITCHED = ("attention", "cross-attention", "feed-forward")


def stages(layer: Layer, token: int, off: str) -> tuple[str, list[Stage]]:
    """What is told of the vector that comes in, and the stages after it. off: the kind of part that is switched off."""
    found: list[Stage] = []
    for step in layer.steps:
        found.append(_branch(step, token, off))
        if step.normalised.after:
            found.append(OnTheLine(_norm(), length(step.left[token])))
    return length(layer.came_in[token]), found


def length(vector: Float[Tensor, " d"]) -> str:
    """How long a vector is, in words as short as an arrow has room for."""
    return _("length {number}", number=signed_text(float(vector.norm()), 2))


def _branch(step: Step, token: int, off: str) -> Branch:
    added = torch.stack([part.added[token] for part in step.parts])
    boxes = [_norm()] if step.normalised.before else []
    if len(step.parts) == 1:
        (part,) = step.parts
        boxes.append(
            Box(part_name(part.kind), COLOURS[part.kind], part.kind if part.kind in SWITCHED else "", part.kind == off)
        )
    else:
        # Beside each other, from one reading: one box, in which the one that is off has a cross.
        names = " + ".join(part_name(part.kind) + (" ✕" if part.kind == off else "") for part in step.parts)
        boxes.append(Box(names, COLOURS[step.parts[0].kind]))
    if step.normalised.of_part:
        boxes.append(_norm())
    return Branch(tuple(boxes), length(added.sum(0)), length(step.came_in[token] + added.sum(0)))


def _norm() -> Box:
    return Box(_("norm"))
