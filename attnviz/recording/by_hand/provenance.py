"""Which tensor is what: scores of which queries and keys, weights of which scores, known for as long as it lives."""

import weakref
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.recording.by_hand.axes import Axis, Dims, Factor
from attnviz.recording.by_hand.letters import Contraction
from attnviz.recording.windows.chains import Link


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """What is known of a tensor. dims: what its dimensions are."""

    dims: Dims

    def viewed(self, dims: Dims) -> "Node":
        """The same in another shape."""
        return replace(self, dims=dims)


@dataclass(frozen=True, eq=False, slots=True)
class Product:
    """Two tensors that were multiplied and summed over `inner`.

    rows, cols: what a matrix product calls so; () where nothing tells. learnt: one of them is a parameter, as in a
    linear map. autocast: the type that both were cast to. merged: what a view made the first dimension of.
    links: how the two were laid out, where that is known.
    """

    left: Factor
    right: Factor
    inner: tuple[Axis, ...]
    rows: tuple[Axis, ...]
    cols: tuple[Axis, ...]
    learnt: bool
    autocast: torch.dtype | None
    merged: tuple[int, int] | None = None
    links: tuple[Link | None, Link | None] = (None, None)


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """factor × tensor, which was added."""

    factor: float
    tensor: Factor


@dataclass(frozen=True, eq=False, slots=True)
class Forbidden:
    """Where the tensor is `when`, the scores were set to `low`."""

    tensor: Factor
    when: bool
    low: float


@dataclass(frozen=True, eq=False, slots=True)
class Sink:
    """A column that was put before or behind the keys. extended: the axis of the keys and this column."""

    tensor: Factor
    keys: tuple[Axis, ...]
    extended: Axis
    first: bool


@dataclass(frozen=True, eq=False, slots=True)
class Scores(Node):
    """cap · tanh(scale · gains · product) + shift + terms, or without cap and tanh; then forbidden pairs and a sink.

    opaque: something else happened to them too, so they cannot be computed again. of: what waits for values, where
    the product was that of weights and values.
    """

    product: Product
    scale: float = 1.0
    gains: tuple[Factor, ...] = ()
    cap: float | None = None
    shift: float = 0.0
    terms: tuple[Term, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    sink: Sink | None = None
    opaque: bool = False
    of: Any = None

    @property
    def is_plain(self) -> bool:
        """Whether nothing happened to the product but a factor."""
        return self.cap is None and not (self.shift or self.terms or self.forbidden or self.sink or self.opaque)


@dataclass(frozen=True, eq=False, slots=True)
class OfScores(Node):
    """What was computed from scores: "exp", "sum" (of exp), "max", "lse" or "log" (of the softmax).

    over: the axes that a sum, a maximum or a softmax ran over.
    """

    kind: str
    scores: Scores
    over: tuple[Axis, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Gates(Node):
    """factor · sigmoid(scores): attention once they multiply values."""

    scores: Scores
    factor: float = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Unknown(Node):
    """Something that was made of scores in a way that is not known here; with values it would be attention."""


@dataclass(frozen=True, eq=False, slots=True)
class Weights(Node):
    """Weights over `keys`. pending: what waits for their product with values. dropped: some were set to 0 at random."""

    keys: tuple[Axis, ...]
    pending: Any
    dropped: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Mark(Node):
    """A step on the way to additive scores: "joined" (a sum or a cat), "tanh", "additive"."""

    kind: str


@dataclass(frozen=True, eq=False, slots=True)
class Spread(Node):
    """Two tensors multiplied without a sum as yet. weights: one of them, where it is weights."""

    contraction: Contraction
    weights: Node | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Sums(Node):
    """Keys × values of linear attention, summed up to each position. along: the axis of the positions."""

    key: Factor
    value: Factor
    along: tuple[Axis, ...]


@dataclass(frozen=True, eq=False, slots=True)
class LinearOutput(Node):
    """Queries × (keys × values). pending: the call that is made of them."""

    pending: Any


class Table:
    """Nodes by tensor. Neither keeps the other's memory: an entry goes when its tensor does."""

    def __init__(self) -> None:
        self._nodes: dict[int, tuple[weakref.ref[Tensor], Node, int | None]] = {}

    def get(self, tensor: Any, changes: int = 0) -> Node | None:
        """What is known of it; scores that were changed unseen are opaque. changes: how many of them are known."""
        found = self._nodes.get(id(tensor))
        if found is None:
            return None
        reference, node, version = found
        alive = reference()
        if alive is None or alive is not tensor:
            return None
        if version is not None and alive._version > version + changes:
            return replace(node, opaque=True) if isinstance(node, Scores) else None
        return node

    def put(self, tensor: Tensor, node: Node) -> None:
        """Says what it is."""
        key = id(tensor)
        nodes = self._nodes

        def forget(reference: weakref.ref[Tensor]) -> None:
            found = nodes.get(key)
            if found is not None and found[0] is reference:
                del nodes[key]

        version = None if tensor.is_inference() else tensor._version
        nodes[key] = (weakref.ref(tensor, forget), node, version)

    def drop(self, tensor: Any) -> None:
        """Nothing is known of it any more."""
        self._nodes.pop(id(tensor), None)

    def __len__(self) -> int:
        return len(self._nodes)


def is_of_scores(node: Node | None) -> bool:
    """Whether it has a number for each pair of queries and keys that both come from activations."""
    if isinstance(node, Unknown):
        return True
    if isinstance(node, OfScores) and node.kind not in ("exp", "log"):
        return False
    scores = node.scores if isinstance(node, OfScores | Gates) else node
    return isinstance(scores, Scores) and not scores.product.learnt and scores.of is None


def is_learnt(tensor: Tensor) -> bool:
    """Whether it is a parameter or a view of one."""
    return isinstance(tensor, torch.nn.Parameter) or isinstance(tensor._base, torch.nn.Parameter)
