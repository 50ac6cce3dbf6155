"""From the outline of a block to the vectors that came in, were added and left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from attnviz.attention.normalising import Normalising
from attnviz.attention.summands import Summand
from attnviz.recording.blocks.outline import Addition, Link, Outline, in_layers
from attnviz.recording.blocks.rows import Rows
from attnviz.recording.blocks.stream import Layer, Normalised, Part, Step


@dataclass(eq=False)
class _Adding:
    """A step while it is put together; everything in it is moved along with the stream."""

    addition: Addition
    came_in: Tensor
    added: list[Tensor]
    summands: list[Summand]
    after: bool = False

    def move(self, move: Callable[[Tensor], Tensor]) -> None:
        """As the model moved the stream after this step."""
        self.came_in, self.added = move(self.came_in), [move(one) for one in self.added]
        self.summands = [replace(one, vector=move(one.vector)) for one in self.summands]


@dataclass(eq=False)
class _Following:
    """One layer while it is followed link by link."""

    came_in: Tensor
    summands: list[Summand]
    steps: list[_Adding] = field(default_factory=list)

    def link(self, link: Link, wide: torch.dtype) -> None:
        if isinstance(link, Addition):
            self._add(link, wide)
        elif isinstance(link, Normalising):
            self.summands = link.shares(self.summands)
            if self.steps:
                last = self.steps[-1]
                last.summands, last.after = link.shares(last.summands), True
        else:
            self.came_in = link.move(self.came_in)
            self.summands = [replace(one, vector=link.move(one.vector)) for one in self.summands]
            for step in self.steps:
                step.move(link.move)

    def _add(self, link: Addition, wide: torch.dtype) -> None:
        came_in = link.carried.to(wide)
        added = [leaf.value().to(wide) for leaf in link.leaves]
        parts = [Summand(leaf.kind.part, one, leaf.name) for leaf, one in zip(link.leaves, added, strict=True)]
        self.summands += parts
        self.steps.append(_Adding(link, came_in, added, [Summand("carried", came_in), *parts]))


def layers_of(outline: Outline, output: Tensor, rows: Rows, stream: str, number: int) -> list[Layer]:
    """The layers within a block: one, or several where a module adds up many by itself."""
    wide = torch.promote_types(output.dtype, torch.float32)
    followed: list[_Following] = []
    given = outline.given.detach().to(wide)
    for links in in_layers(outline.links):
        first = links[0]
        start = first.carried.to(wide) if isinstance(first, Addition) else given
        followed.append(_Following(start, [Summand("carried", start)]))
        for link in links:
            followed[-1].link(link, wide)
    lefts = [*(one.came_in for one in followed[1:]), output.detach().to(wide)]
    return [
        _layer(outline, one, left, rows, stream, number + index)
        for index, (one, left) in enumerate(zip(followed, lefts, strict=True))
    ]


def _layer(outline: Outline, followed: _Following, left: Tensor, rows: Rows, stream: str, number: int) -> Layer:
    lefts = [*(step.came_in for step in followed.steps[1:]), left]
    steps = tuple(_step(step, rows(one), rows) for step, one in zip(followed.steps, lefts, strict=True))
    summands = _together([replace(one, vector=rows(one.vector)) for one in followed.summands])
    leaving = rows(left)
    errors = [_error(summands, leaving), *(_error(step.summands, step.left) for step in steps)]
    return Layer(
        number=number,
        name=outline.call.name,
        stream=stream,
        came_in=rows(followed.came_in),
        left=leaving,
        steps=steps,
        summands=tuple(summands),
        error=max(errors),
    )


def _step(step: _Adding, left: Tensor, rows: Rows) -> Step:
    leaves = step.addition.leaves
    return Step(
        came_in=rows(step.came_in),
        parts=tuple(
            Part(leaf.kind.part, leaf.name, rows(added), leaf.place)
            for leaf, added in zip(leaves, step.added, strict=True)
        ),
        left=left,
        summands=tuple(replace(one, vector=rows(one.vector)) for one in step.summands),
        normalised=Normalised(
            before=any(leaf.kind.before for leaf in leaves),
            of_part=any(leaf.of_part for leaf in leaves),
            after=step.after,
        ),
    )


def _together(summands: Sequence[Summand]) -> list[Summand]:
    """Biases of several normalisations as one; it stands last."""
    biases = [one for one in summands if one.kind == "bias"]
    rest = [one for one in summands if one.kind != "bias"]
    if not biases:
        return rest
    return [*rest, Summand("bias", torch.stack([one.vector for one in biases]).sum(0))]


def _error(summands: Sequence[Summand], left: Tensor) -> float:
    """The largest ‖sum − left‖ / ‖left‖ over positions."""
    if not left.numel():
        return 0.0
    difference = (torch.stack([one.vector.double() for one in summands]).sum(0) - left.double()).norm(dim=-1)
    size = left.double().norm(dim=-1)
    return float(torch.where(difference > 0, difference / size, 0.0).max())
