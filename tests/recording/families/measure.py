"""How far recorded weights are from what a model really used, for one family of models and one mechanism."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from attnviz.attention import Attention, DotProduct, RowState
from attnviz.trace import Trace

# Up to this score rounding of a float32 softmax stays below the bound.
MODERATE, BOUND = 64.0, 1e-5

EAGER = "its own weights, same pass"
FLOAT64 = "softmax(q·kᵀ) in float64"


@dataclass(frozen=True)
class Run:
    """A recorded pass, and for each attention, in the order of the trace, the weights "items heads n m" it is held against."""

    trace: Trace
    references: Sequence[Tensor]
    against: str


@dataclass(frozen=True)
class Case:
    """A family, a mechanism, and how a small random model of it is run."""

    family: str
    mechanism: str
    run: Callable[[], Run]


@dataclass(frozen=True)
class Measured:
    """What one case gave; a row of the table.

    bound: what the error may be. masked: how many rows have no key, and are left out.
    """

    layers: int
    expected: int
    error: float
    bound: float
    largest_score: float | None
    masked: int
    checked: int
    against: str

    @property
    def holds(self) -> bool:
        """Every attention was found, and its weights are right."""
        return self.layers == self.expected and self.error <= self.bound


def measure(case: Case) -> Measured:
    """Runs a case and compares, cell by cell, in the rows that have a key."""
    run = case.run()
    error = bound = 0.0
    largest: float | None = None
    masked = 0
    for attention, reference in zip(run.trace, run.references, strict=False):
        here, allowed, rows = _compare(attention, reference)
        error, bound, masked = max(error, here), max(bound, allowed), masked + rows
        if isinstance(attention.scores, DotProduct):
            largest = max(largest or 0.0, _largest_score(attention))
    return Measured(
        layers=len(run.trace),
        expected=len(run.references),
        error=error,
        bound=bound,
        largest_score=largest,
        masked=masked,
        checked=sum(found.check is not None and found.check.agrees for found in run.trace),
        against=run.against,
    )


def _compare(attention: Attention, reference: Tensor) -> tuple[float, float, int]:
    """The greatest difference, what it may be, and how many rows have no key."""
    assert tuple(reference.shape) == (attention.items, attention.heads, *attention.shape), attention.name
    error, masked = 0.0, 0
    for item in range(attention.items):
        with_keys = attention.row_state(None, item) != RowState.MASKED
        masked += int((~with_keys).sum())
        # Padding that asks has weights of which nobody makes use, and fast paths leave them out.
        padding = attention.query_tokens_of(item).padding
        if padding is not None:
            with_keys &= ~torch.tensor(padding)
        difference = (attention.weights(None, item).double() - reference[item].double()).abs()[with_keys]
        known = difference[~difference.isnan()]
        error = max(error, float(known.max()) if known.numel() else 0.0)
    return error, _bound(attention), masked


def _largest_score(attention: Attention) -> float:
    scores = [
        attention.logits(None, item).where(attention.allowed(None, item), 0).nan_to_num(0, 0, 0).abs().max()
        for item in range(attention.items)
    ]
    return float(max(scores))


def _bound(attention: Attention) -> float:
    """1e-5; where scores are greater than 64, twice what a float32 softmax errs by on these very scores."""
    if not isinstance(attention.scores, DotProduct) or _largest_score(attention) <= MODERATE:
        return BOUND
    exact = attention.on(attention.device)
    error = 0.0
    for item in range(attention.items):
        forbidden = ~exact.allowed(None, item)
        scores = exact.logits(None, item)
        single = scores.masked_fill(forbidden, -torch.inf).softmax(-1)
        double = scores.double().masked_fill(forbidden, -torch.inf).softmax(-1)
        rounded = scores.nextafter(scores * 2).masked_fill(forbidden, -torch.inf).softmax(-1)
        error = max(error, *(float((one - double).abs().nan_to_num(0).max()) for one in (single, rounded)))
    return max(BOUND, 2 * error)


class Spy(TorchFunctionMode):
    """Computes in float64, beside the model and apart from the recording, what F.scaled_dot_product_attention weighs."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: list[Tensor] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is F.scaled_dot_product_attention:
            names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
            self.weights.append(_weights(**(dict(zip(names, args, strict=False)) | (kwargs or {}))))
        return func(*args, **(kwargs or {}))


def _weights(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As the page of the function in the PyTorch documentation states it, in float64."""
    query, key = query.double(), key.double()
    key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -torch.inf)
    if attn_mask is not None:
        scores = (
            scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask.double()
        )
    return scores.softmax(-1)
