"""What the fused kernels did on this machine: which one ran, how its numbers differ, what memory both forms took."""

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds import fused
from attnviz.attention.kinds.causal import causal_pairs
from attnviz.attention.kinds.kind import drawn
from attnviz.base import device
from attnviz.ui.views.kinds import LENGTHS

HEADS, WIDTH = 4, 64
"""Of what is tried, in float32: queries, keys and values drawn from a standard normal, seeds 0, 1 and 2."""
_KEY = "kinds:fused"


@dataclass(frozen=True)
class Spec:
    """What is tried: up to how many positions, and whether with a causal mask."""

    length: int
    causal: bool


@dataclass(frozen=True)
class Measured:
    """One length. backend, operation: what PyTorch ran. difference: the largest, of all outputs. Bytes beyond the inputs."""

    length: int
    backend: str
    operation: str
    is_fused: bool
    willing: tuple[str, ...]
    difference: float
    largest: float
    plain_bytes: int
    fused_bytes: int


def of(spec: Spec) -> list[Measured]:
    """What this session has measured of it so far, the shortest first."""
    found: dict[tuple[int, bool], Measured] = st.session_state.get(_KEY, {})
    return [found[length, spec.causal] for length in lengths(spec) if (length, spec.causal) in found]


def lengths(spec: Spec) -> list[int]:
    """The lengths that are tried."""
    return [length for length in LENGTHS if length <= spec.length]


def steps(spec: Spec) -> Iterator[float]:
    """Measures one length after the other, the shortest first; gives the share that is done. Raises `InputError`."""
    todo = lengths(spec)
    # A pair is what takes time.
    total, done = sum(length**2 for length in todo), 0
    yield 0.0
    for length in todo:
        measured = measure(length, spec.causal)
        st.session_state.setdefault(_KEY, {})[length, spec.causal] = measured
        done += length**2
        yield done / total


def measure(length: int, causal: bool, *, on: torch.device | None = None) -> Measured:
    """Everything about one length. Raises `InputError` where the plain form would not fit into memory."""
    place = on or device.choose()
    query, key, value = vectors(length, place)
    mask = causal_pairs(length, length, place) if causal else None
    backend = fused.which_backend(query, key, value, mask)
    willing = fused.willing_backends(query, key, value, mask)
    plain_bytes = fused.peak_bytes("plain", query, key, value, mask)
    return Measured(
        length, backend.name, backend.operation, backend.fused, tuple(name for name, runs in willing.items() if runs),
        fused.largest_difference(query, key, value, mask), _largest(query, key, value, mask), plain_bytes,
        fused.peak_bytes("fused", query, key, value, mask),
    )  # fmt: skip


def vectors(
    length: int, place: torch.device
) -> tuple[Float[Tensor, "1 heads n d"], Float[Tensor, "1 heads n d"], Float[Tensor, "1 heads n d"]]:
    """Queries, keys and values that mean nothing."""
    query, key, value = (drawn(1, HEADS, length, WIDTH, seed=seed).to(place) for seed in range(3))
    return query, key, value


def _largest(
    query: Float[Tensor, "1 heads n d"],
    key: Float[Tensor, "1 heads n d"],
    value: Float[Tensor, "1 heads n d"],
    mask: Bool[Tensor, "n n"] | None,
) -> float:
    """The largest number of the output: what a difference is compared with."""
    return float(fused.fused(query, key, value, mask).abs().max())
