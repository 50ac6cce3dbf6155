"""Floating-point operations of one layer: attention core, projections, feed-forward; a multiply-add counts as two.

The softmax (about five operations a pair and head), biases, norms and activations are left out, as they usually are.
"""

from dataclasses import dataclass

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost.layer import Layer


@dataclass(frozen=True)
class Operations:
    """core: Q Kᵀ and A V. projections: W_Q, W_K, W_V, W_O. feed_forward: both of its matrices."""

    core: int
    projections: int = 0
    feed_forward: int = 0

    @property
    def attention(self) -> int:
        """Core and projections: the multi-head attention."""
        return self.core + self.projections

    @property
    def total(self) -> int:
        """The whole block."""
        return self.core + self.projections + self.feed_forward


def pairs(queries: int, keys: int) -> int:
    """Every query with every key."""
    return queries * keys


def causal_pairs(tokens: int) -> int:
    """Every token with itself and those before it: n (n + 1) / 2."""
    return tokens * (tokens + 1) // 2


def core(pairs: int, layer: Layer) -> int:
    """Scores and weighted sum for so many pairs, over all heads: 4 · pairs · d.

    Grouped key heads save nothing here: every query head still meets every key.
    """
    return 4 * pairs * layer.width


def projections(queries: int, keys: int, layer: Layer) -> int:
    """W_Q and W_O of the queries, W_K and W_V of the keys: 8 n d² in self-attention with as many key heads as heads."""
    return 4 * queries * layer.width**2 + 4 * keys * layer.width * layer.kv_width


def feed_forward(tokens: int, layer: Layer) -> int:
    """Up and down again: 4 · ratio · n d², with the usual ratio of four 16 n d²."""
    return round(4 * layer.feed_forward * tokens * layer.width**2)


def block(tokens: int, layer: Layer, *, skips: bool = True) -> Operations:
    """Self-attention and feed-forward: 24 n d² + 4 n² d with the usual ratio.

    skips: whether a kernel leaves out what a causal mask hides; where it does not, the mask saves nothing.
    """
    met = causal_pairs(tokens) if layer.causal and skips else pairs(tokens, tokens)
    return Operations(core(met, layer), projections(tokens, tokens, layer), feed_forward(tokens, layer))


def cross(queries: int, keys: int, layer: Layer) -> Operations:
    """Queries of one sequence, keys and values of another: 4 n m d + 4 n d² + 4 m d². No feed-forward."""
    return Operations(core(pairs(queries, keys), layer), projections(queries, keys, layer))


def times_as_many(tokens: int, factor: int, layer: Layer) -> tuple[float, float]:
    """How many times the operations of the core and of the whole block are at `factor` times the tokens.

    Raises `InputError` where there is no token.
    """
    if tokens < 1:
        raise InputError(_m("{found} tokens were given; at least one was expected."), found=tokens)
    few, many = block(tokens, layer), block(tokens * factor, layer)
    return many.core / few.core, many.total / few.total


def parameters(layer: Layer) -> int:
    """Numbers in W_Q, W_K, W_V and W_O, without biases: 4 d² with as many key heads as heads."""
    return 2 * layer.width**2 + 2 * layer.width * layer.kv_width
