"""The part of an attention that a figure draws: its weights, what is absent, and what its rows and columns are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

import numpy as np
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnviz.attention import Attention, DotProduct, RowState
from attnviz.attention.combine import combine
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures.escape import tick_labels, whole_labels
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import Tokens

Head = int | Literal["mean", "maximum"]
Positions = slice | Sequence[int] | None
Weights = Float[np.ndarray | Tensor, "n m"] | Float[np.ndarray | Tensor, "heads n m"]


@dataclass(frozen=True, eq=False)
class Tile:
    """Some rows and columns of one head (or of a mean or maximum that says so).

    `counts` is the number of keys each query may see, over all keys and not only those of this tile, so
    1 / counts is the baseline of a softmax. `sinks` is the part of each row that went to a sink; 0 without.
    `rows` and `columns` are the tokens' positions; labels are whole, ticks are short and mark what was generated.
    """

    weights: Float[np.ndarray, "n m"]
    allowed: Bool[np.ndarray, "n m"]
    states: Int[np.ndarray, " n"]
    counts: Int[np.ndarray, " n"]
    sinks: Float[np.ndarray, " n"]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    query_labels: tuple[str, ...]
    key_labels: tuple[str, ...]
    query_ticks: tuple[str, ...]
    key_ticks: tuple[str, ...]
    head: str
    baseline: bool

    def uniform(self, row: int) -> float:
        """1/N for the row-th query of the tile; NaN where the weights are no softmax or nothing is allowed."""
        return 1.0 / int(self.counts[row]) if self.baseline and self.counts[row] else float("nan")

    @property
    def beyond(self) -> bool:
        """Whether some weights lie below 0 or above 1, as no share does; rounding is no reason."""
        with np.errstate(invalid="ignore"):
            return bool(((self.weights < 0) | (self.weights > 1 + 1e-3)).any())

    def row_of(self, position: int | None) -> int | None:
        """The row of the tile that holds the query at this position, if any."""
        return self.rows.index(position) if position in self.rows else None

    def column_of(self, position: int | None) -> int | None:
        """The column of the tile that holds the key at this position, if any."""
        return self.columns.index(position) if position in self.columns else None


Source = Attention | Weights | Tile


class Cut(TypedDict, total=False):
    """What is looked at, as keyword arguments that every function over a `Source` takes.

    head: its number, or "mean" or "maximum" over all. item: in the batch. rows, cols: positions of the queries
    and keys shown; if not given, all that are no padding. query_tokens, key_tokens: labels, where the attention's own are not wanted. For arrays
    only: `allowed` says which pairs the mask lets through, `normalised` whether each row is a softmax.
    """

    head: Head
    item: int
    rows: Positions
    cols: Positions
    query_tokens: Tokens | Sequence[str] | None
    key_tokens: Tokens | Sequence[str] | None
    allowed: Bool[np.ndarray | Tensor, "..."] | None
    normalised: bool


def cut(source: Source, **options: Unpack[Cut]) -> Tile:
    """The tile of an `Attention`, or of an array of weights "n m" or "heads n m"; a tile stays as it is.

    Raises `InputError` for a head or a position that does not exist, or labels that do not fit.
    """
    if isinstance(source, Tile):
        return source
    if isinstance(source, Attention):
        return _of_attention(source, **options)  # type: ignore[misc]  # the array's own options are refused
    return _of_array(source, **options)  # type: ignore[misc]  # and the attention's


def head_name(head: Head, heads: int) -> str:
    """ "head 3", "mean of 12 heads": the words that go into titles."""
    if head == "mean":
        return _("mean of {count} heads", count=heads)
    if head == "maximum":
        return _("maximum of {count} heads", count=heads)
    return _("head {head}", head=head)


def _of_attention(
    source: Attention,
    *,
    head: Head = 0,
    item: int = 0,
    rows: Positions = None,
    cols: Positions = None,
    query_tokens: Tokens | Sequence[str] | None = None,
    key_tokens: Tokens | Sequence[str] | None = None,
) -> Tile:
    n, m = source.shape
    _check_head(head, source.heads)
    one = head if isinstance(head, int) else None
    row_positions = _positions(rows, n) if rows is not None else source.query_tokens_of(item).shown()
    columns = _positions(cols, m) if cols is not None else source.key_tokens_of(item).shown()
    whole = to_numpy(source.allowed(one, item, rows=row_positions))
    states = to_numpy(source.row_state(one, item))[..., list(row_positions)]
    return _assemble(
        _weights(source, head, item, row_positions, columns),
        whole,
        states,
        row_positions,
        columns,
        _Side.of(query_tokens if query_tokens is not None else source.query_tokens_of(item), n),
        _Side.of(key_tokens if key_tokens is not None else source.key_tokens_of(item), m),
        head_name(head, source.heads),
        source.normalised and head != "maximum",
        _sinks(source, one, item, row_positions),
    )


def _weights(
    source: Attention, head: Head, item: int, rows: tuple[int, ...], columns: tuple[int, ...]
) -> Float[np.ndarray, "n m"]:
    if isinstance(head, int):
        return to_numpy(source.weights(head, item, rows=rows, cols=columns))
    # Whole rows: which heads take part in a row is seen from all of its keys.
    return to_numpy(combine(source.weights(None, item, rows=rows), head))[:, list(columns)]


def _sinks(source: Attention, head: int | None, item: int, rows: tuple[int, ...]) -> Float[np.ndarray, " n"] | None:
    """The sinks' part of these rows, a mean over the heads for a combination; None where there are no sinks."""
    if not isinstance(source.scores, DotProduct) or source.scores.sinks is None:
        return None
    mass = to_numpy(source.sink_mass(head, item))[..., list(rows)].astype(np.float64)
    return mass if mass.ndim == 1 else mass.mean(0)


def _of_array(
    source: Weights,
    *,
    head: Head = 0,
    rows: Positions = None,
    cols: Positions = None,
    query_tokens: Tokens | Sequence[str] | None = None,
    key_tokens: Tokens | Sequence[str] | None = None,
    allowed: Bool[np.ndarray | Tensor, "..."] | None = None,
    normalised: bool = True,
) -> Tile:
    values = to_numpy(source)
    heads = values.shape[0] if values.ndim == 3 else 1
    _check_head(head, heads)
    n, m = values.shape[-2:]
    permitted = np.ones(values.shape, bool) if allowed is None else np.broadcast_to(to_numpy(allowed), values.shape)
    states = states_of(values, permitted)
    if values.ndim == 3:
        if isinstance(head, int):
            values, permitted, states = values[head], permitted[head], states[head]
        else:
            values = to_numpy(combine(_tensor(values), head))
    row_positions, columns = _positions(rows, n), _positions(cols, m)
    return _assemble(
        values[np.ix_(row_positions, columns)],
        permitted[..., list(row_positions), :],
        states[..., list(row_positions)],
        row_positions,
        columns,
        _Side.of(query_tokens, n),
        _Side.of(key_tokens, m),
        head_name(head, heads) if heads > 1 else "",
        normalised and head != "maximum",
    )


def _assemble(
    weights: Float[np.ndarray, "n m"],
    whole: Bool[np.ndarray, "..."],
    states: Int[np.ndarray, "..."],
    rows: tuple[int, ...],
    columns: tuple[int, ...],
    queries: "_Side",
    keys: "_Side",
    head: str,
    baseline: bool,
    sinks: Float[np.ndarray, " n"] | None = None,
) -> Tile:
    """Puts a tile together; a leading axis of heads in `whole` and `states` is combined.

    In a combination a pair is allowed if any head allows it, and a row is normal if any head's row is.
    """
    counts = np.asarray(whole.sum(-1))
    if whole.ndim == 3:
        baseline = baseline and bool((counts == counts[:1]).all())
        counts, whole, states = np.max(counts, 0), np.any(whole, 0), np.min(states, 0)
    return Tile(
        weights=weights,
        allowed=whole[:, list(columns)],
        states=states,
        counts=counts,
        sinks=np.zeros(len(rows)) if sinks is None else sinks,
        rows=rows,
        columns=columns,
        query_labels=tuple(queries.labels[position] for position in rows),
        key_labels=tuple(keys.labels[position] for position in columns),
        query_ticks=tuple(queries.ticks[position] for position in rows),
        key_ticks=tuple(keys.ticks[position] for position in columns),
        head=head,
        baseline=baseline,
    )


def states_of(
    weights: Float[np.ndarray, "*heads n m"], allowed: Bool[np.ndarray, "*heads n m"]
) -> Int[np.ndarray, "*heads n"]:
    """The `RowState` of every row of an array: nothing allowed, a NaN among the allowed, all zero, or normal."""
    states = np.full(weights.shape[:-1], int(RowState.NORMAL))
    states[(np.where(allowed, weights, 0) == 0).all(-1)] = RowState.ZERO
    states[(np.isnan(weights) & allowed).any(-1)] = RowState.NAN
    states[~allowed.any(-1)] = RowState.MASKED
    return states


def _positions(chosen: Positions, length: int) -> tuple[int, ...]:
    if chosen is None:
        return tuple(range(length))
    if isinstance(chosen, slice):
        return tuple(range(*chosen.indices(length)))
    positions = tuple(int(position) for position in chosen)
    for position in positions:
        if not 0 <= position < length:
            raise InputError(
                _m("Position {position} does not exist; there are {length}, counted from 0."),
                position=position,
                length=length,
            )
    return positions


@dataclass(frozen=True)
class _Side:
    """What the queries, or the keys, are called: whole and in short."""

    labels: tuple[str, ...]
    ticks: tuple[str, ...]

    @classmethod
    def of(cls, tokens: Tokens | Sequence[str] | None, count: int) -> "_Side":
        found = whole_labels(tokens, count)
        if len(found) != count:
            raise InputError(_m("{found} labels were given for {expected} tokens."), found=len(found), expected=count)
        return cls(found, tick_labels(tokens, found))


def _check_head(head: Head, heads: int) -> None:
    if isinstance(head, int) and not 0 <= head < heads:
        raise InputError(_m("Head {head} does not exist; there are {heads}, counted from 0."), head=head, heads=heads)


def _tensor(values: Float[np.ndarray, "heads n m"]) -> Float[Tensor, "heads n m"]:
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))
