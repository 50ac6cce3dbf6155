"""What is done with each of torch's functions while a recording follows attention that is written by hand."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.by_hand import elementwise, functions, linear
from attnviz.recording.by_hand.axes import Axis, Dims, Factor, aligned, fresh, leaves, regrouped
from attnviz.recording.by_hand.call import AsMade
from attnviz.recording.by_hand.hand import Hand, meet_values
from attnviz.recording.by_hand.letters import Contraction, of_einsum, of_matmul, of_product
from attnviz.recording.by_hand.provenance import (
    Gates,
    LinearOutput,
    Mark,
    Node,
    OfScores,
    Product,
    Scores,
    Sink,
    Spread,
    Weights,
    is_learnt,
)
from attnviz.recording.by_hand.weights import gates_met, pooled, weights_made
from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings
from attnviz.recording.tensors import autocast_of

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


@dataclass(frozen=True, eq=False, slots=True)
class Called:
    """One call of one of torch's functions, and the recording that looks at it."""

    hand: Hand
    recording: Recording
    func: Any
    args: Args
    kwargs: Kwargs
    output: Any


Step = Callable[[Called], None]

FAILED = _m("What “{name}” computes could not be followed; attention written by hand may be missing there.")


def observer(step: Step) -> Callable[[Any, Args, Kwargs, Any], None]:
    """The step for each recording that is not inside another family. Whatever happens, the model goes on."""

    def observe(func: Any, args: Args, kwargs: Kwargs, output: Any) -> None:
        for recording in recordings():
            if recording.inside:
                continue
            try:
                step(Called(recording.state(Hand), recording, func, args, kwargs, output))
            except InputError:
                raise
            except Exception:
                module = recording.running()
                if module is not None:
                    recording.note(FAILED, name=recording.modules.shown_name(module))

    return observe


# Products.


def _matmul(call: Called) -> None:
    left = call.args[0]
    right = call.args[1] if len(call.args) > 1 else next(iter(call.kwargs.values()))
    contraction = of_matmul(left, right)
    if contraction is not None:
        _product(call.hand, call.recording, contraction, call.output, matrix=True)


def _einsum(call: Called) -> None:
    contraction = of_einsum(call.args)
    if contraction is not None:
        _product(call.hand, call.recording, contraction, call.output, matrix=False)
    else:
        linear.of_three(call.hand, call.recording, call.args, call.output)


def _baddbmm(call: Called) -> None:
    added, left, right = (
        call.args[place] if len(call.args) > place else call.kwargs[name]
        for place, name in enumerate(("input", "batch1", "batch2"))
    )
    contraction = of_matmul(left, right)
    if contraction is None:
        return
    _product(call.hand, call.recording, contraction, call.output, matrix=True)
    scores = call.hand.table.get(call.output)
    if isinstance(scores, Scores):
        beta = float(call.kwargs.get("beta", 1))
        scaled = elementwise.times(scores, float(call.kwargs.get("alpha", 1)))
        summed = scaled if scaled is None or beta == 0 else elementwise.plus(scaled, added, call.output, beta)
        call.hand.table.put(call.output, replace(scores, opaque=True) if summed is None else summed)


def _product(hand: Hand, recording: Recording, contraction: Contraction, output: Tensor, *, matrix: bool) -> None:
    left, right = hand.table.get(contraction.left), hand.table.get(contraction.right)
    if linear.product(hand, recording, contraction, (left, right), output):
        return
    for node, other_is_right in ((left, True), (right, False)):
        if isinstance(node, Mark) and node.kind == "tanh":
            hand.table.put(output, _mark(output, "additive"))
            return
        if isinstance(node, Weights | Gates):
            _times_values(hand, recording, contraction, node, output, matrix=matrix, on_the_left=other_is_right)
            return
    summed = contraction.summed()
    if not summed:
        # An outer product; linear attention sums those of keys and values up.
        hand.table.put(output, Spread((), contraction))
        return
    if output.ndim == 0:
        return
    left_dims, right_dims, dims = contraction.dims()
    rows: tuple[Axis, ...] = ()
    cols: tuple[Axis, ...] = ()
    if matrix:
        rows, cols = contraction.group("a", left_dims, right_dims), contraction.group("c", left_dims, right_dims)
    product = Product(
        left=Factor.of(contraction.left, left_dims),
        right=Factor.of(contraction.right, right_dims),
        inner=tuple(axis for letter in summed for axis in contraction.group(letter, left_dims, right_dims)),
        rows=rows,
        cols=cols,
        learnt=is_learnt(contraction.left) or is_learnt(contraction.right),
        autocast=autocast_of(contraction.left),
        merged=hand.merge_of(contraction.left) or hand.merge_of(contraction.right),
    )
    hand.table.put(output, Scores(_refilled(dims, output), product))


def _refilled(dims: Dims, output: Tensor) -> Dims:
    """With dimensions of size 1 where a sum kept them."""
    return dims if len(dims) == output.ndim else regrouped(dims, output.shape) or dims


def _times_values(
    hand: Hand,
    recording: Recording,
    contraction: Contraction,
    node: Weights | Gates,
    output: Tensor,
    *,
    matrix: bool,
    on_the_left: bool,
) -> None:
    left_dims, right_dims, dims = contraction.dims(left=node.dims) if on_the_left else contraction.dims(right=node.dims)
    summed = leaves(
        axis for letter in contraction.summed() for axis in contraction.group(letter, left_dims, right_dims)
    )
    value = Factor.of(contraction.right, right_dims) if on_the_left else Factor.of(contraction.left, left_dims)
    made = contraction.left if on_the_left else contraction.right
    rows = None
    if matrix:
        rows = leaves(contraction.group("a" if on_the_left else "c", left_dims, right_dims))
    if isinstance(node, Gates):
        weights = gates_met(hand, recording, node, made, summed)
        if weights is None:
            return
        node = weights
    if set(summed) != set(leaves(node.keys)):
        return
    result = Factor(output.detach(), _refilled(dims, output))
    meet_values(node.pending, recording, value, result, rows, dropped=node.dropped)
    if isinstance(node.pending.call, AsMade):
        product = Product(Factor.of(made, node.dims), value, summed, (), (), learnt=False, autocast=None)
        hand.table.put(output, Scores(result.dims, product, of=node.pending))


def _linear(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Mark):
        kind = "additive" if node.kind == "tanh" else node.kind
        call.hand.table.put(call.output, _mark(call.output, kind))


# Shapes.


def _view(call: Called) -> None:
    source = call.args[0]
    node = call.hand.table.get(source)
    if node is None:
        _remember_merge(call.hand, source, call.output)
    elif call.output is not source:
        dims = regrouped(node.dims, call.output.shape)
        if dims is not None and not isinstance(node, Spread):
            call.hand.table.put(call.output, node.viewed(dims))


def _remember_merge(hand: Hand, source: Tensor, output: Tensor) -> None:
    """Whether a view put the first two dimensions together, as items and heads are for a batched product."""
    before, after = source.shape, output.shape
    if len(before) == 4 and len(after) == 3 and before[2:] == after[1:] and before[0] * before[1] == after[0]:
        hand.remember_merge(output, before[0], before[1])


def _permute(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if node is None:
        merged = call.hand.merge_of(call.args[0])
        if merged is not None and call.output.ndim == 3 and call.output.shape[0] == call.args[0].shape[0]:
            call.hand.remember_merge(call.output, *merged)
        return
    if isinstance(node, Spread):
        return
    order = _order(call.func, call.args, call.kwargs)
    call.hand.table.put(call.output, node.viewed(tuple(node.dims[place] for place in order)))


def _order(func: Any, args: Args, kwargs: Kwargs) -> list[int]:
    dimensions = args[0].ndim
    if func in functions.named("permute"):
        given = kwargs.get("dims", args[1] if len(args) == 2 and not isinstance(args[1], int) else args[1:])
        return [place % dimensions for place in given]
    order = list(range(dimensions))
    if func in _READ_T:
        return order[::-1]
    if func in functions.named("t"):
        one, other = 0, dimensions - 1
    elif func in _READ_MT:
        one, other = dimensions - 2, dimensions - 1
    else:
        one, other = (*args[1:], *kwargs.values())
    one, other = one % dimensions, other % dimensions
    order[one], order[other] = order[other], order[one]
    return order


_READ_T, _READ_MT = functions.attributes("T"), functions.attributes("mT")


def _same(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if node is not None and call.output is not call.args[0] and call.output.shape == call.args[0].shape:
        call.hand.table.put(call.output, node)


def _same_in_value(call: Called) -> None:
    """Dropout and NaN to 0: weights stay weights; scores become something else."""
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Weights):
        dropped = call.func in functions.named("dropout", "alpha_dropout") and _drops(call.args, call.kwargs)
        call.hand.table.put(call.output, replace(node, dropped=node.dropped or dropped))
    elif isinstance(node, Scores):
        call.hand.table.put(call.output, replace(node, opaque=True))


def _drops(args: Args, kwargs: Kwargs) -> bool:
    given = dict(zip(("input", "p", "training"), args, strict=False)) | kwargs
    return bool(given.get("training", True)) and bool(given.get("p", 0.5))


def _get(call: Called) -> None:
    source = call.args[0]
    node = call.hand.table.get(source)
    if node is None or isinstance(node, Spread) or not isinstance(call.output, Tensor):
        return
    if call.output.numel() == source.numel():
        dims = regrouped(node.dims, call.output.shape)
        if dims is not None:
            call.hand.table.put(call.output, node.viewed(dims))
    elif isinstance(node, Weights) and call.output.shape[:-1] == source.shape[:-1]:
        sink = getattr(node.pending, "sink", None)
        # The column of the sink is cut off.
        if sink is not None and node.dims[-1] == (sink.extended,) and call.output.shape[-1] == source.shape[-1] - 1:
            keys = node.pending.keys
            call.hand.table.put(call.output, replace(node, dims=(*node.dims[:-1], keys), keys=keys))


def _set(call: Called) -> None:
    source, index, value = call.args[:3]
    node = call.hand.table.get(source, changes=1)
    if isinstance(node, Scores):
        found = None
        if isinstance(index, Tensor) and index.shape == source.shape:
            found = elementwise.forbid(node, index, value, source)
        call.hand.table.put(source, replace(node, opaque=True) if found is None else found)
    elif node is not None:
        call.hand.table.drop(source)


def _cat(call: Called) -> None:
    tensors = call.args[0] if call.args else call.kwargs.get("tensors", ())
    dim = call.kwargs.get("dim", call.args[1] if len(call.args) > 1 else 0)
    nodes = [call.hand.table.get(tensor) for tensor in tensors]
    scores = [node for node in nodes if isinstance(node, Scores)]
    if not scores:
        if len(tensors) == 2 and call.output.ndim > 1 and dim in (-1, call.output.ndim - 1):
            call.hand.table.put(call.output, _mark(call.output, "joined"))
        return
    place = dim % call.output.ndim
    if len(tensors) != 2 or len(scores) != 1 or scores[0].sink is not None:
        return
    (node,) = scores
    column = tensors[1] if nodes[0] is node else tensors[0]
    if column.shape[place] != 1 or len(node.dims[place]) != 1 or not isinstance(column, Tensor):
        return
    dims = tuple(() if number == place else group for number, group in enumerate(node.dims))
    extended = Axis(call.output.shape[place])
    sink = Sink(Factor.of(column, dims), node.dims[place], extended, nodes[0] is not node)
    groups = (*node.dims[:place], (extended,), *node.dims[place + 1 :])
    call.hand.table.put(call.output, replace(node, dims=groups, sink=sink))


# Entry by entry.


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
        if node is not None:
            _know(call.hand, Pair(node, left, right, True, call.output), operation)
            return
        node = table.get(right)
        if node is not None:
            _know(call.hand, Pair(node, right, left, False, call.output), operation)
        elif of_unknown is not None and isinstance(left, Tensor) and isinstance(right, Tensor):
            of_unknown(call.hand, left, right, call.output)

    return step


def _know(hand: Hand, pair: Pair, operation: Operation) -> None:
    after = operation(hand, pair)
    if after is not None:
        hand.table.put(pair.output, after)
    elif isinstance(pair.node, Scores):
        _opaque(hand, pair.node, pair.mine, pair.output)
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
        hand.table.put(output, _mark(output, "joined"))


def _mark(output: Tensor, kind: str) -> Mark:
    return Mark(tuple(fresh(size) for size in output.shape), kind)


def _times(hand: Hand, pair: Pair) -> Node | None:
    node, other, output = pair.node, pair.other, pair.output
    if isinstance(node, Weights | Gates) and isinstance(other, Tensor) and output.numel() > pair.mine.numel():
        product = of_product(pair.mine, other) if pair.first else of_product(other, pair.mine)
        return Spread((), product, node)
    if isinstance(node, Weights | Mark):
        # Weights that are scaled afterwards: the check against the output tells whether that matters.
        return node if output.shape == pair.mine.shape else None
    if isinstance(node, LinearOutput):
        return linear.scaled(hand, node, other, output)
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
        return linear.scaled(hand, node, other, pair.output, inverse=True)
    value = elementwise.number(other)
    if value is None:
        if isinstance(node, Scores) and isinstance(other, Tensor):
            return elementwise.times_tensor(node, other.detach().reciprocal(), pair.output)
        return None
    if isinstance(node, Scores):
        return elementwise.times(node, 1 / value) if value else None
    return replace(node, factor=node.factor / value) if isinstance(node, Gates) and value else None


def _plus(hand: Hand, pair: Pair) -> Node | None:
    node, other = pair.node, pair.other
    if isinstance(node, Scores):
        return elementwise.plus(node, other, pair.output)
    if isinstance(node, OfScores) and node.kind == "sum":
        # A small number that keeps a sum from being 0.
        return node if pair.output.shape == pair.mine.shape else None
    if isinstance(node, Mark) and pair.output.ndim > 1:
        return _mark(pair.output, node.kind)
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
        _know(
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
        _know(
            call.hand,
            Pair(node, mine, rest, True, call.output),
            lambda _hand, pair: _filled(pair, mask, rest, when=when),
        )


def _unary(operation: Callable[[Node], Node | None], changes: int = 0) -> Step:
    def step(call: Called) -> None:
        node = call.hand.table.get(call.args[0] if call.args else call.kwargs.get("input"), changes)
        if node is not None:
            _know(
                call.hand, Pair(node, call.args[0], None, True, call.output), lambda _hand, pair: operation(pair.node)
            )

    return step


def _tanh(node: Node) -> Node | None:
    if isinstance(node, Mark):
        return replace(node, kind="tanh") if node.kind == "joined" else None
    return elementwise.tanh(node) if isinstance(node, Scores) else None


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

        def bounded(_hand: Hand, pair: Pair) -> Node | None:
            if not isinstance(node, Scores):
                return node if isinstance(node, Weights | OfScores) else None
            above = elementwise.at_least(node, given.get("min"))
            return None if above is None else elementwise.at_most(above, given.get("max"))

        _know(call.hand, Pair(node, call.args[0], None, True, call.output), bounded)

    return step


def _maximum(call: Called) -> None:
    """The maximum of each row, or the greater of scores and a bound."""
    node = call.hand.table.get(call.args[0])
    if not isinstance(node, Scores):
        return
    other = call.args[1] if len(call.args) > 1 else call.kwargs.get("other")
    if isinstance(other, Tensor):
        _know(
            call.hand,
            Pair(node, call.args[0], other, True, call.output),
            lambda _hand, _pair: elementwise.at_least(node, other),
        )
        return
    _reduced(
        call.hand,
        node,
        call.args,
        call.kwargs,
        call.output if isinstance(call.output, Tensor) else call.output[0],
        "max",
    )


def _sum(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, OfScores) and node.kind == "exp":
        _reduced(call.hand, node, call.args, call.kwargs, call.output, "sum")
    elif isinstance(node, Mark) and node.kind == "tanh":
        call.hand.table.put(call.output, _mark(call.output, "additive"))
    elif isinstance(node, Spread):
        over = _dimensions(call.args, call.kwargs, call.args[0].ndim)
        letters = "".join(letter for place, letter in enumerate(node.contraction.output_letters) if place not in over)
        contraction = replace(node.contraction, output_letters=letters)
        if contraction.summed():
            _product(call.hand, call.recording, contraction, call.output, matrix=False)


def _cumsum(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Spread):
        (place,) = _dimensions(call.args, call.kwargs, call.args[0].ndim)
        sums = linear.summed_up(node.contraction, place)
        if sums is not None:
            call.hand.table.put(call.output, sums)


def _log_sum_exp(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Scores):
        _reduced(call.hand, node, call.args, call.kwargs, call.output, "lse")


def _reduced(hand: Hand, node: Scores | OfScores, args: Args, kwargs: Kwargs, output: Tensor, kind: str) -> None:
    scores = node if isinstance(node, Scores) else node.scores
    over = _dimensions(args, kwargs, args[0].ndim)
    if len(over) != 1:
        return
    (place,) = over
    kept = tuple(() if number == place else group for number, group in enumerate(node.dims))
    dims = kept if output.ndim == len(kept) else (*kept[:place], *kept[place + 1 :])
    hand.table.put(output, OfScores(dims, kind, scores, leaves(node.dims[place])))


def _dimensions(args: Args, kwargs: Kwargs, count: int) -> list[int]:
    given = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    if given is None:
        return list(range(count))
    return [place % count for place in ([given] if isinstance(given, int) else given)]


def _other_in_place(call: Called) -> None:
    node = call.hand.table.get(call.args[0], 1) if call.args else None
    if isinstance(node, Scores):
        call.hand.table.put(call.args[0], replace(node, opaque=True))
    elif node is not None:
        call.hand.table.drop(call.args[0])


# Where scores become weights.


def _softmax(call: Called) -> None:
    source = call.args[0] if call.args else call.kwargs["input"]
    dim = call.kwargs.get("dim", call.args[1] if len(call.args) > 1 else None)
    if not isinstance(dim, int) or call.output.ndim == 0:
        return
    place = dim % call.output.ndim
    node = call.hand.table.get(source)
    if isinstance(node, Scores):
        weights = weights_made(call.hand, call.recording, node, node.dims[place], source, call.output)
    else:
        weights = pooled(call.hand, call.recording, node, place, call.output)
    if weights is not None:
        call.hand.table.put(call.output, weights)


def _log_softmax(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    dim = call.kwargs.get("dim", call.args[1] if len(call.args) > 1 else None)
    if isinstance(node, Scores) and isinstance(dim, int):
        call.hand.table.put(call.output, OfScores(node.dims, "log", node, leaves(node.dims[dim % call.output.ndim])))


def _then_weights(step: Step) -> Step:
    """An exp or a quotient may be the last step of a softmax that is written out."""

    def both(call: Called) -> None:
        step(call)
        node = call.hand.table.get(call.output)
        if isinstance(node, OfScores) and node.kind == "weights":
            scores = replace(node.scores, dims=node.dims)
            weights = weights_made(call.hand, call.recording, scores, node.over, call.output, call.output)
            if weights is None:
                call.hand.table.drop(call.output)
            else:
                call.hand.table.put(call.output, weights)

    return both


_STEPS: tuple[tuple[tuple[Any, ...], Step], ...] = (
    (functions.MATMUL, _matmul),
    (functions.EINSUM, _einsum),
    (functions.BADDBMM, _baddbmm),
    (functions.LINEAR, _linear),
    (functions.VIEWS, _view),
    (functions.PERMUTATIONS, _permute),
    (functions.SAME, _same),
    (functions.SAME_IN_VALUE, _same_in_value),
    (functions.GET, _get),
    (functions.SET, _set),
    (functions.CAT, _cat),
    (functions.MUL, _binary(_times, of_unknown=_spread)),
    (functions.MUL_, _binary(_times, changes=1)),
    (functions.DIV, _then_weights(_binary(_divided))),
    (functions.DIV_, _then_weights(_binary(_divided, changes=1))),
    (functions.ADD, _binary(_plus, of_unknown=_joined)),
    (functions.ADD_, _binary(_plus, changes=1)),
    (functions.SUB, _binary(_minus)),
    (functions.SUB_, _binary(_minus, changes=1)),
    (functions.REVERSE_SUB, _binary(_reverse_minus)),
    (functions.MASKED_FILL, _fill(0)),
    (functions.MASKED_FILL_, _fill(1)),
    (functions.WHERE, _where),
    (functions.TANH, _unary(_tanh)),
    (functions.TANH_, _unary(_tanh, 1)),
    (functions.CLAMP, _clamp(0)),
    (functions.CLAMP_, _clamp(1)),
    (tuple({*functions.MAXIMUM, *functions.ROW_MAXIMUM}), _maximum),
    (functions.EXP, _then_weights(_unary(_exp))),
    (functions.EXP_, _then_weights(_unary(_exp, 1))),
    (functions.SUM, _sum),
    (functions.CUMSUM, _cumsum),
    (functions.LOG_SUM_EXP, _log_sum_exp),
    (functions.SIGMOID, _unary(_sigmoid)),
    (functions.SIGMOID_, _unary(_sigmoid, 1)),
    (functions.SOFTMAX, _softmax),
    (functions.LOG_SOFTMAX, _log_softmax),
    (functions.OTHER_IN_PLACE, _other_in_place),
)

OBSERVERS = {function: observer(step) for group, step in _STEPS for function in group}
