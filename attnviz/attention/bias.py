"""What is added to the scores without being kept pair by pair: worked out for the tile that is asked for."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.tiles import Index


class Bias(ABC):
    """A finite number for each head and each pair of a query and a key. What forbids a pair is a mask."""

    @abstractmethod
    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h_or_1 rows cols"]:
        """The numbers of some queries and keys; head None means all heads."""

    @abstractmethod
    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """Raises `InputError` where the bias was made for other sizes than these."""

    @abstractmethod
    def on(self, device: torch.device) -> "Bias":
        """The same bias with its tensors on this device."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """Everything that is kept, under the names that `bias_from_json` finds it by."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The bias as plain values, without its tensors."""

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors that are kept."""
        return sum(tensor.nbytes for tensor in self.tensors().values())
