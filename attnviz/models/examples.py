"""Small examples whose vectors are typed in: where the Playground starts from."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnviz.base.language import _, _m

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Example:
    """Vectors to begin with. `query` is n × d, `key` m × d, `value` m × v; `cross` when queries and keys differ."""

    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    query: Matrix
    key: Matrix
    value: Matrix
    cross: bool
    scale: bool = True
    limit: float = 4.0


def seed_zero() -> Example:
    """Four tokens of eight dimensions from torch's generator with seed 0: token 0 puts 0.741 on token 1."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 4, 8, generator=generator).unbind(0)
    names = tuple(_("token {index}", index=index) for index in range(4))
    return Example(names, names, _matrix(query), _matrix(key), _matrix(value), cross=False)


def intersection() -> Example:
    """An ego car at a crossing asks what stands in its way; the parked car gets 0.0095."""
    return Example(
        (_("ego car"),),
        (_("oncoming car"), _("pedestrian"), _("parked car")),
        ((1.0, 2.0),),
        ((2.0, 1.0), (1.0, 2.0), (-1.0, 0.0)),
        ((0.6,), (0.9,), (0.1,)),
        cross=True,
    )


def quiz() -> Example:
    """Dot products 2 and 0 without scaling: weights 0.88 and 0.12 (0.80 and 0.20 with it)."""
    return Example(
        (_("query"),),
        (_("key A"), _("key B")),
        ((1.0, 0.0),),
        ((2.0, 0.0), (0.0, 2.0)),
        ((10.0,), (30.0,)),
        cross=True,
        scale=False,
        limit=40.0,
    )


def translation() -> Example:
    """“The black cat” → “le chat noir”, typed in so that the second and the third word cross."""
    return Example(
        ("le", "chat", "noir"),
        ("the", "black", "cat"),
        ((4.0, 0.0, 0.5), (0.5, 0.5, 4.0), (0.0, 4.0, 0.5)),
        ((2.0, 0.0, 0.0), (0.0, 2.0, 0.5), (0.0, 0.5, 2.0)),
        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        cross=True,
    )


# Identifier in an address → (title, maker).
EXAMPLES: dict[str, tuple[str, Callable[[], Example]]] = {
    "seed-0": (_m("Random vectors, seed 0"), seed_zero),
    "intersection": (_m("Intersection"), intersection),
    "quiz": (_m("Quiz"), quiz),
    "translation": (_m("The black cat → noir"), translation),
}


def _matrix(tensor: torch.Tensor) -> Matrix:
    # Seven significant digits bring back the same float32 value's weights and are short enough for an address.
    return tuple(tuple(float(f"{number:.7g}") for number in row) for row in tensor.tolist())
