"""Operations on each entry: what they make of scores, of weights, and of what lies between the two."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.recording.by_hand import elementwise, functions, linear
from attnviz.recording.by_hand.axes import aligned
from attnviz.recording.by_hand.called import Called, Step, mark
from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.by_hand.letters import of_product
from attnviz.recording.by_hand.provenance import (
    Gates,
    LinearOutput,
    Mark,
    Node,
    OfScores,
    Scores,
    Spread,
    Unknown,
    Weights,
    is_learnt,
    is_of_scores,
)


@dataclass(frozen=True, eq=False, slots=True)
class Pair:
    """An operation of two: what is known of one of them, that one, the other, and which came first."""

    node: Node
    mine: Tensor
    other: Any
    first: bool
    output: Tensor


Operation = Callable[[Hand, Pair], Node | None]


OfUnknown = Callable[[Hand, Tensor, Tensor, Tensor], None]


def _binary(operation: Operation, *, changes: int = 0, of_unknown: OfUnknown | None = None) -> Step:
    """What an operation of two makes of the one that something is known of; changes: 1 where it writes into it."""

    def step(call: Called) -> None:
        left = call.args[0] if call.args else call.kwargs.get("input")
        right = call.args[1] if len(call.args) > 1 else call.kwargs.get("other")
        table = call.hand.table
        node = table.get(left, changes)
        if isinstance(node, Unknown) and isinstance(table.get(right), Scores):
            # What is added to scores may itself be made of such.
            node = None
        if node is not None and isinstance(left, Tensor):
            know(call.hand, Pair(node, left, right, True, call.output), operation)
            return
        node = table.get(right)
        if node is not None and isinstance(right, Tensor):
            know(call.hand, Pair(node, right, left, False, call.output), operation)
        elif of_unknown is not None and isinstance(left, Tensor) and isinstance(right, Tensor):
            of_unknown(call.hand, left, right, call.output)

    return step


def know(hand: Hand, pair: Pair, operation: Operation) -> None:
    """Remembers what an operation made of something: scores stay scores, even where they cannot be computed again."""
    after = operation(hand, pair)
    if after is not None:
        hand.table.put(pair.output, after)
    elif isinstance(pair.node, Scores):
        _opaque(hand, pair.node, pair.mine, pair.output)
    elif is_of_scores(pair.node) and pair.output.ndim == len(pair.node.dims):
        hand.table.put(pair.output, Unknown(pair.node.dims))
    else:
        hand.table.drop(pair.output)


def _opaque(hand: Hand, scores: Scores, source: Tensor, output: Tensor) -> None:
    """Scores still, but something happened to them that cannot be done again."""
    found = aligned(scores.dims, source.shape, output.shape)
    if found is not None:
        hand.table.put(output, replace(scores, dims=found[1], opaque=True))


def _spread(hand: Hand, left: Tensor, right: Tensor, output: Tensor) -> None:
    """Queries times keys, broadcast: a sum may follow."""
    if left.shape != right.shape and left.ndim > 1 and right.ndim > 1:
        hand.table.put(output, Spread((), of_product(left, right)))


def _joined(hand: Hand, left: Tensor, right: Tensor, output: Tensor) -> None:
    """A sum of two states: a tanh may follow."""
    if left.ndim > 1 and right.ndim > 1 and not (is_learnt(left) or is_learnt(right)):
        hand.table.put(output, mark(output, "joined"))


def _times(_hand: Hand, pair: Pair) -> Node | None:
    node, other, output = pair.node, pair.other, pair.output
    if isinstance(node, Weights | Gates | Unknown) and isinstance(other, Tensor) and output.numel() > pair.mine.numel():
        product = of_product(pair.mine, other) if pair.first else of_product(other, pair.mine)
        return Spread((), product, node)
    if isinstance(node, Weights | Mark):
        # Weights that are scaled afterwards: the check against the output tells whether that matters.
        return node if output.shape == pair.mine.shape else None
    if isinstance(node, LinearOutput):
        return linear.scaled(node, other, output)
    value = elementwise.number(other)
    if isinstance(node, Scores):
        if value is not None:
            return elementwise.times(node, value)
        return elementwise.times_tensor(node, other, output) if isinstance(other, Tensor) else None
    if isinstance(node, Gates) and value:
        return replace(node, factor=node.factor * value)
    return _masked_afterwards(node, other, output) if isinstance(other, Tensor) else None


def _masked_afterwards(node: Node, mask: Tensor, output: Tensor) -> Node | None:
    """Exponentials or gates times a mask of zeros and ones: what is times 0 is forbidden."""
    if not isinstance(node, Gates | OfScores) or (isinstance(node, OfScores) and node.kind != "exp"):
        return None
    if mask.dtype != torch.bool:
        if mask.is_meta or mask.numel() > output.numel() or not bool(((mask == 0) | (mask == 1)).all()):
            return None
        mask = mask != 0
    scores = elementwise.forbid(replace(node.scores, dims=node.dims), mask, -torch.inf, output, when=False)
    return None if scores is None else replace(node, scores=scores, dims=scores.dims)


def _divided(hand: Hand, pair: Pair) -> Node | None:
    node, other = pair.node, pair.other
    if not pair.first:
        return None
    if isinstance(node, OfScores) and node.kind == "exp":
        total = hand.table.get(other)
        if isinstance(total, OfScores) and total.kind == "sum" and total.scores.product is node.scores.product:
            return replace(node, kind="weights", over=total.over)
        return None
    if isinstance(node, Weights | Mark):
        return node if pair.output.shape == pair.mine.shape else None
    if isinstance(node, LinearOutput):
        return linear.scaled(node, other, pair.output, inverse=True)
    value = elementwise.number(other)
    if value is None:
        if isinstance(node, Scores) and isinstance(other, Tensor):
            return elementwise.times_tensor(node, other.detach().reciprocal(), pair.output)
        return None
    if isinstance(node, Scores):
        return elementwise.times(node, 1 / value) if value else None
    return replace(node, factor=node.factor / value) if isinstance(node, Gates) and value else None


def _plus(_hand: Hand, pair: Pair) -> Node | None:
    node, other = pair.node, pair.other
    if isinstance(node, Scores):
        return elementwise.plus(node, other, pair.output)
    if isinstance(node, OfScores) and node.kind == "sum":
        # A small number that keeps a sum from being 0.
        return node if pair.output.shape == pair.mine.shape else None
    if isinstance(node, Mark) and pair.output.ndim > 1:
        # A state that came out of a tanh itself may be spread over the keys: it begins anew.
        spread = isinstance(other, Tensor) and pair.output.shape != pair.mine.shape and not is_learnt(other)
        return mark(pair.output, "joined" if spread else node.kind)
    return None


def _minus(hand: Hand, pair: Pair) -> Node | None:
    node, other = pair.node, pair.other
    if isinstance(node, Mark):
        return node if pair.output.shape == pair.mine.shape else None
    if not isinstance(node, Scores):
        return None
    if not pair.first:
        negative = elementwise.times(node, -1.0)
        return None if negative is None else elementwise.plus(negative, other, pair.output)
    taken = hand.table.get(other)
    if isinstance(taken, OfScores) and taken.scores.product is node.product:
        if taken.kind == "max":
            # A softmax does not change when the maximum is subtracted from all scores of a row.
            return node
        if taken.kind == "lse":
            return OfScores(node.dims, "log", node, taken.over)
    return elementwise.plus(node, other, pair.output, -1.0)


def _reverse_minus(hand: Hand, pair: Pair) -> Node | None:
    """`rsub(x, other)` is other − x."""
    return _minus(hand, replace(pair, first=not pair.first))


def _fill(changes: int) -> Step:
    def step(call: Called) -> None:
        node = call.hand.table.get(call.args[0], changes)
        if node is None:
            return
        given = dict(zip(("input", "mask", "value"), call.args, strict=False)) | call.kwargs
        mask, value = given["mask"], given["value"]
        know(
            call.hand,
            Pair(node, call.args[0], mask, True, call.output),
            lambda _hand, pair: _filled(pair, mask, value, when=True),
        )

    return step


def _filled(pair: Pair, mask: Tensor, value: Any, *, when: bool) -> Node | None:
    """Set to a value where the mask is `when`."""
    node, output = pair.node, pair.output
    if isinstance(node, Scores):
        return elementwise.forbid(node, mask, value, output, when=when)
    if isinstance(node, Gates | OfScores) and elementwise.number(value) == 0:
        return _masked_afterwards(node, ~mask if when else mask, output)
    # Weights of rows that see nothing are often set to 0; additive scores have no formula here.
    return node if isinstance(node, Weights | Mark) and output.shape == pair.mine.shape else None


def _where(call: Called) -> None:
    if len(call.args) < 3 or not isinstance(call.args[0], Tensor):
        return
    # `x.where(mask, other)` has x in front, `torch.where(mask, x, other)` the mask.
    mask, one, other = (call.args[1], call.args[0], call.args[2]) if call.func is Tensor.where else call.args
    node, mine, rest, when = call.hand.table.get(one), one, other, False
    if node is None:
        node, mine, rest, when = call.hand.table.get(other), other, one, True
    if node is not None:
        know(
            call.hand,
            Pair(node, mine, rest, True, call.output),
            lambda _hand, pair: _filled(pair, mask, rest, when=when),
        )


def _unary(operation: Callable[[Node], Node | None], changes: int = 0) -> Step:
    def step(call: Called) -> None:
        node = call.hand.table.get(call.args[0] if call.args else call.kwargs.get("input"), changes)
        if node is not None:
            know(call.hand, Pair(node, call.args[0], None, True, call.output), lambda _hand, pair: operation(pair.node))

    return step


def _tanh(node: Node) -> Node | None:
    if isinstance(node, Mark):
        return replace(node, kind="tanh") if node.kind == "joined" else None
    return elementwise.tanh(node) if isinstance(node, Scores) else None


def _negative(node: Node) -> Node | None:
    return elementwise.times(node, -1.0) if isinstance(node, Scores) else None


def _exp(node: Node) -> Node | None:
    if isinstance(node, Scores) and node.sink is None:
        return OfScores(node.dims, "exp", node)
    return replace(node, kind="weights") if isinstance(node, OfScores) and node.kind == "log" else None


def _sigmoid(node: Node) -> Node | None:
    return Gates(node.dims, node) if isinstance(node, Scores) and not node.product.learnt else None


def _clamp(changes: int) -> Step:
    def step(call: Called) -> None:
        node = call.hand.table.get(call.args[0], changes)
        if node is None:
            return
        given = dict(zip(("input", "min", "max"), call.args, strict=False)) | call.kwargs

        def bounded(_hand: Hand, _pair: Pair) -> Node | None:
            if not isinstance(node, Scores):
                return node if isinstance(node, Weights | OfScores) else None
            above = elementwise.at_least(node, given.get("min"))
            return None if above is None else elementwise.at_most(above, given.get("max"))

        know(call.hand, Pair(node, call.args[0], None, True, call.output), bounded)

    return step


def _other_in_place(call: Called) -> None:
    node = call.hand.table.get(call.args[0], 1) if call.args else None
    if isinstance(node, Scores):
        call.hand.table.put(call.args[0], replace(node, opaque=True))
    elif node is not None:
        call.hand.table.drop(call.args[0])


# What may be the last step of a softmax that is written out.
DIVIDED, DIVIDED_IN_PLACE = _binary(_divided), _binary(_divided, changes=1)
EXPONENTIAL, EXPONENTIAL_IN_PLACE = _unary(_exp), _unary(_exp, 1)

STEPS: tuple[tuple[tuple[Any, ...], Step], ...] = (
    (functions.MUL, _binary(_times, of_unknown=_spread)),
    (functions.MUL_, _binary(_times, changes=1)),
    (functions.ADD, _binary(_plus, of_unknown=_joined)),
    (functions.ADD_, _binary(_plus, changes=1)),
    (functions.SUB, _binary(_minus)),
    (functions.SUB_, _binary(_minus, changes=1)),
    (functions.REVERSE_SUB, _binary(_reverse_minus)),
    (functions.MASKED_FILL, _fill(0)),
    (functions.MASKED_FILL_, _fill(1)),
    (functions.WHERE, _where),
    (functions.NEGATIVE, _unary(_negative)),
    (functions.TANH, _unary(_tanh)),
    (functions.TANH_, _unary(_tanh, 1)),
    (functions.CLAMP, _clamp(0)),
    (functions.CLAMP_, _clamp(1)),
    (functions.SIGMOID, _unary(_sigmoid)),
    (functions.SIGMOID_, _unary(_sigmoid, 1)),
    (functions.OTHER_IN_PLACE, _other_in_place),
)
