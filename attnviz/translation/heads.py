"""The cross-attention of a translation, head by head, and how well each agrees with gold links."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.translation.reading import Reading, combined, gold_of, lay_out, word_of_each
from attnviz.translation.scores import Counts, Score, count, score, total
from attnviz.translation.sentence import Link, SentencePair
from attnviz.translation.translator import Translation


class HeadName(NamedTuple):
    """A layer and a head, counted from 0; None stands for the mean of all."""

    layer: int | None
    head: int | None


MEAN = HeadName(None, None)


@dataclass(frozen=True)
class Counted:
    """The counts of every head in one sentence."""

    heads: dict[HeadName, Counts]
    links: dict[HeadName, frozenset[Link]]


@dataclass(frozen=True)
class Chosen:
    """A head with the lowest error rate on one half of the sentences, and what it gives on the other half."""

    head: HeadName
    on_chosen: float
    on_other: Score


def cross_attentions(translation: Translation) -> list[Attention]:
    """The layers in which the target looks at the source. Raises `InputError` where there is none."""
    found = [attention for attention in translation.trace if attention.role == "cross"]
    if not found:
        raise InputError(_m("The model has no cross-attention: its decoder does not look at the source word by word."))
    return found


def head_counts(translation: Translation) -> tuple[int, ...]:
    """How many heads each layer has."""
    return tuple(attention.heads for attention in cross_attentions(translation))


def weights_of(translation: Translation, name: HeadName) -> Float[Tensor, "rows columns"]:
    """The weights of a head, the mean of a layer, or the mean of all layers and heads."""
    layers = cross_attentions(translation)
    if name.layer is not None:
        layer = layers[name.layer]
        return (
            combined(layer.weights(None).float().cpu()) if name.head is None else layer.weights(name.head).float().cpu()
        )
    return combined(torch.cat([layer.weights(None).float().cpu() for layer in layers]))


def names(counts: Sequence[int]) -> Iterator[HeadName]:
    """The mean of all, then every layer's mean and its heads."""
    yield MEAN
    for layer, heads in enumerate(counts):
        yield HeadName(layer, None)
        yield from (HeadName(layer, head) for head in range(heads))


def count_heads(translation: Translation, pair: SentencePair, reading: Reading) -> Counted:
    """The links of every head and mean in one sentence, against its gold ones.

    Raises `InputError` where the pair has no gold links, and where the tokenizer does not tell what makes a word. The
    pair must have the words of the translation.
    """
    gold = gold_of(pair, reading)
    if gold is None:
        raise InputError(_m("“{text}” has no gold links to compare with."), text=pair.source_text[:60])
    for side in (translation.source, translation.predicted):
        if word_of_each(side) is None:
            raise InputError(
                _m(
                    "The tokenizer does not tell where its tokens stand in “{text}”, so they cannot be put together into words."
                ),
                text=(side.source or "")[:60],
            )
    layout = lay_out(translation, reading)
    counts = head_counts(translation)
    layers = [attention.weights(None).float().cpu() for attention in cross_attentions(translation)]
    links: dict[HeadName, frozenset[Link]] = {}
    for layer, weights in enumerate(layers):
        matrices = layout.matrix(weights)
        links |= {HeadName(layer, head): layout.links(matrix) for head, matrix in enumerate(matrices)}
        links[HeadName(layer, None)] = layout.links(layout.matrix(combined(weights)))
    links[MEAN] = layout.links(layout.matrix(combined(torch.cat(layers))))
    ordered = {name: links[name] for name in names(counts)}
    return Counted({name: count(found, gold) for name, found in ordered.items()}, ordered)


def score_heads(counted: Sequence[Counted]) -> dict[HeadName, Score]:
    """Every head's and mean's score over all sentences, with its interval. Every sentence must have the same heads."""
    if not counted:
        return {}
    return {name: score([one.heads[name] for one in counted]) for name in counted[0].heads}


def choose_on_half(counted: Sequence[Counted], *, seed: int = 0) -> tuple[Chosen, ...]:
    """A head is chosen on one half of the sentences and scored on the other; then the halves change places.

    Whoever chooses a head on the sentences on which it is scored finds it better than it is. Only single heads are
    chosen, no means; () with fewer than two sentences.
    """
    order = random.Random(seed).sample(range(len(counted)), len(counted))  # noqa: S311 - an order, no secret
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    if not all(halves):
        return ()
    return tuple(
        _chosen([counted[place] for place in one], [counted[place] for place in other])
        for one, other in (halves, halves[::-1])
    )


def _chosen(one: Sequence[Counted], other: Sequence[Counted]) -> Chosen:
    rates = {
        name: total(sentence.heads[name] for sentence in one).error_rate
        for name in one[0].heads
        if name.head is not None
    }
    # A head without a single link has no rate; NaN would win against whatever it is compared with.
    best = min(rates, key=lambda name: (math.isnan(rates[name]), rates[name], name))
    return Chosen(best, rates[best], score([sentence.heads[best] for sentence in other]))
