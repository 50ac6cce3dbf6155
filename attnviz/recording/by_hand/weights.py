"""Where scores become weights: what they were made of is kept, or the weights themselves."""

from dataclasses import replace

from torch import Tensor

from attnviz.attention import Form
from attnviz.recording.by_hand.arrange import Axes
from attnviz.recording.by_hand.axes import Dims, Factor, fresh, leaves
from attnviz.recording.by_hand.call import AS_MADE, ByHand
from attnviz.recording.by_hand.hand import Hand, Open, fix, keep_as_made
from attnviz.recording.by_hand.interpret import (
    Sides,
    arranged,
    formula_of,
    is_what_was_made,
    sides,
    trail_of,
    weights_in_form,
)
from attnviz.recording.by_hand.provenance import Gates, Mark, Node, Scores, Unknown, Weights
from attnviz.recording.recording import Recording
from attnviz.recording.windows.chains import Chains


def weights_made(hand: Hand, recording: Recording, scores: Scores, group: Axes, output: Tensor) -> Weights | None:
    """A softmax of scores over one dimension. It is attention where they are products of queries and keys."""
    over = leaves(group)
    keys = over
    if scores.sink is not None:
        if over != (scores.sink.extended,):
            return None
        keys = leaves(scores.sink.keys)
    found = sides(scores, keys)
    if found is None or scores.product.learnt or scores.of is not None:
        # A linear map, or a softmax over heads or items: only values can make it attention.
        return waiting(hand, recording, scores.dims, over, output, "stored")
    one = hand.begin(recording, tuple(output.shape), keys)
    if one is None:
        return None
    one.merged, one.links, one.sink = scores.product.merged, scores.product.links, scores.sink
    made = Factor(output.detach(), scores.dims)
    if not _keep(one, scores, found, made):
        return None
    if isinstance(one.call, ByHand) and one.arrangement is not None:
        one.call.trail = trail_of(found, one.arrangement, leaves(scores.product.inner), recording.state(Chains))
    return Weights(scores.dims, over, one)


def gates_met(hand: Hand, recording: Recording, gates: Gates, tensor: Tensor, keys: Axes) -> Weights | None:
    """A sigmoid of scores that multiplies values: attention without a softmax."""
    scores = replace(gates.scores, dims=gates.dims)
    found = sides(scores, keys)
    if found is None or scores.sink is not None:
        return None
    one = hand.begin(recording, tuple(tensor.shape), keys)
    if one is None:
        return None
    one.merged, one.links = scores.product.merged, scores.product.links
    kept = _keep(one, scores, found, Factor(tensor.detach(), gates.dims), gates.factor)
    return Weights(gates.dims, keys, one) if kept else None


def pooled(hand: Hand, recording: Recording, node: Node | None, place: int, output: Tensor) -> Weights | None:
    """A softmax of something else than scores: attention once it multiplies values along this dimension."""
    dims = tuple(fresh(size) for size in output.shape)
    form: Form = "additive" if isinstance(node, Mark) and node.kind == "additive" else "stored"
    found = waiting(hand, recording, dims, dims[place], output, form)
    if found is not None:
        found.pending.of_scores = isinstance(node, Unknown)
    return found


def waiting(hand: Hand, recording: Recording, dims: Dims, keys: Axes, output: Tensor, form: Form) -> Weights | None:
    """Weights that are kept once they multiply values along the keys."""
    one = hand.begin(recording, tuple(output.shape), keys)
    if one is None:
        return None
    one.made, one.form = Factor(output.detach(), dims), form
    return Weights(dims, keys, one)


def _keep(one: Open, scores: Scores, found: Sides, made: Factor, gates: float = 0.0) -> bool:
    """Queries, keys and what happened to their products, if that gives these weights; else the weights."""
    arrangement = arranged(scores, one.keys, found, one.hint)
    weights = weights_in_form(made.tensor, made.dims, arrangement, one.sink)
    if weights is None:
        return False
    weights = weights.expand(arrangement.sizes)
    formula = formula_of(scores, arrangement, found)
    if formula is not None and (gates and formula.cap is not None):
        formula = None
    if formula is None or not is_what_was_made(formula, weights, gates=gates):
        keep_as_made(one, arrangement, weights, AS_MADE, normalised=not gates)
        return True
    one.arrangement = arrangement
    one.call = ByHand(
        module=one.module, run=one.run, formula=formula, query=formula.query, key=formula.key, gates=gates
    )
    fix(one)
    return True
