"""A module of flex_attention, and its scores and pairs worked out in float64."""

import torch
from torch import nn
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention

N, HEADS, KV = 24, 4, 2


def causal(_item, _head, q, k):
    return q >= k


def windowed(_item, _head, q, k):
    return (q >= k) & (q - k <= 5)


class Flex(nn.Module):
    def __init__(self, attend=flex_attention):
        super().__init__()
        self.attend, self.aux = attend, None

    def forward(self, q, k, v, **options):
        output, self.aux = self.attend(q, k, v, **options, enable_gqa=True, return_aux=AuxRequest(lse=True))
        return output


def drawn():
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, heads, N, 8, generator=generator) for heads in (HEADS, KV, KV))
    return q * 3, k, v


def block(mask):
    return create_block_mask(mask, 2, HEADS, N, N, device="cpu")


def right_pairs(mask):
    """The mask asked pair by pair."""
    grids = torch.meshgrid(*(torch.arange(size) for size in (2, HEADS, N, N)), indexing="ij")
    return mask(*grids)


def right_scores(q, k, scale, change=None):
    scores = q.double() @ k.double().repeat_interleave(HEADS // KV, 1).mT * scale
    return scores if change is None else change(scores)
