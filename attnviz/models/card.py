"""What is known about a model that can be chosen by its name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """`installed` says whether it can be loaded now; if not, `how_to_get` says in one sentence how to get it."""

    name: str
    title: str
    description: str
    licence: str
    source: str
    layers: int
    heads: int
    installed: bool
    how_to_get: str
