"""Windows and the slots within them: a table for each window stands for n × n pairs of absolute positions.

Attention over windows (Swin, Liu et al. 2021, arXiv 2103.14030, section 3.2) adds the same numbers to the scores
of every window. In absolute positions that is one number for each pair of slots: w² × w² of them, however many
windows there are.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Int, Shaped
from torch import Tensor

from attnviz.attention.tiles import Index
from attnviz.base.errors import InputError
from attnviz.base.language import _m


@dataclass(frozen=True, eq=False)
class Places:
    """windows: in which window each position is. slots: where within it. Both counted from 0, the same for all items."""

    windows: Int[Tensor, " n"]
    slots: Int[Tensor, " n"]

    def __post_init__(self) -> None:
        for name, numbers in (("windows", self.windows), ("slots", self.slots)):
            if len(numbers) == 0 or (not numbers.is_meta and int(numbers.min()) < 0):
                raise InputError(_m("Every position needs a number from 0 on in “{field}”."), field=name)

    def __len__(self) -> int:
        return len(self.windows)

    def check(self, table: Shaped[Tensor, "items_or_1 windows_or_1 heads_or_1 s t"], sizes: tuple[int, ...]) -> None:
        """Raises `InputError` where a table does not hold what these places, items, heads, queries and keys need."""
        items, heads, queries, keys = sizes
        known = table.shape
        wide = int(self.slots.max()) + 1
        fits = (
            known[0] in (1, items)
            and (known[1] == 1 or known[1] > int(self.windows.max()))
            and known[2] in (1, heads)
            and min(known[3:]) >= wide
            and len(self) == queries == keys
        )
        if not fits:
            raise InputError(
                _m(
                    "The table for windows has shape {found} and {positions} places, which do not go with items, heads, queries and keys of {expected}."
                ),
                found=tuple(known),
                positions=len(self),
                expected=sizes,
            )

    def tile(
        self,
        table: Shaped[Tensor, "items_or_1 windows_or_1 heads_or_1 s t"],
        item: int,
        head: int | None,
        rows: Index,
        cols: Index,
    ) -> Shaped[Tensor, "h_or_1 rows cols"]:
        """What the table holds for each pair; for a pair from two windows, what it holds for the query's window."""
        chosen = table[item if table.shape[0] > 1 else 0].transpose(0, 1)
        if head is not None and chosen.shape[0] > 1:
            chosen = chosen[head : head + 1]
        windows = self.windows[rows] if chosen.shape[1] > 1 else self.windows.new_zeros(1)
        return chosen[:, windows[:, None], self.slots[rows][:, None], self.slots[cols][None]]

    def on(self, device: torch.device) -> "Places":
        """The same places on this device."""
        return Places(self.windows.to(device), self.slots.to(device))

    def to_json(self) -> dict[str, list[int]]:
        """Plain numbers."""
        return {"windows": self.windows.tolist(), "slots": self.slots.tolist()}
