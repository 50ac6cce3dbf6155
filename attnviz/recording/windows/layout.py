"""Where the slots of windows lie in the input: the chain of layout functions, replayed on the positions themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from attnviz.recording.windows.chains import Link

# What stands where the input was padded.
_NOTHING = -1


@dataclass(frozen=True, eq=False)
class Layout:
    """items: sequences that were cut. count: positions of each that exist; those from there on are padding.

    order: the window of each item in turn, as the windows ran. places: the position of each slot of an item's
    windows, window after window. grid: rows and columns (or more) of the input, where they are known.
    """

    items: int
    count: int
    order: Int[Tensor, "items windows"]
    places: Int[Tensor, "windows slots"]
    grid: tuple[int, ...] | None

    @property
    def length(self) -> int:
        """Positions of an item, padding among them."""
        return self.places.numel()


def layout_of(link: Link, shape: torch.Size) -> Layout | None:
    """The layout of queries (or keys) with this many items, heads, slots and features; None where it is no cut.

    No cut: as many items as the input, or windows that overlap, or whose places differ from item to item.
    """
    if shape[2] < 2 or link.shape.numel() != shape.numel():
        return None
    cut: set[Link] = set()
    while (start := _start(link, cut)) is not None:
        if not start.known or start.shape[0] == 0 or shape[0] <= start.shape[0] or shape[0] % start.shape[0]:
            return None
        try:
            return _layout(link, start, shape)
        except _Mixed as mixed:
            # From several positions a new one was made there, as where patches are merged.
            cut.add(mixed.link)
    return None


def _start(link: Link, cut: set[Link]) -> Link | None:
    """Where a chain begins; if it was put together from several, where that was first brought into new features."""
    while len(beginnings := link.beginnings(cut)) > 1:
        new = [one for one in link.all(cut) if one.function is None and len(one.beginnings(cut)) > 1]
        if not new:
            return None
        cut.add(min(new, key=lambda one: one.length))
    return beginnings.pop()


def first_of_each(link: Link, along: int = 0) -> Int[Tensor, " all"] | None:
    """For each entry of a tensor's first dimension, the item of the input that it comes from, where it is one.

    along: the dimension of the input that counts items.
    """
    cut: set[Link] = set()
    while (start := _start(link, cut)) is not None:
        if not start.known or 0 in start.shape or len(start.shape) <= along:
            return None
        try:
            owners = _Replay(start, start.shape[1:-1], along).owners(link)
        except _Mixed as mixed:
            cut.add(mixed.link)
        else:
            return owners
    return None


class _Mixed(Exception):  # noqa: N818  not an error: it says where a chain has to be cut
    """The features of one position come from several positions of the input."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link


def _layout(link: Link, start: Link, shape: torch.Size) -> Layout | None:
    mixed: _Mixed | None = None
    for spatial in _readings(start.shape):
        try:
            positions = _Replay(start, spatial).slots(link, shape)
        except _Mixed as found:
            mixed = mixed or found
            continue
        cut = None if positions is None else _cut(positions, start.shape[0], spatial.numel())
        if cut is not None:
            return Layout(start.shape[0], spatial.numel(), *cut, _grid(link, start, spatial))
    if mixed is not None:
        raise mixed
    return None


def _readings(first: torch.Size) -> Iterator[torch.Size]:
    """The dimensions that are positions: all but items and features, the features last or, in pictures, second."""
    yield first[1:-1]
    if len(first) > 3:
        yield first[2:]


class _Replay:
    """The numbers of all positions, one after the other through all items, laid out as the input was."""

    def __init__(self, start: Link, spatial: torch.Size, along: int = 0) -> None:
        if along:
            # Only the items count here, which are not the first dimension.
            shape = [size if place == along else 1 for place, size in enumerate(start.shape)]
            self._count = 1
            self._known: dict[Link, Tensor | None] = {
                start: torch.arange(start.shape[along]).view(shape).expand(start.shape)
            }
            return
        items = start.shape[0]
        numbers = torch.arange(items * spatial.numel()).view(items, *spatial)
        features_last = spatial == start.shape[1:-1]
        numbers = (numbers[..., None] if features_last else numbers[:, None]).expand(start.shape)
        self._count = spatial.numel()
        self._known = {start: numbers}

    def slots(self, link: Link, shape: torch.Size) -> Int[Tensor, "all slots"] | None:
        """The position that each slot came from; None where its features came from several."""
        try:
            numbers = self._numbers(link)
        except (RuntimeError, TypeError, IndexError):
            # Numbers of positions are no features: a step may do something that only fits these.
            return None
        if numbers is None:
            return None
        numbers = numbers.reshape(shape).transpose(1, 2).flatten(2)
        return numbers[..., 0] if bool((numbers == numbers[..., :1]).all()) else None

    def owners(self, link: Link) -> Int[Tensor, " all"] | None:
        """The item that each entry of the first dimension came from; None where it came from several."""
        try:
            numbers = self._numbers(link)
        except (RuntimeError, TypeError, IndexError):
            return None
        if numbers is None:
            return None
        items = numbers.flatten(1).div(self._count, rounding_mode="floor")
        return items[:, 0] if bool((items == items[:, :1]).all()) else None

    def _numbers(self, link: Link) -> Tensor | None:
        if link not in self._known:
            sources = [self._numbers(source) for source in link.sources]
            self._known[link] = None if any(one is None for one in sources) else _step(link, sources)
        return self._known[link]


def _step(link: Link, sources: list[Any]) -> Tensor | None:
    numbers: Any = sources[0] if len(sources) == 1 else sources
    if link.function is None:
        if not bool((numbers == numbers[..., :1]).all()):
            raise _Mixed(link)
        laid_out: Tensor = numbers[..., :1].expand(link.shape)
        return laid_out
    arguments, options = _on_cpu(link.arguments), {name: _on_cpu(one) for name, one in link.options}
    if link.function is F.pad:
        # What pads is no position, whatever number the model put there.
        widths = arguments[0] if arguments else options["pad"]
        mode = arguments[1] if len(arguments) > 1 else options.get("mode", "constant")
        return F.pad(numbers, widths, value=_NOTHING) if mode == "constant" else None
    if link.function in (Tensor.view, Tensor.contiguous):
        numbers = numbers.contiguous()
    if link.function in _OF_SEVERAL and len(sources) == 1:
        numbers = sources
    output = link.function(numbers, *arguments, **options)
    moved: Tensor = output if link.part is None else output[link.part]
    return moved


_OF_SEVERAL = (torch.stack, torch.cat, torch.concat)


def _on_cpu(argument: Any) -> Any:
    if isinstance(argument, tuple | list):
        return type(argument)(_on_cpu(one) for one in argument)
    return argument.cpu() if isinstance(argument, Tensor) else argument


def _cut(
    positions: Int[Tensor, "all slots"], items: int, count: int
) -> tuple[Int[Tensor, "items windows"], Int[Tensor, "windows slots"]] | None:
    """The windows of each item and the places of their slots, where every position is in just one window."""
    nothing = positions == _NOTHING
    owners = positions.div(count, rounding_mode="floor").masked_fill(nothing, -1)
    owner = owners.amax(1)
    if not bool((nothing | (owners == owner[:, None])).all()):
        return None
    order = owner.argsort(stable=True)
    if owner[order].tolist() != torch.arange(items).repeat_interleave(len(owner) // items).tolist():
        return None
    places = (positions % count).masked_fill(nothing, _NOTHING)[order].view(items, -1, positions.shape[1])
    if not bool((places == places[:1]).all()):
        return None
    return _numbered(order.view(items, -1), places[0], count)


def _numbered(
    order: Int[Tensor, "items windows"], places: Int[Tensor, "windows slots"], count: int
) -> tuple[Int[Tensor, "items windows"], Int[Tensor, "windows slots"]] | None:
    """Padding gets numbers of its own, after those of the positions that exist."""
    nothing = places == _NOTHING
    real = places[~nothing]
    if len(real) != count or bool((real.sort().values != torch.arange(count)).any()):
        return None
    numbered = places.clone()
    numbered[nothing] = count + torch.arange(int(nothing.sum()))
    return order, numbered


def _grid(link: Link, start: Link, spatial: torch.Size) -> tuple[int, ...] | None:
    """The rows and columns of the input: its own, or those that it was brought into first."""
    if len(spatial) > 1:
        return tuple(spatial)
    chain = [link]
    while chain[-1] is not start and chain[-1].sources:
        chain.append(chain[-1].sources[0])
    for shape in (one.shape for one in reversed(chain)):
        if shape[0] == start.shape[0] and len(shape) == 4:
            for rows, columns in (shape[1:3], shape[2:4]):
                if rows * columns == spatial.numel():
                    return rows, columns
    return None
