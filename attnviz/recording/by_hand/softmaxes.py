"""A softmax, in one step or written out: where scores become weights."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attnviz.recording.by_hand import elementwise, functions
from attnviz.recording.by_hand.axes import leaves
from attnviz.recording.by_hand.called import Args, Called, Kwargs, Step, dimensions
from attnviz.recording.by_hand.entries import DIVIDED, DIVIDED_IN_PLACE, EXPONENTIAL, EXPONENTIAL_IN_PLACE, Pair, know
from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.by_hand.products import sum_of_products
from attnviz.recording.by_hand.provenance import OfScores, Scores
from attnviz.recording.by_hand.weights import pooled, weights_made


def _sum(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, OfScores) and node.kind == "exp":
        _reduced(call.hand, node, call.args, call.kwargs, call.output, "sum")
    else:
        sum_of_products(call)


def _log_sum_exp(call: Called) -> None:
    node = call.hand.table.get(call.args[0])
    if isinstance(node, Scores):
        _reduced(call.hand, node, call.args, call.kwargs, call.output, "lse")


def _reduced(hand: Hand, node: Scores | OfScores, args: Args, kwargs: Kwargs, output: Tensor, kind: str) -> None:
    scores = node if isinstance(node, Scores) else node.scores
    over = dimensions(args, kwargs, args[0].ndim)
    if len(over) != 1:
        return
    (place,) = over
    kept = tuple(() if number == place else group for number, group in enumerate(node.dims))
    dims = kept if output.ndim == len(kept) else (*kept[:place], *kept[place + 1 :])
    hand.table.put(output, OfScores(dims, kind, scores, leaves(node.dims[place])))


def _softmax(call: Called) -> None:
    source = call.args[0] if call.args else call.kwargs["input"]
    dim = call.kwargs.get("dim", call.args[1] if len(call.args) > 1 else None)
    if not isinstance(dim, int) or call.output.ndim == 0:
        return
    place = dim % call.output.ndim
    node = call.hand.table.get(source)
    if isinstance(node, Scores) and call.func in functions.SOFTMIN:
        node = elementwise.times(node, -1.0) or replace(node, opaque=True)
    if isinstance(node, Scores):
        weights = weights_made(call.hand, call.recording, node, node.dims[place], call.output)
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
            weights = weights_made(call.hand, call.recording, scores, node.over, call.output)
            if weights is None:
                call.hand.table.drop(call.output)
            else:
                call.hand.table.put(call.output, weights)

    return both


def _maximum(call: Called) -> None:
    """The maximum of each row, or the greater of scores and a bound."""
    node = call.hand.table.get(call.args[0])
    if not isinstance(node, Scores):
        return
    other = call.args[1] if len(call.args) > 1 else call.kwargs.get("other")
    if isinstance(other, Tensor):
        know(
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


STEPS: tuple[tuple[tuple[Any, ...], Step], ...] = (
    (functions.DIV, _then_weights(DIVIDED)),
    (functions.DIV_, _then_weights(DIVIDED_IN_PLACE)),
    (functions.EXP, _then_weights(EXPONENTIAL)),
    (functions.EXP_, _then_weights(EXPONENTIAL_IN_PLACE)),
    (tuple({*functions.MAXIMUM, *functions.ROW_MAXIMUM}), _maximum),
    (functions.SUM, _sum),
    (functions.LOG_SUM_EXP, _log_sum_exp),
    ((*functions.SOFTMAX, *functions.ATEN_SOFTMAX, *functions.SOFTMIN), _softmax),
    (functions.LOG_SOFTMAX, _log_softmax),
)
