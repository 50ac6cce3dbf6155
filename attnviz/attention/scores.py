"""Where the weights of an attention come from: queries and keys, or weights that were stored as they are."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.bias import Bias
from attnviz.attention.tiles import Index, pick, tile_of


@dataclass(frozen=True, eq=False)
class DotProduct:
    """Scores softcap(scale · q kᵀ) + bias, worked out for the part that is asked for.

    scale: what the dot products are multiplied by, usually 1/√d (Vaswani et al. 2017, arXiv 1706.03762, 3.2.1).
    bias: added to the scaled scores; a dimension of size 1 is the same for all. Finite: what forbids is a mask.
    softcap: c·tanh(score/c), which keeps scores between −c and c (Gemma 2, arXiv 2408.00118, section 2).
    sinks: a learnt score for each head that takes part in the softmax as one more key without a value
        (gpt-oss; "attention sinks", Xiao et al. 2023, arXiv 2309.17453).
    Fewer key heads than query heads: consecutive query heads share one (Ainslie et al. 2023, arXiv 2305.13245).
    """

    query: Float[Tensor, "items heads n d"]
    key: Float[Tensor, "items kv_heads m d"]
    scale: float
    bias: Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | Bias | None = None
    softcap: float | None = None
    sinks: Float[Tensor, " heads"] | None = None

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""
        items, heads, queries, _ = self.query.shape
        return items, heads, queries, self.key.shape[2]

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.query.device

    @property
    def kv_heads(self) -> int:
        """How many heads the keys have."""
        return self.key.shape[1]

    @property
    def dtype(self) -> torch.dtype:
        """What is computed in: float64 for float64 queries, float32 for all others."""
        return torch.float64 if self.query.dtype == torch.float64 else torch.float32

    def tensors(self) -> tuple[Tensor, ...]:
        """Everything that is kept."""
        bias = self.bias.tensors().values() if isinstance(self.bias, Bias) else (self.bias,)
        return tuple(t for t in (self.query, self.key, *bias, self.sinks) if t is not None)

    def on(self, device: torch.device) -> "DotProduct":
        """The same scores on another device."""
        return replace(
            self,
            query=self.query.to(device),
            key=self.key.to(device),
            bias=bias_on(self.bias, device),
            sinks=None if self.sinks is None else self.sinks.to(device),
        )

    def keys(self, item: int, head: int | None, cols: Index) -> Float[Tensor, "kv m d"]:
        """The keys that go with a head (None: all), ready for one strip of queries after another."""
        return pick(shared(self.key[item], self.sizes[1], head), 1, cols).to(self.dtype)

    def logits(
        self, item: int, head: int | None, rows: Index, cols: Index, keys: Float[Tensor, "kv m d"] | None = None
    ) -> Float[Tensor, "h n m"]:
        """The scores before the mask; `keys` are those of `cols` where they are already at hand."""
        keys = self.keys(item, head, cols) if keys is None else keys
        query = self.query[item] if head is None else self.query[item, head : head + 1]
        scaled = pick(query, 1, rows).to(self.dtype) * self.scale
        logits = grouped_product(scaled, keys.mT)
        if self.softcap is not None:
            logits = logits.div_(self.softcap).tanh_().mul_(self.softcap)
        if self.bias is not None:
            logits += (
                self.bias.tile(item, head, rows, cols)
                if isinstance(self.bias, Bias)
                else tile_of(self.bias, item, head, rows, cols)
            )
        return logits

    def sinks_of(self, head: int | None) -> Float[Tensor, "h 1"] | None:
        """The sinks' scores as one more column."""
        if self.sinks is None:
            return None
        return (self.sinks if head is None else self.sinks[head : head + 1]).to(self.dtype)[:, None]


def bias_on(
    bias: Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | Bias | None, device: torch.device
) -> Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | Bias | None:
    """A bias of either kind on another device."""
    return bias if bias is None else bias.on(device) if isinstance(bias, Bias) else bias.to(device)


class Given(ABC):
    """Weights that are no softmax of q·k: stored as they are, or worked out for a tile in another way."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where everything is."""

    @property
    def kv_heads(self) -> int:
        """As many as there are heads: weights alone do not tell."""
        return self.sizes[1]

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """What is computed in: float64 for float64 weights, float32 for all others."""

    @abstractmethod
    def tensors(self) -> tuple[Tensor, ...]:
        """Everything that is kept."""

    @abstractmethod
    def on(self, device: torch.device) -> "Given":
        """The same weights on another device."""

    @abstractmethod
    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h n m"]:
        """The weights of some queries and keys; may share memory with what is kept."""


@dataclass(frozen=True, eq=False)
class Stored(Given):
    """Weights as something else computed them."""

    stored: Float[Tensor, "items heads n m"]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""
        items, heads, queries, keys = self.stored.shape
        return items, heads, queries, keys

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.stored.device

    @property
    def dtype(self) -> torch.dtype:
        """Float64 for float64 weights, float32 for all others."""
        return torch.float64 if self.stored.dtype == torch.float64 else torch.float32

    def tensors(self) -> tuple[Tensor, ...]:
        """The weights."""
        return (self.stored,)

    def on(self, device: torch.device) -> "Stored":
        """The same weights on another device."""
        return Stored(self.stored.to(device))

    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h n m"]:
        """The stored weights of some queries and keys; shares memory with what is kept."""
        return tile_of(self.stored, item, head, rows, cols).to(self.dtype)


def shared(tensor: Float[Tensor, "kv_heads m d"], heads: int, head: int | None) -> Float[Tensor, "kv m d"]:
    """The part of the keys or values that a query head uses; all of them for None."""
    if head is None:
        return tensor
    group = head // (heads // tensor.shape[0])
    return tensor[group : group + 1]


def grouped_product(left: Float[Tensor, "h n a"], right: Float[Tensor, "kv a b"]) -> Float[Tensor, "h n b"]:
    """Matrix products in full precision, consecutive heads on the left sharing one on the right without a copy."""
    heads, rows, inner = left.shape
    with torch.autocast(left.device.type, enabled=False):
        product = left.reshape(right.shape[0], heads * rows // right.shape[0], inner) @ right
    return product.view(heads, rows, right.shape[2])
