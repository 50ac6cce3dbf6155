"""How far recorded weights are from what a model really used, for one family of models and one mechanism."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from attnviz.attention import Attention, DotProduct, RowState
from attnviz.trace import Trace

# Up to this score, rounding in a float32 softmax stays below the bound.
MOST, BOUND = 64.0, 1e-5

# What a small model's attention must have to prove anything: nearly uniform weights are right by chance.
PEAKED = 0.4

EAGER = "its own weights, same pass"
FLOAT64 = "softmax(q·kᵀ) in float64"


@dataclass(frozen=True)
class Run:
    """A recorded pass, and for each attention, in the order of the trace, the weights "items heads n m" it is held against.

    without: how many layers there are of which recording says that they have no weights.
    """

    trace: Trace
    references: Sequence[Tensor]
    against: str
    without: int = 0


@dataclass(frozen=True)
class Case:
    """A family, a mechanism, and how a small random model of it is run."""

    family: str
    mechanism: str
    run: Callable[[], Run]


@dataclass(frozen=True)
class Measured:
    """What one case gave; a row of the table.

    peak: the mean of the rows' greatest weights, where they are a softmax. masked: how many rows have no key, and are
    left out. reason: what recording said of layers that it showed no weights of.
    """

    layers: int
    expected: int
    error: float
    largest_score: float | None
    peak: float | None
    masked: int
    checked: int
    against: str
    reason: str

    @property
    def holds(self) -> bool:
        """Every attention was found, its weights are right and prove something, and the self-check confirms it."""
        if self.reason:
            return self.layers == 0
        found = self.layers == self.expected == self.checked > 0
        peaked = self.peak is None or self.peak >= PEAKED
        moderate = self.largest_score is None or self.largest_score <= MOST
        return found and peaked and moderate and self.error <= BOUND


def measure(case: Case) -> Measured:
    """Runs a case and compares, cell by cell, in the rows that have a key."""
    run = case.run()
    error, masked, peaks, scores = 0.0, 0, [], []
    for attention, reference in zip(run.trace, run.references, strict=False):
        here, rows = _compare(attention, reference)
        error, masked = max(error, here), masked + rows
        if attention.normalised and attention.form in ("dot-product", "additive"):
            peaks += [float(attention.weights(None, item).amax(-1).nanmean()) for item in range(attention.items)]
        if isinstance(attention.scores, DotProduct):
            scores.append(_largest_score(attention))
    return Measured(
        layers=len(run.trace),
        expected=len(run.references) + run.without,
        error=error,
        largest_score=max(scores, default=None),
        peak=sum(peaks) / len(peaks) if peaks else None,
        masked=masked,
        checked=sum(found.check is not None and found.check.agrees for found in run.trace),
        against=run.against,
        reason=" ".join(str(note) for note in run.trace.notes) if run.without else "",
    )


def _compare(attention: Attention, reference: Tensor) -> tuple[float, int]:
    """The greatest difference, and how many rows have no key."""
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
        if difference.numel():
            # A number that is none is as wrong as can be.
            error = max(error, float(difference.nan_to_num(torch.inf).max()))
    return error, masked


def _largest_score(attention: Attention) -> float:
    scores = [
        attention.logits(None, item).where(attention.allowed(None, item), 0).nan_to_num(0, 0, 0).abs().max()
        for item in range(attention.items)
    ]
    return float(max(scores))


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
