"""Attention of models for pictures, as timm and YOLO write it."""

import torch
import torch.nn.functional as F
from torch import nn


def rotated(rows):
    """Rotary positions, halves rotated against each other."""
    count, width = rows.shape[-2:]
    angles = torch.arange(count)[:, None] / 100 ** (torch.arange(width // 2) / (width // 2))
    angles = torch.cat([angles, angles], -1)
    one, other = rows.chunk(2, -1)
    return rows * angles.cos() + torch.cat([-other, one], -1) * angles.sin()


class VisionAttention(nn.Module):
    """As timm's vision transformers attend: one projection for all three, fused or not, norms and rotary positions."""

    def __init__(self, width=32, num_heads=4, *, fused, norms, rotary):
        super().__init__()
        self.num_heads, self.head_dim, self.scale = num_heads, width // num_heads, (width // num_heads) ** -0.5
        self.fused_attn, self.rotary = fused, rotary
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.q_norm = nn.LayerNorm(self.head_dim) if norms else nn.Identity()
        self.k_norm = nn.LayerNorm(self.head_dim) if norms else nn.Identity()
        self.attn_drop = nn.Dropout(0.0)

    def forward(self, x):
        B, N, C = x.shape  # noqa: N806
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        if self.rotary:
            q, k = rotated(q), rotated(k)
        if self.fused_attn:
            x = F.scaled_dot_product_attention(q, k, v)
        else:
            q = q * self.scale
            attn = q @ k.transpose(-2, -1)
            attn = attn.softmax(dim=-1)
            attn = self.attn_drop(attn)
            x = attn @ v
        return self.proj(x.transpose(1, 2).reshape(B, N, C))


def in_the_picture(kept, area):
    """The weights of areas that follow one another, in the positions of the whole picture."""
    pictures = kept.unflatten(0, (-1, area))
    return torch.stack([torch.stack([torch.block_diag(*head) for head in one.transpose(0, 1)]) for one in pictures])


class AreaAttention(nn.Module):
    """As YOLO attends to areas of a picture: channels first, positions last, the areas as items."""

    def __init__(self, width=32, num_heads=2, area=4):
        super().__init__()
        self.num_heads, self.head_dim, self.area = num_heads, width // num_heads, area
        self.qkv = nn.Conv2d(width, 3 * width, 1)
        self.proj = nn.Conv2d(width, width, 1)

    def forward(self, x):
        B, C, H, W = x.shape  # noqa: N806
        N = H * W  # noqa: N806
        qkv = self.qkv(x).flatten(2).transpose(1, 2)
        qkv = qkv.reshape(B * self.area, N // self.area, C * 3)
        B, N, _ = qkv.shape  # noqa: N806
        q, k, v = (
            qkv.view(B, N, self.num_heads, self.head_dim * 3)
            .permute(0, 2, 3, 1)
            .split([self.head_dim, self.head_dim, self.head_dim], dim=2)
        )
        attn = (q.transpose(-2, -1) @ k) * (self.head_dim**-0.5)
        attn = attn.softmax(dim=-1)
        x = v @ attn.transpose(-2, -1)
        x = x.permute(0, 3, 1, 2)
        x = x.reshape(B // self.area, N * self.area, C).reshape(B // self.area, H, W, C).permute(0, 3, 1, 2)
        self.kept = attn
        return self.proj(x.contiguous())
