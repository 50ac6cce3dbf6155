"""Attention without a softmax: every weight is a function of its own score, as in sigmoid attention."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.masks import Mask
from attnviz.attention.scores import DotProduct, Given
from attnviz.attention.tiles import Index, positions


@dataclass(frozen=True, eq=False)
class Pointwise(Given):
    """factor · sigmoid(scale · q kᵀ + shift + bias), 0 where the rule forbids (Ramapuram et al. 2024, arXiv 2409.04431).

    Worked out for the part that is asked for; queries, keys and bias as in `DotProduct`.
    """

    query: Float[Tensor, "items heads n d"]
    key: Float[Tensor, "items kv_heads m d"]
    scale: float
    shift: float = 0.0
    bias: Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | None = None
    rule: Mask | None = None
    factor: float = 1.0

    @property
    def _scores(self) -> DotProduct:
        return DotProduct(self.query, self.key, self.scale, self.bias)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""
        return self._scores.sizes

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
        """What is computed in."""
        return self._scores.dtype

    def tensors(self) -> tuple[Tensor, ...]:
        """Everything that is kept; the rule is kept by the attention."""
        return self._scores.tensors()

    def on(self, device: torch.device) -> "Pointwise":
        """The same weights on another device."""
        return replace(
            self,
            query=self.query.to(device),
            key=self.key.to(device),
            bias=None if self.bias is None else self.bias.to(device),
            rule=None if self.rule is None else self.rule.on(device),
        )

    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h n m"]:
        """The weights of some queries and keys."""
        weights = self._scores.logits(item, head, rows, cols).add_(self.shift).sigmoid_().mul_(self.factor)
        if self.rule is None:
            return weights
        allowed = self.rule.allowed(item, positions(rows, self.device), positions(cols, self.device), head)
        return weights.where(allowed, 0)
