"""What changes the shape of scores and weights, or picks some of them, or puts a column beside them."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attnviz.recording.by_hand import elementwise, functions
from attnviz.recording.by_hand.axes import Axis, Factor, fresh, regrouped
from attnviz.recording.by_hand.called import Args, Called, Kwargs, Step, mark
from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.by_hand.provenance import Scores, Sink, Spread, Unknown, Weights, is_of_scores


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
    if func in functions.PERMUTE:
        given: Any = args[1:]
        if "dims" in kwargs:
            given = kwargs["dims"]
        elif len(given) == 1 and not isinstance(given[0], int):
            given = given[0]
        return [place % dimensions for place in given]
    order = list(range(dimensions))
    if func in functions.READ_T:
        return order[::-1]
    if func in functions.T:
        one, other = 0, dimensions - 1
    elif func in functions.READ_MT:
        one, other = dimensions - 2, dimensions - 1
    else:
        one, other = (*args[1:], *kwargs.values())
    one, other = one % dimensions, other % dimensions
    order[one], order[other] = order[other], order[one]
    return order


def _same(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if node is not None and call.output is not call.args[0] and call.output.shape == call.args[0].shape:
        call.hand.table.put(call.output, node)


def _same_in_value(call: Called) -> None:
    """Dropout and NaN to 0: weights stay weights; scores become something else."""
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Weights):
        dropped = call.func in functions.DROPOUT and _drops(call.args, call.kwargs)
        call.hand.table.put(call.output, replace(node, dropped=node.dropped or dropped))
    elif isinstance(node, Scores):
        call.hand.table.put(call.output, replace(node, opaque=True))
    elif isinstance(node, Unknown):
        call.hand.table.put(call.output, node)


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
        elif node.pending.of_scores and call.output.ndim == source.ndim:
            # A part of the weights multiplies values of its own.
            call.hand.table.put(call.output, Unknown((*node.dims[:-1], fresh(call.output.shape[-1]))))


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
        if dim == 0 and call.output.ndim == 3 and len({tensor.shape for tensor in tensors}) == 1:
            # Heads that lie behind each other, all items of one and then all of the next.
            call.hand.remember_merge(call.output, len(tensors), tensors[0].shape[0])
        if len(tensors) == 2 and call.output.ndim > 1 and dim in (-1, call.output.ndim - 1):
            call.hand.table.put(call.output, mark(call.output, "joined"))
        return
    place = dim % call.output.ndim
    if len(tensors) != 2 or len(scores) != 1 or scores[0].sink is not None:
        if any(is_of_scores(node) for node in nodes):
            groups = tuple(fresh(size) for size in call.output.shape)
            call.hand.table.put(call.output, Unknown(groups))
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


STEPS: tuple[tuple[tuple[Any, ...], Step], ...] = (
    (functions.VIEWS, _view),
    (functions.PERMUTATIONS, _permute),
    (functions.SAME, _same),
    (functions.SAME_IN_VALUE, _same_in_value),
    (functions.GET, _get),
    (functions.SET, _set),
    (functions.CAT, _cat),
)
