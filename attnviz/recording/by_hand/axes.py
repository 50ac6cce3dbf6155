"""The dimensions of scores through views: each dimension is a group of axes, merged by a view or split by one.

Whatever a model does to the shape of its scores, each axis stays what it was: a query, a key, an item, a head. What
is added to the scores later is written in the axes of the moment and so can be brought to one form, without copies.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from torch import Tensor


class Axis:
    """One axis of more than one entry; a view may have split it into parts."""

    __slots__ = ("parts", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.parts: tuple[Axis, Axis] | None = None

    def leaves(self) -> list["Axis"]:
        """The parts that are split no further, outer ones first."""
        if self.parts is None:
            return [self]
        return self.parts[0].leaves() + self.parts[1].leaves()

    def split(self, outer: int) -> tuple["Axis", "Axis"]:
        """An outer part of this size and the rest."""
        self.parts = (Axis(outer), Axis(self.size // outer))
        return self.parts


# A dimension: no axis where it has one entry, several where a view merged them.
Group = tuple[Axis, ...]
Dims = tuple[Group, ...]


def fresh(size: int) -> Group:
    """A dimension that nothing is known of."""
    return () if size == 1 else (Axis(size),)


def leaves(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """All their parts in order."""
    return tuple(leaf for axis in axes for leaf in axis.leaves())


def all_leaves(dims: Dims) -> tuple[Axis, ...]:
    """The parts of all dimensions in order."""
    return tuple(leaf for group in dims for leaf in leaves(group))


def size_of(axes: Iterable[Axis]) -> int:
    """The number of entries."""
    return prod(axis.size for axis in axes)


def regrouped(dims: Dims, shape: Sequence[int]) -> Dims | None:
    """The dimensions after a view to this shape; None where it cuts axes that were cut otherwise before."""
    waiting = list(reversed(all_leaves(dims)))
    groups = []
    for wanted in shape:
        group: list[Axis] = []
        rest = wanted
        while rest > 1:
            if not waiting:
                return None
            axis = waiting.pop()
            if rest % axis.size == 0:
                group.append(axis)
                rest //= axis.size
            elif axis.size % rest == 0:
                outer, inner = axis.split(rest)
                group.append(outer)
                waiting.append(inner)
                rest = 1
            else:
                return None
        groups.append(tuple(group))
    return None if waiting else tuple(groups)


def aligned(dims: Dims, shape: Sequence[int], output: Sequence[int]) -> tuple[Dims, Dims] | None:
    """The dimensions of another tensor of this shape, and those of the result, where the two were broadcast."""
    mine: Dims = ((),) * (len(output) - len(dims)) + dims
    other, result = [], []
    for place, size in enumerate(output):
        theirs = place - (len(output) - len(shape))
        length = shape[theirs] if theirs >= 0 else 1
        group = mine[place] or fresh(size)
        if size > 1 and size_of(group) != size:
            return None
        result.append(group)
        if theirs >= 0:
            other.append(group if length > 1 else ())
    return tuple(other), tuple(result)


@dataclass(frozen=True, eq=False, slots=True)
class Factor:
    """A tensor and what its dimensions are."""

    tensor: Tensor
    dims: Dims

    @classmethod
    def of(cls, tensor: Tensor, dims: Dims) -> "Factor":
        """Without the dimensions along which it was only expanded."""
        tensor = tensor.detach()
        groups = list(dims)
        for place, stride in enumerate(tensor.stride()):
            if stride == 0 and groups[place]:
                tensor, groups[place] = tensor.narrow(place, 0, 1), ()
        return cls(tensor, tuple(groups))

    def axes(self) -> frozenset[Axis]:
        """The axes that the tensor depends on."""
        return frozenset(all_leaves(self.dims))

    def in_form(self, form: Sequence[tuple[Axis, ...]]) -> Tensor | None:
        """The tensor with one dimension for each of these groups of axes; of size 1 where it depends on none of them.

        Copied only where it depends on a part of a group. None where it has axes beside these, or
        where one is wanted twice.
        """
        places = {leaf: place for place, leaf in enumerate(all_leaves(self.dims))}
        wanted = [axis for group in form for axis in group]
        if not set(places) <= set(wanted) or len(set(wanted)) < len(wanted):
            return None
        apart = self.tensor.reshape([leaf.size for leaf in places])
        order, shape, merged = [], [], []
        for group in form:
            there = [axis for axis in group if axis in places]
            merged.append(size_of(group) if there else 1)
            order += [places[axis] for axis in there]
            if there:
                shape += [(axis.size if axis in places else 1, axis.size) for axis in group]
        result = apart.permute(order)
        if any(found != full for found, full in shape):
            result = result.reshape([found for found, _ in shape]).expand([full for _, full in shape])
        return result.reshape(merged)
