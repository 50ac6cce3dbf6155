"""From a source to the words that a model writes: the likeliest at every step, or the best of several beams."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.models.translation.vocabulary import BEGIN, END, PADDING

MOST_WRITTEN = 48
MOST_BEAMS = 16


@runtime_checkable
class Decoder(Protocol):
    """What both kinds of model offer; what `encode` gives is a named tuple of tensors, items first."""

    def encode(self, source: Int[Tensor, "items source"]) -> Any:
        """Reads the source."""

    def decode(self, target: Int[Tensor, "items target"], source: Any) -> Float[Tensor, "items target words"]:
        """Logits for the word after each word of the target."""


@dataclass(frozen=True)
class Written:
    """The numbers of the words, without begin and end; whether the model came to an end by itself."""

    words: tuple[int, ...]
    ended: bool


def greedy(model: Decoder, source: Int[Tensor, "items source"], longest: int = MOST_WRITTEN) -> list[Written]:
    """The likeliest word at every step, for every item."""
    encoded = model.encode(source)
    target = torch.full((len(source), 1), BEGIN, device=source.device)
    for _ in range(longest + 1):
        following = _next(model, target, encoded).argmax(-1, keepdim=True)
        target = torch.cat([target, following], 1)
        if bool((target == END).any(1).all()):
            break
    return [_until_end(row, longest) for row in target[:, 1:].tolist()]


def beam(model: Decoder, source: Int[Tensor, "1 source"], beams: int, longest: int = MOST_WRITTEN) -> Written:
    """The sentence with the largest mean log-probability of its words, the end among them, that the beams found.

    At every step the `beams` likeliest beginnings are kept. The search ends with `beams` whole sentences, or at the
    longest length. Dividing by the length: Cho et al. 2014 (arXiv 1409.1259), section 4.2.
    """
    encoded = model.encode(source)
    alive = [((BEGIN,), 0.0)]
    whole: list[tuple[float, tuple[int, ...]]] = []
    for _ in range(longest + 1):
        target = torch.tensor([words for words, _ in alive], device=source.device)
        many = type(encoded)(*(part.expand(len(alive), *part.shape[1:]) for part in encoded))
        following = _next(model, target, many).log_softmax(-1)
        totals = following + torch.tensor([score for _, score in alive], device=source.device)[:, None]
        best = totals.flatten().topk(min(2 * beams, totals.numel()))
        begun, alive = alive, []
        for score, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            if score == -torch.inf:
                continue
            before, word = begun[place // totals.shape[1]][0], place % totals.shape[1]
            if word == END:
                whole.append((score / len(before), before[1:]))
            elif len(alive) < beams:
                alive.append(((*before, word), score))
        if len(whole) >= beams:
            break
    if whole:
        return Written(max(whole)[1], ended=True)
    return Written(alive[0][0][1 : longest + 1], ended=False)


def _next(model: Decoder, target: Int[Tensor, "items target"], encoded: Any) -> Float[Tensor, "items words"]:
    """Logits of the next word; a sentence holds neither padding nor a second beginning."""
    logits = model.decode(target, encoded)[:, -1]
    return logits.index_fill(-1, torch.tensor([PADDING, BEGIN], device=logits.device), -torch.inf)


def _until_end(row: list[int], longest: int) -> Written:
    if END in row:
        return Written(tuple(row[: row.index(END)]), ended=True)
    return Written(tuple(row[:longest]), ended=False)
