"""Random numbers that depend on the seed, the scene and what they are for, never on how many are drawn at once."""

import zlib

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

_GAMMA = 0x9E3779B97F4A7C15
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def uniform(
    seed: int, scenes: Int64[Tensor, " scenes"], purpose: str, count: int = 1
) -> Float64[Tensor, "scenes {count}"]:
    """`count` numbers in [0, 1) for each scene.

    scenes: the scenes' own numbers. purpose: what the numbers are for; another purpose gives other, independent
    ones. The counter goes through the mixing step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
    number generators, OOPSLA 2014).
    """
    stream = mixed(mixed(torch.tensor(_signed(seed))) + zlib.crc32(purpose.encode()))
    start = mixed(stream + scenes)[:, None]
    bits = mixed(start + torch.arange(count))
    return _shifted(bits, 11).to(torch.float64) * 2.0**-53


def mixed(state: Int64[Tensor, "*any"]) -> Int64[Tensor, "*any"]:
    """One step of SplitMix64 from this state; 64 bits, of which the sign is one."""
    z = state + _signed(_GAMMA)
    z = (z ^ _shifted(z, 30)) * _signed(_FACTORS[0])
    z = (z ^ _shifted(z, 27)) * _signed(_FACTORS[1])
    return z ^ _shifted(z, 31)


def _shifted(number: Int64[Tensor, "*any"], places: int) -> Int64[Tensor, "*any"]:
    # torch shifts the sign in; the generator's shifts bring zeros.
    return (number >> places) & ((1 << (64 - places)) - 1)


def _signed(number: int) -> int:
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number
