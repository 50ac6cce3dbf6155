"""Linear attention, φ(q)(φ(k)ᵀv): products of three in which no weight is ever made (arXiv 2006.16236).

It is told from other products of three by its features: neither φ(q) nor φ(k) is ever negative.
"""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attnviz.base.language import _m
from attnviz.recording.by_hand.arrange import Axes, arrange
from attnviz.recording.by_hand.axes import Axis, Dims, Factor, leaves, regrouped
from attnviz.recording.by_hand.call import Features
from attnviz.recording.by_hand.hand import Hand, Open, column_of_output, fix, meet_values
from attnviz.recording.by_hand.interpret import sides
from attnviz.recording.by_hand.letters import Contraction, equation
from attnviz.recording.by_hand.provenance import LinearOutput, Node, Scores, Sums, Weights, is_learnt
from attnviz.recording.recording import Recording

NO_WEIGHTS = _m(
    "“{name}” is linear attention: it has no softmax weights. implicit=True records the weights that its output "
    "amounts to."
)


def product(
    hand: Hand,
    recording: Recording,
    contraction: Contraction,
    nodes: tuple[Node | None, Node | None],
    output: Tensor,
    *,
    normalised: bool = False,
) -> bool:
    """Whether this is the product of queries with keys × values; if so it is taken."""
    for node, other, on_the_left in ((nodes[0], nodes[1], True), (nodes[1], nodes[0], False)):
        if not isinstance(node, Scores | Sums) or isinstance(other, Scores):
            continue
        tensor = contraction.right if on_the_left else contraction.left
        if is_learnt(tensor) or tensor.is_meta:
            continue
        left, right, dims = contraction.dims(left=node.dims) if on_the_left else contraction.dims(right=node.dims)
        query = Factor.of(tensor, right if on_the_left else left)
        features = leaves(axis for letter in contraction.summed() for axis in contraction.group(letter, left, right))
        result = Factor(output.detach(), dims if len(dims) == output.ndim else regrouped(dims, output.shape) or dims)
        found = _parts(node, features)
        if found is None or not _are_features(query.tensor, found[0].tensor):
            continue
        _take(hand, recording, node, other, query, found, features, result, output, normalised=normalised)
        return True
    return False


def of_three(hand: Hand, recording: Recording, args: tuple[Any, ...], output: Tensor) -> None:
    """`einsum` of queries, keys × values, and what they are divided by."""
    if len(args) == 2 and isinstance(args[1], list | tuple):
        args = (args[0], *args[1])
    if len(args) != 4 or not isinstance(args[0], str):
        return
    tensors = args[1:]
    written = equation(args[0], [tensor.ndim for tensor in tensors])
    if written is None:
        return
    letters, result = written
    sums = [place for place in range(3) if isinstance(hand.table.get(tensors[place]), Scores | Sums)]
    if len(sums) != 1:
        return
    summed = {letter for letter in letters[sums[0]] if letter not in result}
    queries = [place for place in range(3) if place not in sums and summed <= set(letters[place])]
    if len(queries) != 1 or not summed:
        return
    one, other = sums[0], queries[0]
    contraction = Contraction(tensors[one], tensors[other], letters[one], letters[other], result)
    nodes = (hand.table.get(tensors[one]), hand.table.get(tensors[other]))
    product(hand, recording, contraction, nodes, output, normalised=True)


def summed_up(contraction: Contraction, place: int) -> Sums | None:
    """Outer products of keys and values that are summed up to each position."""
    left, right, dims = contraction.dims()
    along = dims[place]
    if not along or along not in left or along not in right:
        return None
    return Sums(dims, Factor.of(contraction.left, left), Factor.of(contraction.right, right), along)


def scaled(node: LinearOutput, other: Any, output: Tensor, *, inverse: bool = False) -> Node | None:
    """An output of linear attention that is divided by its weights' sum, or by a number."""
    one: Open = node.pending
    if not isinstance(one.call, Features) or one.call.column is None:
        return node
    if isinstance(other, Tensor) and other.numel() > 1:
        one.call.normalised = True
    elif isinstance(other, Tensor | int | float):
        one.call.factor *= 1 / float(other) if inverse else float(other)
    _look_at_output(one, Factor(output.detach(), node.dims))
    return node


def _look_at_output(one: Open, result: Factor) -> None:
    if one.call is not None and one.arrangement is not None and one.call.column is not None:
        column = column_of_output(one, result)
        if column is not None:
            one.call.column = (one.call.column[0], column)


def _parts(node: Scores | Sums, features: Axes) -> tuple[Factor, Factor, Axes] | None:
    """Keys, values and the axis of the keys: the keys are what has the features that are summed over."""
    if isinstance(node, Sums):
        for key, value in ((node.key, node.value), (node.value, node.key)):
            if set(features) <= key.axes() and not set(features) & value.axes():
                # Each query sums over the keys up to its own: they are the same positions, counted twice.
                again = (Axis(node.along[0].size),)
                return _renamed(key, node.along, again), _renamed(value, node.along, again), again
        return None
    if not node.is_plain or node.product.learnt or node.gains:
        return None
    found = sides(node, features)
    return None if found is None else (found.key, found.query, leaves(node.product.inner))


def _renamed(factor: Factor, old: Axes, new: Axes) -> Factor:
    return Factor(factor.tensor, tuple(new if group == old else group for group in factor.dims))


def _are_features(query: Tensor, key: Tensor) -> bool:
    """Whether neither is ever negative; a matrix that is applied twice is not meant."""
    if query.data_ptr() == key.data_ptr() or not (query.is_floating_point() and key.is_floating_point()):
        return False
    return query.numel() > 0 and key.numel() > 0 and bool(query.amin() >= 0) and bool(key.amin() >= 0)


def _take(
    hand: Hand,
    recording: Recording,
    node: Scores | Sums,
    other: Node | None,
    query: Factor,
    found: tuple[Factor, Factor, Axes],
    features: Axes,
    result: Factor,
    output: Tensor,
    *,
    normalised: bool,
) -> None:
    # The features may be softmaxes of their own, which are no attention then.
    for claimed in (getattr(node, "of", None), other.pending if isinstance(other, Weights) else None):
        if claimed in hand.open:
            hand.open.remove(claimed)
    key, value, keys = found
    one = hand.begin(recording, tuple(output.shape), keys)
    if one is None:
        return
    if not recording.options.implicit:
        hand.open.remove(one)
        hand.recorded.add(one.module)
        recording.note(NO_WEIGHTS, name=recording.modules.shown_name(one.module))
        return
    # The dimension of the features is none of the weights'; one with a single entry may be items or heads.
    lead = [group for group in query.dims if not group or not set(leaves(group)) <= set(features)]
    dims: Dims = (*(tuple(axis for axis in leaves(group) if axis not in features) for group in lead), keys)
    shared = (key.axes() - set(features)) | set(keys)
    arrangement = replace(arrange(dims, keys, frozenset(shared), None, one.hint), packed=False)
    queries, all_keys = arrangement.of_queries(query, features), arrangement.of_keys(key, features)
    if queries is None or all_keys is None:
        hand.open.remove(one)
        return
    one.arrangement = arrangement
    one.call = Features(
        module=one.module,
        run=one.run,
        query=queries,
        key=all_keys,
        normalised=normalised,
        causal=isinstance(node, Sums),
        factor=node.scale if isinstance(node, Scores) else 1.0,
    )
    fix(one)
    meet_values(one, recording, value, result, None, dropped=False)
    hand.table.put(output, LinearOutput(result.dims, one))
