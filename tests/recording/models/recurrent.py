"""Recurrent decoders that attend step by step."""

import torch
import torch.nn.functional as F
from torch import nn


class Bahdanau(nn.Module):
    """Additive attention (arXiv 1409.0473, equation 6)."""

    def __init__(self, width):
        super().__init__()
        self.state, self.source, self.score = (nn.Linear(width, out, bias=False) for out in (width, width, 1))

    def forward(self, state, source):
        energies = self.score(torch.tanh(self.state(state).unsqueeze(1) + self.source(source)))
        return F.softmax(energies.squeeze(2), dim=1)


class Joined(Bahdanau):
    """The same with state and annotations side by side, as it is often written."""

    def __init__(self, width):
        super().__init__(width)
        self.both, self.vector = nn.Linear(2 * width, width), nn.Parameter(torch.randn(width))

    def forward(self, state, source):
        state = state.unsqueeze(1).repeat(1, source.shape[1], 1)
        energies = torch.tanh(self.both(torch.cat((state, source), dim=2)))
        return torch.softmax(energies @ self.vector, dim=1)


class Luong(nn.Module):
    """Scores are dot products of the state with the annotations (arXiv 1508.04025)."""

    def __init__(self, width):
        super().__init__()

    def forward(self, state, source):
        return torch.bmm(source, state.unsqueeze(2)).squeeze(2).softmax(1)


class Translator(nn.Module):
    def __init__(self, kind, width=8, steps=5):
        super().__init__()
        self.steps = steps
        self.encoder, self.cell = nn.GRU(width, width, batch_first=True), nn.GRUCell(width, width)
        self.attention = kind(width)

    def forward(self, rows):
        source, state = self.encoder(rows)
        state, self.kept = state[0], []
        for _ in range(self.steps):
            weights = self.attention(state, source)
            self.kept.append(weights)
            context = torch.bmm(weights.unsqueeze(1), source).squeeze(1)
            state = self.cell(context, state)
        return state
