"""Translations made by hand, with weights that are known."""

import torch
from torch import Tensor

from attnviz.attention import Attention
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace
from attnviz.translation import Translation


def tokens(pieces: list[str], *, begin: bool = False, end: bool = False) -> Tokens:
    """ "▁" begins a word; without it a piece goes on with the word before it."""
    spans, text = [], ""
    for piece in pieces:
        if piece.startswith("▁") and text:
            text += " "
        spans.append((len(text), len(text) + len(piece.lstrip("▁"))))
        text += piece.lstrip("▁")
    first, last = [None] * begin, [None] * end
    return Tokens(
        texts=tuple(["<s>"] * begin + [piece.lstrip("▁") for piece in pieces] + ["</s>"] * end),
        spans=tuple(first + spans + last),
        special=tuple([True] * begin + [False] * len(pieces) + [True] * end),
        source=text,
    )


def translation(source: list[str], target: list[str], weights: Tensor | list[Tensor]) -> Translation:
    """One cross-attention for each tensor "heads rows columns"; both ends are written out in rows and columns."""
    sides = tokens(source, end=True), tokens(target, begin=True), tokens(target, end=True)
    layers = weights if isinstance(weights, list) else [weights]
    attentions = [
        Attention.from_weights(
            one, name=f"decoder.{layer}.cross_attention", role="cross", layer=layer, query_tokens=sides[1],
            key_tokens=sides[0],
        )
        for layer, one in enumerate(layers)
    ]  # fmt: skip
    rows = len(target) + 1
    return Translation(
        Trace(attentions, origin=Origin(kind="typed")), sides[0], sides[1], sides[2], torch.zeros(rows), (), forced=True
    )
