"""A model that is traced, scripted or exported, and its weights in float64."""

import torch
import torch.nn.functional as F
from torch import nn


class Fused(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.project(x).view(x.shape[0], x.shape[1], 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        return F.scaled_dot_product_attention(q * 5, k, v, is_causal=True, scale=0.7).transpose(1, 2).flatten(2)


class ByHand(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.project(x).view(x.shape[0], x.shape[1], 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        scores = (q * 5) @ k.transpose(-1, -2) / 2.0 + 0.1 * torch.arange(x.shape[1])
        return (scores.masked_fill(later, float("-inf")).softmax(-1) @ v).transpose(1, 2).flatten(2)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Fused(), ByHand()])
        self.router = nn.Linear(8, 3)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x * self.router(x).softmax(-1).amax(-1, keepdim=True)


def expected(model, x):
    """The weights of both layers in float64, with the formula written out."""
    found = []
    for layer, scale, bias in zip(model.layers, (0.7, 0.5), (0.0, 0.1), strict=True):
        q, k, _ = layer.project(x).view(*x.shape[:2], 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        scores = 5 * q.double() @ k.double().transpose(-1, -2) * scale + bias * torch.arange(x.shape[1])
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        found.append(scores.masked_fill(later, -torch.inf).softmax(-1))
        x = x + layer(x)
    return found


def closed(how, model, x):
    if how == "trace":
        return torch.jit.trace(model, (x,))
    return torch.jit.script(model) if how == "script" else torch.export.export(model, (x,)).module()
