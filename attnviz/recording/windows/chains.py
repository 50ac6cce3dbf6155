"""How a tensor was laid out anew: the chain of views, pads, rolls and slices that it came by.

Models cut their input into windows in many ways, but all of them with these few functions. What each did is
remembered, not what was in the tensors; whether the chain means windows is found out afterwards, by replaying it.
"""

import weakref
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# Fewer dimensions than items, positions, features hold no input that could be cut; more are nobody's.
_LEAST, _MOST = 3, 9
# A model that views one tensor again and again would make chains without end.
_LONGEST = 40


@dataclass(frozen=True, eq=False, slots=True)
class Link:
    """A tensor of this shape, made from others by a function of layout; without sources, a chain begins here.

    function None: the positions stayed, only the features in the last dimension are new. part: which of several
    outputs it is. length: of the longest chain up to here. known: False where numbers were moved in a way that was
    not followed.
    """

    shape: torch.Size
    sources: "tuple[Link, ...]" = ()
    function: Any = None
    arguments: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    part: int | None = None
    length: int = 0
    known: bool = True

    def all(self, cut: "Set[Link]" = frozenset()) -> "set[Link]":
        """This one and those that it was made from, back to where they begin or are cut."""
        waiting, found = [self], {self}
        while waiting:
            link = waiting.pop()
            for source in () if link in cut else link.sources:
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def beginnings(self, cut: "Set[Link]" = frozenset()) -> "set[Link]":
        """Where the chains that lead here begin, or are cut."""
        return {link for link in self.all(cut) if not link.sources or link in cut}


@dataclass(frozen=True, eq=False, slots=True)
class Trail:
    """How the queries and keys of a call came about; None where they came by no chain.

    regrouped: the module was given more and shorter items than the one around it.
    """

    query: Link | None
    key: Link | None
    regrouped: bool


class Chains:
    """The chains of the tensors that are alive. They are known by where they lie, as detached ones lie there too."""

    def __init__(self) -> None:
        self._links: dict[tuple[Any, ...], tuple[weakref.ref[Tensor], Link]] = {}
        self._inputs: list[tuple[nn.Module, torch.Size | None]] = []

    def add_layout(self, func: Any, args: tuple[Any, ...], options: dict[str, Any], output: Any) -> None:
        """A function that moves numbers and changes none has run."""
        source = args[0] if args else options.get("input")
        sources: tuple[Any, ...] = tuple(source) if isinstance(source, tuple | list) else (source,)
        if not args or not sources or not all(_is_plain(one) for one in sources):
            return
        if not all(_can_be_repeated(one) for one in (*args[1:], *options.values())):
            return
        links = tuple(self._link(one) for one in sources)
        length = 1 + max(link.length for link in links)
        outputs = enumerate(output) if isinstance(output, tuple | list) else [(None, output)]
        for part, one in outputs:
            if _is_plain(one) and length < _LONGEST:
                self._keep(one, Link(one.shape, links, func, args[1:], tuple(options.items()), part, length))

    def add_features(self, args: tuple[Any, ...], output: Any) -> None:
        """A function that works on each position by itself has run: the positions are those of its input.

        Where nothing was laid out before it, nothing is remembered: a chain may as well begin after it.
        """
        if not self._links or not _is_plain(output):
            return
        for source in args[:2]:
            link = self._found(source)
            if link is not None and source.shape[:-1] == output.shape[:-1] and link.length < _LONGEST:
                self._keep(output, Link(output.shape, (link,), length=link.length + 1))
                return

    def lose(self, tensor: Any) -> None:
        """Something was written into a part of a tensor: what is where in its memory is no longer known."""
        if not _is_plain(tensor):
            return
        memory = tensor.untyped_storage().data_ptr()
        for place, (alive, link) in list(self._links.items()):
            other = alive()
            if other is not None and other.untyped_storage().data_ptr() == memory:
                self._links[place] = (alive, Link(link.shape, known=False))
        self._keep(tensor, Link(tensor.shape, known=False))

    def of(self, query: Tensor, key: Tensor) -> Trail | None:
        """How these came about; None where there is nothing to tell."""
        return self.trail(self._found(query), self._found(key), query.shape[0] if query.ndim >= _LEAST else 0)

    def trail(self, query: Link | None, key: Link | None, items: int) -> Trail | None:
        """The same for links, and the number of items of the queries."""
        regrouped = self._is_regrouped(items)
        return None if query is None and key is None and not regrouped else Trail(query, key, regrouped)

    def link(self, tensor: Tensor) -> Link | None:
        """How one tensor came about; None where nothing is known of it."""
        return self._found(tensor)

    def begin(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        """A module has started."""
        first = args[0] if args else None
        self._inputs.append((module, first.shape if _is_plain(first) else None))

    def end(self, module: nn.Module) -> None:
        """A module has ended, and all that started within it."""
        if self._inputs and self._inputs[-1][0] is module:
            self._inputs.pop()
        elif any(one is module for one, _ in self._inputs):
            while self._inputs.pop()[0] is not module:
                pass

    def _link(self, tensor: Tensor) -> Link:
        found = self._found(tensor)
        if found is None:
            found = Link(tensor.shape)
            self._keep(tensor, found)
        return found

    def _found(self, tensor: Any) -> Link | None:
        if not _is_plain(tensor):
            return None
        found = self._links.get(_place(tensor))
        return None if found is None or found[0]() is None else found[1]

    def _keep(self, tensor: Tensor, link: Link) -> None:
        place = _place(tensor)
        self._links[place] = (weakref.ref(tensor, lambda gone: self._forget(place, gone)), link)

    def _forget(self, place: tuple[Any, ...], gone: weakref.ref[Tensor]) -> None:
        # Another tensor may lie there by now.
        if place in self._links and self._links[place][0] is gone:
            del self._links[place]

    def _is_regrouped(self, items: int) -> bool:
        """Whether the module that runs was given the items of these queries, and one around it fewer and longer ones."""
        shapes = self._shapes()
        own = next(shapes, None)
        if own is None or len(own) < _LEAST or own[0] != items:
            return False
        slots = own[1:-1].numel()
        around = next((shape for shape in shapes if len(shape) >= _LEAST and shape[0] != own[0]), None)
        return around is not None and around[0] > 0 and own[0] % around[0] == 0 and around[1:-1].numel() > slots > 1

    def _shapes(self) -> Iterator[torch.Size]:
        return (shape for _, shape in reversed(self._inputs) if shape is not None)


def _is_plain(tensor: Any) -> TypeGuard[Tensor]:
    return (
        type(tensor) in (Tensor, nn.Parameter)
        and not tensor.is_nested
        and _LEAST <= tensor.ndim <= _MOST
        and tensor.layout == torch.strided
        and not tensor.is_meta
    )


def _place(tensor: Tensor) -> tuple[Any, ...]:
    return (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)


def _can_be_repeated(argument: Any) -> bool:
    """Whether the argument says where something goes: no tensor, or one of positions."""
    if isinstance(argument, tuple | list):
        return all(_can_be_repeated(one) for one in argument)
    return not isinstance(argument, Tensor) or argument.dtype in (torch.int64, torch.int32, torch.bool)


_NAMES = (
    "view",
    "reshape",
    "permute",
    "transpose",
    "contiguous",
    "flatten",
    "unflatten",
    "squeeze",
    "unsqueeze",
    "roll",
    "movedim",
    "moveaxis",
    "swapaxes",
    "swapdims",
    "chunk",
    "split",
    "tensor_split",
    "unbind",
    "narrow",
    "select",
    "flip",
    "unfold",
    "clone",
    "index_select",
    "gather",
    "stack",
    "cat",
    "concat",
)
_LAYOUT = {
    function for name in _NAMES for place in (torch, Tensor) if (function := getattr(place, name, None)) is not None
} | {F.pad, Tensor.__getitem__, Tensor.mT.__get__, Tensor.T.__get__}  # type: ignore[attr-defined]  # properties
_FEATURES = (
    F.linear,
    F.layer_norm,
    F.normalize,
    F.dropout,
    torch.mul,
    Tensor.mul,
    Tensor.__mul__,
    Tensor.__rmul__,
    torch.div,
    Tensor.div,
    Tensor.__truediv__,
)
_WRITES = ("copy_", "index_copy_", "index_put_", "scatter_", "masked_scatter_", "index_fill_", "index_add_")
LAYOUT_FUNCTIONS = frozenset(_LAYOUT)
FEATURE_FUNCTIONS = frozenset(_FEATURES)
WRITING_FUNCTIONS = frozenset({Tensor.__setitem__, *(getattr(Tensor, name) for name in _WRITES)})
