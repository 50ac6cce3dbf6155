"""Windows of a picture as the paper of Swin draws them, and a block that attends in them as timm writes it."""

import torch
import torch.nn.functional as F
from torch import nn


def places(rows, columns, window, shift):
    """For each window and slot the row and column, worked out as the paper draws it: the picture moves up and left."""
    tall, wide = (-(-size // window) * window for size in (rows, columns))
    return [
        [
            ((window * i + a + shift) % tall, (window * j + b + shift) % wide)
            for a in range(window)
            for b in range(window)
        ]
        for i in range(tall // window)
        for j in range(wide // window)
    ]


def in_the_picture(weights, rows, columns, window, shift):
    """Weights "windows heads slots slots" of one picture as "heads n n"; padding comes last, as it comes up."""
    where = places(rows, columns, window, shift)
    absent = [place for slots in where for place in slots if place[0] >= rows or place[1] >= columns]
    number = {place: rows * columns + index for index, place in enumerate(absent)}
    number |= {(r, c): r * columns + c for r in range(rows) for c in range(columns)}
    found = torch.zeros(weights.shape[1], len(number), len(number), dtype=weights.dtype)
    for here, slots in zip(weights, where, strict=True):
        index = torch.tensor([number[place] for place in slots])
        found[:, index[:, None], index] = here
    return found, len(absent)


class WindowAttention(nn.Module):
    """As timm writes it, fused or not: packed qkv, a table of relative positions, −100 between regions."""

    def __init__(self, width, heads, window, far=-100.0, fused=True):
        super().__init__()
        self.cosine = None
        self.heads, self.window, self.far, self.fused = heads, window, far, fused
        self.qkv = nn.Linear(width, 3 * width)
        self.bias = nn.Parameter(torch.randn(heads, window**2, window**2))

    def forward(self, x, mask=None):
        windows, slots, width = x.shape
        q, k, v = (
            self.qkv(x).reshape(windows, slots, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        )
        if not self.fused:
            return self.multiplied(q, k, v, mask).transpose(1, 2).reshape(windows, slots, width)
        bias = self.bias[None]
        if mask is not None:
            bias = bias + mask.repeat(windows // len(mask), 1, 1)[:, None]
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return x.transpose(1, 2).reshape(windows, slots, width)

    def multiplied(self, q, k, v, mask):
        _, heads, slots, width = q.shape
        if self.cosine is not None:  # Swin v2: a temperature for each head
            scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1) * self.cosine
        else:
            scores = (q * width**-0.5) @ k.transpose(-2, -1)
        scores = scores + self.bias.unsqueeze(0)
        if mask is not None:
            count = mask.shape[0]
            scores = scores.view(-1, count, heads, slots, slots) + mask.unsqueeze(1).unsqueeze(0)
            scores = scores.view(-1, heads, slots, slots)
        return scores.softmax(-1) @ v


class Block(nn.Module):
    """A timm-like block on "items rows columns features", padded and shifted."""

    def __init__(self, width=8, heads=2, window=4, shift=2, scale=4.0, far=-100.0, fused=True):
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(width), WindowAttention(width, heads, window, fused=fused)
        self.window, self.shift, self.far = window, shift, far
        with torch.no_grad():
            self.attn.qkv.weight[: 2 * width] *= scale

    def regions(self, rows, columns):
        window, shift = self.window, self.shift
        region = torch.zeros(rows, columns)
        parts = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
        for number, (tall, wide) in enumerate((a, b) for a in parts for b in parts):
            region[tall, wide] = number
        region = self.cut(region[None, :, :, None]).squeeze(-1)
        return (region[:, None] != region[:, :, None]).float() * self.far

    def cut(self, x):
        items, rows, columns, width = x.shape
        x = x.view(items, rows // self.window, self.window, columns // self.window, self.window, width)
        return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, self.window**2, width)

    def forward(self, x):
        rows, columns = x.shape[1:3]
        x = F.pad(self.norm(x), (0, 0, 0, -columns % self.window, 0, -rows % self.window))
        mask = self.regions(*x.shape[1:3]) if self.shift else None
        x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2)) if self.shift else x
        return self.attn(self.cut(x), mask=mask)


def by_hand(block, x):
    """The dense weights of a block, in float64, position by position."""
    items, rows, columns, width = x.shape
    attn, window = block.attn.double(), block.window
    padded = F.pad(block.double().norm(x.double()), (0, 0, 0, -columns % window, 0, -rows % window))
    q, k, _ = attn.qkv(padded).unflatten(-1, (3, attn.heads, -1)).unbind(3)
    where = places(rows, columns, window, block.shift)
    weights = []
    for item in range(items):
        for number, slots in enumerate(where):
            r, c = torch.tensor(slots).T
            score = torch.einsum("ihd,jhd->hij", q[item, r, c], k[item, r, c]) * (width // attn.heads) ** -0.5
            score = score + attn.bias
            if block.shift:
                score = score + block.regions(*padded.shape[1:3]).double()[number]
            weights.append(score.softmax(-1))
    return torch.stack(weights).unflatten(0, (items, -1))
