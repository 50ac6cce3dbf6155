"""Masks for attention over parts of a sequence: groups of positions, slots of windows, blocks, global positions.

None of them keeps a truth value for each pair of positions. Queries i and keys j are counted from 0.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from attnviz.attention.bias import Bias
from attnviz.attention.masks import Mask
from attnviz.attention.slots import Places
from attnviz.attention.tiles import Index, positions
from attnviz.base.errors import InputError
from attnviz.base.language import _m

_GROUPS = _m("The groups of the mask were made for {found}; {expected} items, queries and keys were expected.")
_BLOCKS = _m("The blocks have shape {found} and size {size}; items, heads, queries and keys are {expected}.")
_GLOBAL = _m("The global positions have shape {found}; items, queries and keys are {expected}.")


@dataclass(frozen=True, eq=False)
class Groups(Mask):
    """Allowed where query and key are of the same group, as the windows of Swin or the sequences of a packed row.

    queries, keys: the group of each position; one row stands for every item.
    """

    queries: Int[Tensor, "items_or_1 n"]
    keys: Int[Tensor, "one_or_items m"]

    def allowed(
        self,
        item: int,
        rows: Int[Tensor, " n"],
        cols: Int[Tensor, " m"],
        head: int | None = None,  # noqa: ARG002  the same for all heads
    ) -> Bool[Tensor, "h n m"]:
        """Equal groups."""
        queries, keys = self._of(item)
        return (queries[rows][:, None] == keys[cols][None])[None]

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
        """From the first key to the last that is of a group of these queries."""
        of_query, of_key = self._of(item)
        seen = torch.isin(of_key, of_query[first : last + 1]).nonzero()
        return (0, 0) if len(seen) == 0 else (int(seen[0]), min(keys, int(seen[-1]) + 1))

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:  # noqa: ARG002  the same for all heads
        """A group for each query and each key."""
        found = (self.queries.shape, self.keys.shape)
        lengths = (found[0][1], found[1][1]) == (queries, keys)
        if not lengths or found[0][0] not in (1, items) or found[1][0] not in (1, items):
            raise InputError(_GROUPS, found=(tuple(found[0]), tuple(found[1])), expected=(items, queries, keys))

    def on(self, device: torch.device) -> "Groups":
        """The same groups on this device."""
        return Groups(self.queries.to(device), self.keys.to(device))

    def to_json(self) -> dict[str, Any]:
        """The groups as plain numbers."""
        return {"rule": "groups", "queries": self.queries.tolist(), "keys": self.keys.tolist()}

    def _of(self, item: int) -> tuple[Int[Tensor, " n"], Int[Tensor, " m"]]:
        return self.queries[item if len(self.queries) > 1 else 0], self.keys[item if len(self.keys) > 1 else 0]


@dataclass(frozen=True, eq=False)
class SlotPairs(Mask):
    """The pairs of slots that each window allows. Between windows it says nothing: `Groups` forbids those pairs."""

    pairs: Bool[Tensor, "items_or_1 windows_or_1 heads_or_1 s t"]
    places: Places

    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """The pairs of the slots of these queries and keys."""
        return self.places.tile(self.pairs, item, head, rows, cols)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """Every position has a window and a slot that are known."""
        self.places.check(self.pairs, (items, heads, queries, keys))

    def on(self, device: torch.device) -> "SlotPairs":
        """The same pairs on this device."""
        return SlotPairs(self.pairs.to(device), self.places.on(device))

    def to_json(self) -> dict[str, Any]:
        """Window and slot of each position."""
        return {"rule": "slots", **self.places.to_json()}

    def tensors(self) -> dict[str, Tensor]:
        """The pairs, under the name "allowed"."""
        return {"allowed": self.pairs}


@dataclass(frozen=True, eq=False)
class Blocks(Mask):
    """One truth value for each block of `size` queries and `size` keys (BigBird, arXiv 2007.14062, section 2).

    A dimension of size 1 is the same for all items or heads; the last block may be cut short.
    """

    pairs: Bool[Tensor, "items_or_1 heads_or_1 query_blocks key_blocks"]
    size: int

    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """The block that the pair lies in."""
        return _of_blocks(self.pairs, self.size, item, head, rows, cols)

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
        """From the first block to the last that these queries see in any head."""
        of_item = self.pairs[item if len(self.pairs) > 1 else 0]
        seen = of_item[:, first // self.size : last // self.size + 1].any(0).any(0).nonzero()
        if len(seen) == 0:
            return 0, 0
        return int(seen[0]) * self.size, min(keys, (int(seen[-1]) + 1) * self.size)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """As many blocks as the queries and keys fill."""
        _check_blocks(self.pairs, self.size, (items, heads, queries, keys))

    def on(self, device: torch.device) -> "Blocks":
        """The same blocks on this device."""
        return Blocks(self.pairs.to(device), self.size)

    def to_json(self) -> dict[str, Any]:
        """The size of a block."""
        return {"rule": "blocks", "size": self.size}

    def tensors(self) -> dict[str, Tensor]:
        """The truth values, under the name "allowed"."""
        return {"allowed": self.pairs}


@dataclass(frozen=True, eq=False)
class BlockBias(Bias):
    """One number for each block of `size` queries and `size` keys, added to all scores in it."""

    table: Float[Tensor, "items_or_1 heads_or_1 query_blocks key_blocks"]
    size: int

    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h_or_1 rows cols"]:
        """The number of the block that each pair lies in."""
        device = self.table.device
        return _of_blocks(self.table, self.size, item, head, positions(rows, device), positions(cols, device))

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """As many blocks as the queries and keys fill."""
        _check_blocks(self.table, self.size, (items, heads, queries, keys))

    def on(self, device: torch.device) -> "BlockBias":
        """The same bias on another device."""
        return BlockBias(self.table.to(device), self.size)

    def tensors(self) -> dict[str, Tensor]:
        """The table."""
        return {"table": self.table}

    def to_json(self) -> dict[str, Any]:
        """The size of a block."""
        return {"bias": "blocks", "size": self.size}


@dataclass(frozen=True, eq=False)
class GlobalWindow(Mask):
    """A window of |i − j| ≤ `side`, and positions that see every key and that every query sees.

    So Longformer attends (Beltagy et al. 2020, arXiv 2004.05150, section 3.1). everywhere: the global positions.
    """

    side: int
    everywhere: Bool[Tensor, "items_or_1 n"]

    def allowed(
        self,
        item: int,
        rows: Int[Tensor, " n"],
        cols: Int[Tensor, " m"],
        head: int | None = None,  # noqa: ARG002  the same for all heads
    ) -> Bool[Tensor, "h n m"]:
        """Near, or the query is global, or the key is."""
        everywhere = self._of(item)
        near = (rows[:, None] - cols[None]).abs() <= self.side
        return (near | everywhere[rows][:, None] | everywhere[cols][None])[None]

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
        """The windows of these queries and every global key; everything where a query is global."""
        everywhere = self._of(item)
        if bool(everywhere[first : last + 1].any()):
            return 0, keys
        start, stop = max(0, first - self.side), min(keys, last + self.side + 1)
        far = everywhere.nonzero()
        if len(far) == 0:
            return start, stop
        return min(start, int(far[0])), max(stop, int(far[-1]) + 1)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:  # noqa: ARG002  the same for all heads
        """One sequence, with a truth value for each position."""
        found = self.everywhere.shape
        if found[0] not in (1, items) or not found[1] == queries == keys:
            raise InputError(_GLOBAL, found=tuple(found), expected=(items, queries, keys))

    def on(self, device: torch.device) -> "GlobalWindow":
        """The same rule on this device."""
        return GlobalWindow(self.side, self.everywhere.to(device))

    def to_json(self) -> dict[str, Any]:
        """The reach of the window."""
        return {"rule": "global-window", "side": self.side}

    def tensors(self) -> dict[str, Tensor]:
        """The global positions, under the name "everywhere"."""
        return {"everywhere": self.everywhere}

    def _of(self, item: int) -> Bool[Tensor, " n"]:
        return self.everywhere[item if len(self.everywhere) > 1 else 0]


def _of_blocks(
    table: Shaped[Tensor, "items_or_1 heads_or_1 query_blocks key_blocks"],
    size: int,
    item: int,
    head: int | None,
    rows: Int[Tensor, " n"],
    cols: Int[Tensor, " m"],
) -> Shaped[Tensor, "h n m"]:
    chosen = table[item if len(table) > 1 else 0]
    if head is not None and len(chosen) > 1:
        chosen = chosen[head : head + 1]
    return chosen[:, (rows // size)[:, None], (cols // size)[None]]


def _check_blocks(table: Tensor, size: int, sizes: tuple[int, int, int, int]) -> None:
    items, heads, queries, keys = sizes
    fits = size > 0 and tuple(table.shape[2:]) == (-(-queries // size), -(-keys // size))
    if not fits or table.shape[0] not in (1, items) or table.shape[1] not in (1, heads):
        raise InputError(_BLOCKS, found=tuple(table.shape), size=size, expected=sizes)
