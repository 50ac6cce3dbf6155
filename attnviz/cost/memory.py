"""Bytes of one attention layer: what lies in memory, what is read and written, what a generating model keeps."""

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost.layer import Layer

LSE_BYTES = 4
"""The log-sum-exp of a row is kept in 32 bits whatever the inputs are."""


def inputs_and_output(queries: int, keys: int, layer: Layer) -> int:
    """Bytes of q, k, v and the output: 8 n d at 16 bits in self-attention."""
    return (2 * queries * layer.width + 2 * keys * layer.kv_width) * layer.bytes_per_number


def weights(pairs: int, layer: Layer) -> int:
    """Bytes of the weights of every head: h · pairs numbers; what stays where weights are kept."""
    return layer.heads * pairs * layer.bytes_per_number


def plain_peak(pairs: int, layer: Layer) -> int:
    """Bytes beyond q, k, v and the output while the formula runs as it is written: scores and weights at once.

    A lower bound: a framework may hold a scaled or repeated copy besides.
    """
    return 2 * weights(pairs, layer)


def fused_peak(queries: int, layer: Layer) -> int:
    """Bytes beyond q, k, v and the output in a fused kernel: one log-sum-exp a row and head, O(n).

    FlashAttention, Dao et al. 2022, theorem 1; tiles on the chip are not counted.
    """
    return layer.heads * queries * LSE_BYTES


def fused_traffic(queries: int, keys: int, layer: Layer) -> int:
    """Bytes that a fused kernel has to move at the least: q, k, v once in, the output once out."""
    return inputs_and_output(queries, keys, layer)


def plain_traffic(queries: int, keys: int, pairs: int, layer: Layer) -> int:
    """The same where scores and weights are each written and read: 8 h n² more at 16 bits."""
    return inputs_and_output(queries, keys, layer) + 4 * weights(pairs, layer)


def cache(tokens: int, layer: Layer, *, layers: int = 1, batch: int = 1) -> int:
    """Bytes of keys and values that a generating model keeps: 2 · layers · key heads · head width · n · batch.

    Raises `InputError` where one of the numbers is below 0.
    """
    if min(tokens, layers, batch) < 0:
        raise InputError(
            _m("A cache of {tokens} tokens, {layers} layers and {batch} sequences was asked for; none can be below 0."),
            tokens=tokens, layers=layers, batch=batch,
        )  # fmt: skip
    return 2 * layers * layer.kv_width * tokens * batch * layer.bytes_per_number


def kept_tokens(tokens: int, window: int | None) -> int:
    """How many keys a causal window needs: it looks back `window` positions and at its own, so window + 1.

    (Mistral's W counts the query's own key, so its W = window + 1.) None: all of them.
    """
    return tokens if window is None else min(tokens, window + 1)
