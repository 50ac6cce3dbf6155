"""What attention makes of the order of its tokens: the same tokens in another order, with and without positions.

Without positions self-attention is permutation equivariant: every output goes where its token went and stays the
same, up to rounding. Whatever tells the order breaks this. All in float64, so that rounding is near 1e-16.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.attention import positions
from attnviz.base.errors import InputError
from attnviz.base.language import _m

Scheme = Literal["none", "sinusoidal", "learned", "rotary", "alibi", "relative"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_ADDED = 1.0
"""Standard deviation of the added learned positions: that of the tokens, as large as after training."""
_BUCKETS, _FARTHEST = 8, 16


@dataclass(frozen=True, eq=False)
class Tokens:
    """Vectors of the tokens and the projections that make queries, keys and values of them; all drawn, none learned."""

    vectors: Float[Tensor, "n d"]
    query: Float[Tensor, "heads d dh"]
    key: Float[Tensor, "heads d dh"]
    value: Float[Tensor, "heads d dh"]

    @classmethod
    def drawn(cls, names: Sequence[str], *, heads: int = 4, width: int = 16, seed: int = 0) -> "Tokens":
        """Normal numbers; the same name has the same vector wherever it stands, as in a table of embeddings."""
        generator = torch.Generator().manual_seed(seed)
        known: dict[str, Tensor] = {}
        for name in names:
            if name not in known:
                known[name] = torch.randn(width, generator=generator, dtype=torch.float64)
        shape = (3, heads, width, width // heads)
        # 1/√d keeps queries, keys and values as large as the tokens.
        query, key, value = torch.randn(*shape, generator=generator, dtype=torch.float64) / math.sqrt(width)
        return cls(torch.stack([known[name] for name in names]), query, key, value)

    def in_order(self, order: Int[Tensor, " n"]) -> "Tokens":
        """The same tokens, place p taken by the one that stood at order[p]."""
        return Tokens(self.vectors[order], self.query, self.key, self.value)


@dataclass(frozen=True, eq=False)
class Attended:
    """What came out: weights of each head, and the heads' outputs side by side."""

    weights: Float[Tensor, "heads n n"]
    output: Float[Tensor, "n d"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The sentence as it stood, and shuffled and put back in order, so that row i is token i in both."""

    before: Attended
    after: Attended

    @property
    def moved(self) -> Float[Tensor, " n"]:
        """The largest difference of a number of each token's output."""
        return (self.after.output - self.before.output).abs().amax(-1)

    @property
    def output_change(self) -> Float[Tensor, " n"]:
        """How long the change of each token's output is, against the length of the output before."""
        apart = torch.linalg.vector_norm(self.after.output - self.before.output, dim=-1)
        change: Tensor = apart / torch.linalg.vector_norm(self.before.output, dim=-1)
        return change

    @property
    def weight_change(self) -> Float[Tensor, "heads n n"]:
        """After minus before, for each pair of tokens."""
        return self.after.weights - self.before.weights


def attend(tokens: Tokens, scheme: Scheme = "none", *, seed: int = 0) -> Attended:
    """Self-attention softmax(q·k/√d + bias)·v over the tokens as they stand, told their order by `scheme`.

    learned, relative: tables as they are before training, drawn from `seed`, their numbers as large as the tokens'.
    """
    count, width = tokens.vectors.shape
    heads, _, size = tokens.query.shape
    there = tokens.vectors + _added(scheme, count, width, seed)
    query, key, value = (there @ matrix for matrix in (tokens.query, tokens.key, tokens.value))
    if scheme == "rotary":
        query, key = positions.rotary(query), positions.rotary(key)
    scores = query @ key.mT / math.sqrt(size) + _bias(scheme, heads, count, seed)
    weights = scores.softmax(-1)
    return Attended(weights, (weights @ value).transpose(0, 1).flatten(1))


def compare(tokens: Tokens, order: Sequence[int], scheme: Scheme = "none", *, seed: int = 0) -> Comparison:
    """The tokens in their own order, and with place p taken by the token of place order[p].

    Raises `InputError` where `order` does not name each token once.
    """
    count = len(tokens.vectors)
    if sorted(order) != list(range(count)):
        raise InputError(
            _m("An order of {count} tokens has to name each place from 0 to {last} once."), count=count, last=count - 1
        )
    places = torch.tensor(list(order), dtype=torch.long)
    back = places.argsort()
    after = attend(tokens.in_order(places), scheme, seed=seed)
    return Comparison(
        attend(tokens, scheme, seed=seed), Attended(after.weights[:, back][..., back], after.output[back])
    )


def _added(scheme: Scheme, count: int, width: int, seed: int) -> Float[Tensor, "n d"]:
    """What is added to the tokens."""
    if scheme == "sinusoidal":
        return positions.sinusoidal(count, width, dtype=torch.float64)
    if scheme == "learned":
        return positions.learned(count, width, seed=seed + 1, spread=_ADDED, dtype=torch.float64)
    return torch.zeros(count, width, dtype=torch.float64)


def _bias(scheme: Scheme, heads: int, count: int, seed: int) -> Float[Tensor, "heads n n"]:
    """What is added to the scores."""
    if scheme == "alibi":
        return positions.alibi(heads, count, count, dtype=torch.float64)
    if scheme == "relative":
        table = positions.relative_table(heads, _BUCKETS, seed=seed + 1, dtype=torch.float64)
        return positions.relative(table, count, count, farthest=_FARTHEST)
    return torch.zeros(heads, count, count, dtype=torch.float64)
