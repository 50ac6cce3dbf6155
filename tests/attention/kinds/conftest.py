"""Queries, keys and values in float64, and an attention of PyTorch's own to hold everything against."""

import pytest
import torch
import torch.nn.functional as F


@pytest.fixture
def qkv():
    """Three heads of 24 positions, width 8."""
    generator = torch.Generator().manual_seed(7)
    return tuple(torch.randn(3, 24, 8, generator=generator, dtype=torch.float64) for _ in range(3))


@pytest.fixture(scope="session")
def sdpa():
    """`F.scaled_dot_product_attention` on "heads n d"."""

    def attend(query, key, value, **options):
        return F.scaled_dot_product_attention(query[None], key[None], value[None], **options)[0]

    return attend


@pytest.fixture(scope="session")
def close():
    """Equal but for rounding in float64."""

    def compare(found, expected):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)

    return compare
