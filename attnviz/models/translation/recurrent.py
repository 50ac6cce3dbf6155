"""The recurrent encoder–decoder of 2014, with additive attention or with one vector for the whole sentence.

Bahdanau, Cho and Bengio 2014 (arXiv 1409.0473); without attention: Cho et al. 2014 (arXiv 1406.1078).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnviz.models.translation.vocabulary import PADDING

DROPOUT = 0.2


class Encoded(NamedTuple):
    """The source as the decoder sees it: encoder states, what the scores need of them, and where there is none.

    summary: the last state of the reader that runs forwards and of the one that runs backwards.
    """

    states: Float[Tensor, "items source both"]
    keys: Float[Tensor, "items source width"]
    padding: Bool[Tensor, "items source"]
    summary: Float[Tensor, "items both"]


class AdditiveAttention(nn.Module):
    """Scores vᵀ tanh(W s + U h) between the decoder's state s and every encoder state h, softmax, weighted sum."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(2 * width, width, bias=False)
        self.key = nn.Linear(2 * width, width)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(
        self, state: Float[Tensor, "items both"], source: Encoded
    ) -> tuple[Float[Tensor, "items both"], Float[Tensor, "items source"]]:
        summed = torch.tanh(self.query(state).unsqueeze(1) + source.keys)
        scores = self.score(summed).squeeze(-1).masked_fill(source.padding, -torch.inf)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), source.states).squeeze(1), weights


class Recurrent(nn.Module):
    """Two GRUs read the source in both directions; a GRU writes the target a word at a time.

    attention: whether each step may look back at the source; otherwise it gets the same one vector at every step,
    that has to hold the whole sentence.
    """

    def __init__(self, source_words: int, target_words: int, *, width: int = 96, attention: bool = True) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(source_words, width)
        self.target_embedding = nn.Embedding(target_words, width)
        self.encoder = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.first_state = nn.Linear(2 * width, 2 * width)
        self.attention = AdditiveAttention(width) if attention else None
        self.decoder = nn.GRUCell(3 * width, 2 * width)
        self.combine = nn.Linear(5 * width, width)
        self.output = nn.Linear(width, target_words)
        self.dropout = nn.Dropout(DROPOUT)

    def encode(self, source: Int[Tensor, "items source"]) -> Encoded:
        """Reads the source; padding is read by neither direction."""
        padding = source == PADDING
        lengths = (~padding).sum(1)
        packed = pack_padded_sequence(
            self.dropout(self.source_embedding(source)), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        keys = self.attention.key(states) if self.attention is not None else states[..., :0]
        return Encoded(states, keys, padding, torch.cat([last[0], last[1]], -1))

    def begin(self, source: Encoded) -> Float[Tensor, "items both"]:
        """The decoder's state before the first word."""
        return torch.tanh(self.first_state(source.summary))

    def step(
        self, state: Float[Tensor, "items both"], word: Int[Tensor, " items"], source: Encoded
    ) -> tuple[Float[Tensor, "items both"], Float[Tensor, "items target_words"]]:
        """The next state, and logits for the next word, after one word more."""
        context = source.summary if self.attention is None else self.attention(state, source)[0]
        embedded = self.dropout(self.target_embedding(word))
        state = self.decoder(torch.cat([embedded, context], -1), state)
        combined = torch.tanh(self.combine(torch.cat([state, context, embedded], -1)))
        return state, self.output(self.dropout(combined))

    def decode(
        self, target: Int[Tensor, "items target"], source: Encoded
    ) -> Float[Tensor, "items target target_words"]:
        """Logits for the word after each word of the target, which begins with the begin word."""
        state, logits = self.begin(source), []
        for word in target.unbind(1):
            state, out = self.step(state, word, source)
            logits.append(out)
        return torch.stack(logits, 1)

    def forward(
        self, source: Int[Tensor, "items source"], target: Int[Tensor, "items target"]
    ) -> Float[Tensor, "items target target_words"]:
        """As `decode`, of a source that is read first."""
        return self.decode(target, self.encode(source))
