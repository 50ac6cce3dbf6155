"""The way from what a module was given to what it gives, along which things are only added, moved and normalised."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from torch import Tensor

from attnviz.attention.normalising import Normalising
from attnviz.attention.summands import PartKind
from attnviz.recording.blocks.graph import Call, Moved, Node, Place, Sum
from attnviz.recording.blocks.kinds import Kind, kind_of


@dataclass(frozen=True, eq=False)
class Leaf:
    """What a part adds: its node (None where it comes from nothing that was seen), and how to get at its vectors."""

    node: Node | None
    place: Place
    kind: Kind
    name: str
    of_part: bool
    value: Callable[[], Tensor]


@dataclass(frozen=True, eq=False)
class Addition:
    """A sum on the way; `side` is the one that was carried."""

    added: Sum
    side: int
    leaves: tuple[Leaf, ...]

    @property
    def carried(self) -> Tensor:
        """What was passed on to it."""
        return self.added.added(self.side)


# Parts that read the same are told in this order, whichever the model adds first.
_ORDER: tuple[PartKind, ...] = ("attention", "cross-attention", "other", "feed-forward")

Link = Addition | Moved | Normalising


@dataclass(frozen=True, eq=False)
class Outline:
    """A call whose output is what it was given, plus parts. links: in the order of execution."""

    call: Call
    given: Tensor
    links: tuple[Link, ...]

    @property
    def additions(self) -> list[Addition]:
        """The sums."""
        return [link for link in self.links if isinstance(link, Addition)]

    @property
    def leaves(self) -> Iterator[Leaf]:
        """All parts."""
        return (leaf for addition in self.additions for leaf in addition.leaves)

    @property
    def kinds(self) -> set[PartKind]:
        """The kinds of its parts that are computed from what is carried."""
        return {leaf.kind.part for leaf in self.leaves if leaf.kind.reads}

    @property
    def mixes(self) -> bool:
        """Whether a part looks at several positions."""
        return bool(self.kinds - {"feed-forward"})

    @property
    def complete(self) -> bool:
        """Whether it has what a layer has: a part that looks at several positions, and another one."""
        return self.mixes and len(self.kinds) > 1


def outline(call: Call, output: Node | None) -> Outline | None:
    """The way through a call; None where there is none, or more than one."""
    entries = {id(node): tensor for tensor, node in call.given}
    if output is None or id(output) in entries:
        return None
    path = _path(output, entries, call.first)
    if path is None or not any(isinstance(node.step, Sum) for node, _ in path):
        return None
    first, side = path[0]
    entry = first.inputs[side]
    stream = {id(node) for node, _ in path} | {id(entry)}
    links = tuple(_link(node, side, stream, call.first) for node, side in path)
    head = links[0]
    # What is added to in place is no more what it was; the sum has kept it.
    given = head.carried if isinstance(head, Addition) else entries[id(entry)]
    return Outline(call, given, links)


def _path(output: Node, entries: dict[int, Tensor], first: int) -> list[tuple[Node, int]] | None:
    """The nodes from entry to output, each with the side on which the way comes in; None where it is not one way."""
    reaching = _reaching(output, entries, first)
    path: list[tuple[Node, int]] = []
    node = output
    while id(node) not in entries:
        sides = [side for side, one in enumerate(_summands(node)) if one is not None and id(one) in reaching]
        if len(sides) != 1:
            return None
        path.append((node, sides[0]))
        node = next(one for one in [node.inputs[sides[0]]] if one is not None)
    return path[::-1]


def _summands(node: Node) -> tuple[Node | None, ...]:
    """Where a way can come from; nowhere, where something else than adding, moving and normalising was done."""
    if node.step is None or (isinstance(node.step, Sum) and not node.step.operands):
        return ()
    return node.inputs if isinstance(node.step, Sum) else node.inputs[:1]


def _reaching(output: Node, entries: dict[int, Tensor], first: int) -> set[int]:
    """The nodes from which a way leads to an entry."""
    seen: dict[int, Node] = {}
    waiting = [output]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        if id(node) not in entries and node.number >= first:
            waiting += [one for one in _summands(node) if one is not None]
    reaching: set[int] = set()
    for node in sorted(seen.values(), key=lambda one: one.number):
        if id(node) in entries or any(id(one) in reaching for one in _summands(node) if one is not None):
            reaching.add(id(node))
    return reaching


def _link(node: Node, side: int, stream: set[int], first: int) -> Link:
    step = node.step
    if isinstance(step, Sum):
        leaves = sorted(
            _leaves(node, step, 1 - side, 1.0, stream, first), key=lambda leaf: _ORDER.index(leaf.kind.part)
        )
        return Addition(step, side, tuple(leaves))
    assert step is not None  # noqa: S101  the way leads through steps alone
    return step


def _leaves(node: Node, added: Sum, side: int, factor: float, stream: set[int], first: int) -> Iterator[Leaf]:
    """The parts on one side of a sum: two or more where the block itself adds them before they join the stream."""
    leaf = node.inputs[side]
    factor *= added.factor if side else 1.0
    inner = leaf.step if leaf is not None else None
    if (
        leaf is not None
        and isinstance(inner, Sum)
        and inner.operands
        and leaf.call is node.call
        and all(one is not None and one.number >= first for one in leaf.inputs)
    ):
        for one in (0, 1):
            yield from _leaves(leaf, inner, one, factor, stream, first)
        return
    source, of_part = _source(leaf)
    vectors = added.operands[side]
    yield Leaf(
        leaf,
        added.places[side],
        kind_of(leaf, stream, first),
        source.call.below(node.call).name if source is not None and source.call is not None else "",
        of_part,
        lambda: vectors if factor == 1.0 else factor * vectors,
    )


def _source(leaf: Node | None) -> tuple[Node | None, bool]:
    """What gave a part before it was moved and normalised, and whether it was normalised."""
    of_part = False
    while leaf is not None and isinstance(leaf.step, Moved | Normalising) and leaf.inputs[0] is not None:
        of_part = of_part or isinstance(leaf.step, Normalising)
        leaf = leaf.inputs[0]
    return leaf, of_part


def in_layers(links: tuple[Link, ...]) -> list[tuple[Link, ...]]:
    """Cut where a new layer begins: at each self-attention after another one, with what leads to it left before.

    Where there is none, as in state-space models, at each part that looks at several positions in another way.
    """
    starts = [0]
    every = {leaf.kind.part for link in links if isinstance(link, Addition) for leaf in link.leaves}
    first: PartKind = "attention" if "attention" in every else "other"
    attended = False
    for index, link in enumerate(links):
        if isinstance(link, Addition) and any(leaf.kind.part == first for leaf in link.leaves):
            if attended:
                starts.append(index)
            attended = True
    return [links[start:stop] for start, stop in pairwise([*starts, len(links)])]
