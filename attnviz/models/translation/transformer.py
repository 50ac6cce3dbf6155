"""A small Transformer encoder–decoder (Vaswani et al. 2017, arXiv 1706.03762), normalised before each part."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.models.translation.vocabulary import PADDING

DROPOUT = 0.1
MOST_POSITIONS = 256


class Encoded(NamedTuple):
    """The encoder's states, and which of them may be looked at."""

    states: Float[Tensor, "items source width"]
    allowed: Bool[Tensor, "items 1 1 source"]


class HeadsAttention(nn.Module):
    """Scaled dot-product attention of several heads, from `read` to `looked_at`."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(
        self,
        read: Float[Tensor, "items n width"],
        looked_at: Float[Tensor, "items m width"],
        allowed: Bool[Tensor, "items 1 n_or_1 m"],
    ) -> Float[Tensor, "items n width"]:
        query, key, value = (
            project(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for project, x in ((self.query, read), (self.key, looked_at), (self.value, looked_at))
        )
        dropout = DROPOUT if self.training else 0.0
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=dropout)
        joined: Tensor = self.output(out.transpose(1, 2).flatten(-2))
        return joined


class FeedForward(nn.Sequential):
    """Four times as wide in the middle, as in the paper."""

    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(width, 4 * width), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(4 * width, width))


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward part, each added to what went in."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(width), HeadsAttention(width, heads)
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), FeedForward(width)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(
        self, x: Float[Tensor, "items source width"], allowed: Bool[Tensor, "items 1 1 source"]
    ) -> Float[Tensor, "items source width"]:
        normal = self.attention_norm(x)
        x = x + self.dropout(self.attention(normal, normal, allowed))
        added: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return added


class DecoderLayer(nn.Module):
    """Self-attention to what was written, cross-attention to the source, and a feed-forward part."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.self_attention_norm, self.self_attention = nn.LayerNorm(width), HeadsAttention(width, heads)
        self.cross_attention_norm, self.cross_attention = nn.LayerNorm(width), HeadsAttention(width, heads)
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(width), FeedForward(width)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(
        self,
        x: Float[Tensor, "items target width"],
        written: Bool[Tensor, "items 1 target target"],
        source: Float[Tensor, "items source width"],
        allowed: Bool[Tensor, "items 1 1 source"],
    ) -> Float[Tensor, "items target width"]:
        normal = self.self_attention_norm(x)
        x = x + self.dropout(self.self_attention(normal, normal, written))
        x = x + self.dropout(self.cross_attention(self.cross_attention_norm(x), source, allowed))
        added: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return added


class Transformer(nn.Module):
    """Sinusoidal positions, the same words in and out of the decoder."""

    positions: Tensor

    def __init__(
        self, source_words: int, target_words: int, *, width: int = 64, layers: int = 3, heads: int = 4
    ) -> None:
        super().__init__()
        self.width = width
        self.source_embedding = nn.Embedding(source_words, width)
        self.target_embedding = nn.Embedding(target_words, width)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=width**-0.5)
        self.encoder = nn.ModuleList(EncoderLayer(width, heads) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(width, heads) for _ in range(layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.output_bias = nn.Parameter(torch.zeros(target_words))
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("positions", sinusoids(MOST_POSITIONS, width), persistent=False)

    def encode(self, source: Int[Tensor, "items source"]) -> Encoded:
        """Reads the source; padding is looked at by no position."""
        allowed = (source != PADDING)[:, None, None]
        x = self._embedded(self.source_embedding, source)
        for layer in self.encoder:
            x = layer(x, allowed)
        return Encoded(self.encoder_norm(x), allowed)

    def decode(
        self, target: Int[Tensor, "items target"], source: Encoded
    ) -> Float[Tensor, "items target target_words"]:
        """Logits for the word after each word of the target, which begins with the begin word."""
        n = target.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool, device=target.device).tril()
        written = causal & (target != PADDING)[:, None, None]
        x = self._embedded(self.target_embedding, target)
        for layer in self.decoder:
            x = layer(x, written, source.states, source.allowed)
        return F.linear(self.decoder_norm(x), self.target_embedding.weight, self.output_bias)

    def forward(
        self, source: Int[Tensor, "items source"], target: Int[Tensor, "items target"]
    ) -> Float[Tensor, "items target target_words"]:
        """As `decode`, of a source that is read first."""
        return self.decode(target, self.encode(source))

    def _embedded(self, embedding: nn.Embedding, words: Int[Tensor, "items n"]) -> Float[Tensor, "items n width"]:
        embedded: Tensor = self.dropout(embedding(words) * math.sqrt(self.width) + self.positions[: words.shape[1]])
        return embedded


def sinusoids(count: int, width: int) -> Float[Tensor, "count width"]:
    """Sines and then cosines of each position, at wavelengths from 2π up to 10000 · 2π."""
    angles = torch.arange(count)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.cat([angles.sin(), angles.cos()], -1)
