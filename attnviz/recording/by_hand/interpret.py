"""Scores in the terms of an attention, compared with the weights that the model made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.recording.by_hand.arrange import Arrangement, Axes, arrange
from attnviz.recording.by_hand.axes import Dims, Factor, leaves
from attnviz.recording.by_hand.call import Formula
from attnviz.recording.by_hand.elementwise import LOWEST
from attnviz.recording.by_hand.provenance import Scores, Sink
from attnviz.recording.sample import sampled_rows
from attnviz.recording.windows.chains import Chains, Link, Trail

# Rounding of a score that was computed in another order, for each unit of its size.
_ROUNDINGS, _ROUNDINGS_A_SCORE = 64.0, 8.0


@dataclass(frozen=True, eq=False, slots=True)
class Sides:
    """Which of the two factors are queries and which keys; rows: the axes of the queries where a product tells.

    links: how queries and keys were laid out, where that is known.
    """

    query: Factor
    key: Factor
    rows: Axes | None
    links: tuple[Link | None, Link | None]


def sides(scores: Scores, keys: Axes) -> Sides | None:
    """The keys are what the softmax runs over; None where it runs over what both depend on, or neither."""
    product = scores.product
    matrix = bool(product.rows or product.cols)
    left, right, over = product.left.axes(), product.right.axes(), set(keys)
    if over <= right and not over & left:
        return Sides(product.left, product.right, leaves(product.rows) if matrix else None, product.links)
    if over <= left and not over & right:
        return Sides(product.right, product.left, leaves(product.cols) if matrix else None, product.links[::-1])
    return None


def trail_of(found: Sides, arrangement: Arrangement, inner: Axes, chains: Chains) -> Trail | None:
    """How queries and keys came about, in the form that they are kept in; None where there is nothing to tell."""

    def in_form(link: Link | None, factor: Factor, form: Callable[[Factor], Tensor | None]) -> Link | None:
        shape = None if link is None or link.shape != factor.tensor.shape else form(factor)
        if link is None or shape is None:
            return None
        dims = factor.dims  # and not the factor, which would keep its tensor
        return Link(shape.shape, (link,), lambda numbers: form(Factor(numbers, dims)), length=link.length + 1)

    query = in_form(found.links[0], found.query, lambda factor: arrangement.of_queries(factor, inner))
    key = in_form(found.links[1], found.key, lambda factor: arrangement.of_keys(factor, inner))
    return chains.trail(query, key, arrangement.sizes[0])


def arranged(scores: Scores, keys: Axes, found: Sides, hint: int | None) -> Arrangement:
    """Items, heads, queries and keys."""
    dims = tuple(
        keys if scores.sink is not None and group == (scores.sink.extended,) else group for group in scores.dims
    )
    shared = found.key.axes() - set(leaves(scores.product.inner)) | set(keys)
    return arrange(dims, keys, frozenset(shared), found.rows, hint)


def formula_of(scores: Scores, arrangement: Arrangement, found: Sides) -> Formula | None:
    """Everything with items, heads, queries and keys written out; None where something else happened to the scores."""
    if scores.opaque or (scores.cap is not None and scores.cap <= 0):
        return None
    width = leaves(scores.product.inner)
    query = arrangement.of_queries(found.query, width)
    key = arrangement.of_keys(found.key, width)
    if query is None or key is None:
        return None
    for gain in scores.gains:
        if gain.axes() <= found.query.axes():
            factor = arrangement.pairs(gain)
            query = query if factor is None else query * factor
        else:
            factor = arrangement.of_keys(gain, ())
            key = key if factor is None else key * factor
    terms = [(term.factor, arrangement.pairs(term.tensor)) for term in scores.terms]
    forbidden = [(arrangement.pairs(one.tensor), one.when, one.low) for one in scores.forbidden]
    sinks = None if scores.sink is None else _sinks(scores.sink, arrangement)
    if scores.sink is not None and sinks is None:
        return None
    return Formula(
        query=query,
        key=key,
        scale=scores.scale,
        cap=scores.cap,
        shift=scores.shift,
        terms=tuple((factor, tensor) for factor, tensor in terms if tensor is not None),
        forbidden=tuple((tensor, when, low) for tensor, when, low in forbidden if tensor is not None),
        sinks=sinks,
        autocast=scores.product.autocast,
    )


def with_sink(arrangement: Arrangement, sink: Sink | None) -> Arrangement:
    """The arrangement of weights that have the sink's column beside the keys."""
    if sink is None:
        return arrangement
    return Arrangement(arrangement.items, arrangement.heads, arrangement.queries, (sink.extended,), arrangement.shared)


def weights_in_form(output: Tensor, dims: Dims, arrangement: Arrangement, sink: Sink | None) -> Tensor | None:
    """The weights that the model made, "items heads n m", without the sink's column."""
    made = with_sink(arrangement, sink).pairs(Factor(output.detach(), dims))
    if made is None or sink is None:
        return made
    return made[..., 1:] if sink.first else made[..., :-1]


def is_what_was_made(formula: Formula, made: Tensor, *, gates: float = 0.0) -> bool:
    """Whether the formula gives the weights that the model made, in a few rows.

    Rows that are low throughout have no weights here, so it is no matter what the model made of them, unless they
    are not so low that this is what they mean.
    """
    if made.is_meta or 0 in made.shape:
        return True
    rows = sampled_rows(made.shape[2])
    scores = formula.scores(rows)
    expected = _softmax(scores, formula.sinks) if not gates else gates * scores.sigmoid()
    found = made[:, :, rows.start :: rows.step].to(expected.dtype)
    counted = scores.amax(-1, keepdim=True) > LOWEST
    difference = (expected - found).abs().where(counted, 0)
    # Comparisons with NaN are false: a NaN on either side counts as a difference unless both have it.
    same_nan = expected.isnan() & found.isnan()
    largest = float(difference.masked_fill(same_nan, 0).amax())
    finite = scores.where(scores > LOWEST, 0).nan_to_num(0, 0, 0)
    rounding = max(torch.finfo(made.dtype).eps, _eps(formula))
    allowed = rounding * (_ROUNDINGS + _ROUNDINGS_A_SCORE * float(finite.abs().amax()))
    return largest <= allowed and not _uniform_rows(formula)


def _softmax(scores: Tensor, sinks: Tensor | None) -> Tensor:
    if sinks is None:
        return scores.softmax(-1)
    column = sinks.to(scores.dtype)[None, :, None, None].expand(*scores.shape[:3], 1)
    return torch.cat([scores, column], -1).softmax(-1)[..., :-1]


def _eps(formula: Formula) -> float:
    dtypes: Sequence[torch.dtype] = (formula.query.dtype, formula.autocast or torch.float64)
    return max(torch.finfo(dtype).eps for dtype in dtypes)


def _uniform_rows(formula: Formula) -> bool:
    """Whether a whole row is set to a score that is low but does not mean "not allowed": its weights are all the same."""
    return any(
        low > LOWEST and bool((tensor.bool() if when else ~tensor.bool()).all(-1).any())
        for tensor, when, low in formula.forbidden
    )


def _sinks(sink: Sink, arrangement: Arrangement) -> Tensor | None:
    """One number for each head; None where it is not the same for all items and queries."""
    column = sink.tensor.in_form((arrangement.items, arrangement.heads, arrangement.queries, ()))
    if column is None:
        return None
    first = column[:1, :, :1]
    if column.shape != first.shape and not bool((column == first).all()):
        return None
    heads = arrangement.sizes[1]
    return first[0, :, 0, 0].expand(heads)
