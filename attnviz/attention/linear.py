"""The implicit weights of linear attention: what a softmax would be, had the model written one down.

Linear attention computes φ(q)(φ(k)ᵀv) and never a weight (Katharopoulos et al. 2020, arXiv 2006.16236, equation 4).
Its output is still a weighted mean of the values, with weights φ(q)·φ(k) divided by their sum.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.scores import Given, grouped_product, shared
from attnviz.attention.tiles import Index, pick, positions


@dataclass(frozen=True, eq=False)
class Linear(Given):
    """factor · φ(q)·φ(k), divided by its sum over the keys where `normalised`; of past and present keys if `causal`.

    query, key: φ(q) and φ(k), the features as the model used them. No n × n is made beyond the part asked for.
    """

    query: Float[Tensor, "items heads n d"]
    key: Float[Tensor, "items kv_heads m d"]
    normalised: bool = True
    causal: bool = False
    factor: float = 1.0

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""
        items, heads, queries, _ = self.query.shape
        return items, heads, queries, self.key.shape[2]

    @property
    def kv_heads(self) -> int:
        """How many heads the keys have."""
        return self.key.shape[1]

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.query.device

    @property
    def dtype(self) -> torch.dtype:
        """Float64 for float64 features, float32 for all others."""
        return torch.float64 if self.query.dtype == torch.float64 else torch.float32

    def tensors(self) -> tuple[Tensor, ...]:
        """Both features."""
        return (self.query, self.key)

    def on(self, device: torch.device) -> "Linear":
        """The same weights on another device."""
        return replace(self, query=self.query.to(device), key=self.key.to(device))

    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h n m"]:
        """The weights of some queries and keys."""
        query = self.query[item] if head is None else self.query[item, head : head + 1]
        query = pick(query, 1, rows).to(self.dtype)
        keys = pick(shared(self.key[item], self.sizes[1], head), 1, cols).to(self.dtype)
        weights = grouped_product(query, keys.mT)
        if self.causal:
            past = positions(cols, self.device) <= positions(rows, self.device)[:, None]
            weights = weights.where(past, 0)
        if not self.normalised:
            return weights * self.factor
        return weights / self._totals(item, head, rows, query)

    def _totals(
        self, item: int, head: int | None, rows: Index, query: Float[Tensor, "h n d"]
    ) -> Float[Tensor, "h n 1"]:
        """The sum over all keys, worked out as the model does: from the sum of the keys' features."""
        sums = shared(self._sums[item], self.sizes[1], head)
        if not self.causal:
            return grouped_product(query, sums.mT)
        heads = len(query) // len(sums)
        past = pick(sums, 1, rows).repeat_interleave(heads, 0)
        return (query * past).sum(-1, keepdim=True)

    @cached_property
    def _sums(self) -> Float[Tensor, "items kv_heads m_or_1 d"]:
        features = self.key.to(self.dtype)
        if self.causal:
            # A query beyond the last key sees all of them.
            return features.cumsum(2)
        return features.sum(2, keepdim=True)
