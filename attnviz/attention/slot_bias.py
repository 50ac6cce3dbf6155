"""A bias that depends on the slots within a window, as Swin's relative position bias does."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.bias import Bias
from attnviz.attention.slots import Places
from attnviz.attention.tiles import Index


@dataclass(frozen=True, eq=False)
class SlotBias(Bias):
    """table: what is added for two slots of a window; a dimension of size 1 is the same for all.

    Between windows it says nothing: a mask such as `Groups` has to forbid those pairs.
    """

    table: Float[Tensor, "items_or_1 windows_or_1 heads_or_1 s t"]
    places: Places

    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h_or_1 rows cols"]:
        """The numbers of the slots of these queries and keys."""
        return self.places.tile(self.table, item, head, rows, cols)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """Every position has a window and a slot that the table knows."""
        self.places.check(self.table, (items, heads, queries, keys))

    def on(self, device: torch.device) -> "SlotBias":
        """The same bias on another device."""
        return self if self.table.device == device else SlotBias(self.table.to(device), self.places.on(device))

    def tensors(self) -> dict[str, Tensor]:
        """The table."""
        return {"table": self.table}

    def to_json(self) -> dict[str, Any]:
        """Window and slot of each position."""
        return {"bias": "slots", **self.places.to_json()}
