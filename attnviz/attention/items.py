"""One sequence out of a batch, without the padding that made it as long as the others."""

from dataclasses import replace

import torch
from jaxtyping import Shaped
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.bias import Bias
from attnviz.attention.masks import Mask
from attnviz.attention.recognise import recognise
from attnviz.attention.scores import DotProduct, Given, Stored
from attnviz.attention.tiles import tile_of
from attnviz.tokens import Tokens


def one_item(attention: Attention, item: int, query_tokens: Tokens, key_tokens: Tokens) -> Attention:
    """The attention of one item between its first queries and keys, as many as there are tokens.

    What is left out must be padding: keys that the mask forbids, and queries that nobody asks about. Nothing of
    the rest of the batch is kept in memory.
    """
    queries, keys = len(query_tokens), len(key_tokens)
    return replace(
        attention,
        scores=_scores(attention.scores, item, queries, keys),
        mask=_mask(attention, item, queries, keys),
        value=None if attention.value is None else attention.value[item : item + 1, :, :keys].clone(),
        query_tokens_by_item=(query_tokens,),
        key_tokens_by_item=(key_tokens,),
    )


def _scores(scores: DotProduct | Given, item: int, queries: int, keys: int) -> DotProduct | Given:
    rows, cols = slice(0, queries), slice(0, keys)
    if isinstance(scores, Given):
        return Stored(scores.tile(item, None, rows, cols)[None].clone())
    return replace(
        scores,
        query=scores.query[item : item + 1, :, :queries].clone(),
        key=scores.key[item : item + 1, :, :keys].clone(),
        bias=_bias(scores.bias, item, rows, cols),
    )


def _bias(bias: Shaped[Tensor, "..."] | Bias | None, item: int, rows: slice, cols: slice) -> Tensor | None:
    if bias is None:
        return None
    tile = bias.tile(item, None, rows, cols) if isinstance(bias, Bias) else tile_of(bias, item, None, rows, cols)
    return tile[None].clone()


def _mask(attention: Attention, item: int, queries: int, keys: int) -> Mask | None:
    """The rule among what is left: padding has gone, so it is often simpler."""
    if attention.mask is None:
        return None
    device = attention.device
    pairs = attention.mask.allowed(item, torch.arange(queries, device=device), torch.arange(keys, device=device))
    return recognise(pairs[None])
