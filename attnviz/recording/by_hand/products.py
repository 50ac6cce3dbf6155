"""Products: queries × keys, weights × values, and what else has the form of one."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attnviz.recording.by_hand import elementwise, functions, linear, unknown
from attnviz.recording.by_hand.axes import Axis, Dims, Factor, all_leaves, leaves, regrouped
from attnviz.recording.by_hand.call import AsMade
from attnviz.recording.by_hand.called import Called, Step, dimensions, mark
from attnviz.recording.by_hand.hand import Hand, meet_values
from attnviz.recording.by_hand.letters import Contraction, of_einsum, of_matmul
from attnviz.recording.by_hand.provenance import Gates, Mark, Product, Scores, Spread, Weights, is_learnt
from attnviz.recording.by_hand.weights import gates_met, waiting
from attnviz.recording.recording import Recording
from attnviz.recording.tensors import autocast_of
from attnviz.recording.windows.chains import Chains


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
            hand.table.put(output, mark(output, "additive"))
            return
        if isinstance(node, Weights | Gates):
            _times_values(hand, recording, contraction, node, output, matrix=matrix, on_the_left=other_is_right)
            return
    summed = contraction.summed()
    if any(
        isinstance(node, Scores) and _mixed(hand, contraction, node, output, node is left) for node in (left, right)
    ):
        return
    unknown.met_values(hand, recording, contraction, (left, right))
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
    chains = recording.state(Chains)
    product = Product(
        left=Factor.of(contraction.left, left_dims),
        right=Factor.of(contraction.right, right_dims),
        inner=tuple(axis for letter in summed for axis in contraction.group(letter, left_dims, right_dims)),
        rows=rows,
        cols=cols,
        learnt=is_learnt(contraction.left) or is_learnt(contraction.right),
        autocast=autocast_of(contraction.left),
        merged=hand.merge_of(contraction.left) or hand.merge_of(contraction.right),
        links=(chains.link(contraction.left), chains.link(contraction.right)),
    )
    hand.table.put(output, Scores(_refilled(dims, output), product))


def _mixed(hand: Hand, contraction: Contraction, node: Scores, output: Tensor, on_the_left: bool) -> bool:
    """Scores of several heads were mixed, as talking heads are: pairs of queries and keys they still are."""
    left, right, dims = contraction.dims(left=node.dims) if on_the_left else contraction.dims(right=node.dims)
    over = {axis for letter in contraction.summed() for axis in leaves(contraction.group(letter, left, right))}
    queries, keys = node.product.left.axes(), node.product.right.axes()
    there = set(all_leaves(dims))
    if node.product.learnt or not over or not over <= queries & keys:
        return False
    if not (there & (queries - keys) and there & (keys - queries)):
        return False
    hand.table.put(output, replace(node, dims=_refilled(dims, output), opaque=True))
    return True


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
    keys = set(leaves(node.keys))
    if set(summed) != keys:
        if not set(summed) & keys and keys <= set(all_leaves(dims)) and node.pending in hand.open:
            # Heads were mixed: what they were mixed to is what may multiply values.
            mixed = waiting(hand, recording, _refilled(dims, output), leaves(node.keys), output, "stored")
            if mixed is not None and not node.pending.values_seen:
                mixed.pending.normalised = False
                hand.open.remove(node.pending)
                hand.table.put(output, mixed)
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
        call.hand.table.put(call.output, mark(call.output, kind))


def _cumsum(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Spread):
        (place,) = dimensions(call.args, call.kwargs, call.args[0].ndim)
        sums = linear.summed_up(node.contraction, place)
        if sums is not None:
            call.hand.table.put(call.output, sums)


def sum_of_products(call: Called) -> None:
    """A sum of what was multiplied entry by entry before."""
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Mark) and node.kind == "tanh":
        call.hand.table.put(call.output, mark(call.output, "additive"))
    elif isinstance(node, Spread):
        over = dimensions(call.args, call.kwargs, call.args[0].ndim)
        letters = "".join(letter for place, letter in enumerate(node.contraction.output_letters) if place not in over)
        contraction = replace(node.contraction, output_letters=letters)
        if contraction.summed():
            _product(call.hand, call.recording, contraction, call.output, matrix=False)


STEPS: tuple[tuple[tuple[Any, ...], Step], ...] = (
    (functions.MATMUL, _matmul),
    (functions.EINSUM, _einsum),
    (functions.BADDBMM, _baddbmm),
    (functions.LINEAR, _linear),
    (functions.CUMSUM, _cumsum),
)
