"""Three small networks that read road users and tell how likely a conflict is if the ego turns now."""

from collections.abc import Callable
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attnviz.models.turn.features import FEATURES

Kind = Literal["ego", "self", "uniform"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WIDTH = 32
HEADS = 2
HIDDEN = 64
LAYERS = 2


class Heads(nn.Module):
    """Scaled dot-product attention (Vaswani et al. 2017, arXiv 1706.03762) of some tokens to all that are present."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.combine = nn.Linear(WIDTH, WIDTH)

    def forward(
        self,
        asking: Float[Tensor, "scenes queries width"],
        tokens: Float[Tensor, "scenes tokens width"],
        present: Bool[Tensor, "scenes tokens"],
    ) -> Float[Tensor, "scenes queries width"]:
        """Absent tokens get no weight."""
        query, key, value = (
            self._split(self.query(asking)),
            self._split(self.key(tokens)),
            self._split(self.value(tokens)),
        )
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=present[:, None, None])
        joined: Tensor = self.combine(found.transpose(1, 2).flatten(2))
        return joined

    def weights(
        self,
        asking: Float[Tensor, "scenes queries width"],
        tokens: Float[Tensor, "scenes tokens width"],
        present: Bool[Tensor, "scenes tokens"],
    ) -> Float[Tensor, "scenes heads queries tokens"]:
        """The weights of the same attention."""
        query, key = self._split(self.query(asking)), self._split(self.key(tokens))
        scores = query @ key.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
        found: Tensor = scores.masked_fill(~present[:, None, None], -torch.inf).softmax(-1)
        return found

    def _split(self, tokens: Float[Tensor, "scenes tokens width"]) -> Float[Tensor, "scenes heads tokens size"]:
        return tokens.view(*tokens.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)


class Even(nn.Module):
    """What remains of attention without its weights: everybody present counts the same."""

    def __init__(self) -> None:
        super().__init__()
        self.value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.combine = nn.Linear(WIDTH, WIDTH)

    def forward(
        self,
        asking: Float[Tensor, "scenes queries width"],
        tokens: Float[Tensor, "scenes tokens width"],
        present: Bool[Tensor, "scenes tokens"],
    ) -> Float[Tensor, "scenes queries width"]:
        """The mean of the values of all that are present."""
        share = present.to(tokens.dtype) / present.sum(dim=1, keepdim=True)
        mean = (self.value(tokens) * share[..., None]).sum(dim=1, keepdim=True)
        joined: Tensor = self.combine(mean)
        return joined.expand_as(asking)


class OneLayer(nn.Module):
    """The ego asks everybody and itself, once. After Leurent and Mercat 2019, arXiv 1911.12250, in layout."""

    def __init__(self, *, even: bool = False) -> None:
        super().__init__()
        self.embed = _mlp(FEATURES, WIDTH)
        self.attention = Even() if even else Heads()
        self.decide = _mlp(WIDTH, 1)

    def forward(
        self, features: Float[Tensor, "scenes tokens features"], present: Bool[Tensor, "scenes tokens"]
    ) -> Float[Tensor, " scenes"]:
        """The log-odds of a conflict; token 0 is the ego."""
        tokens = embedded(self.embed, features, present)
        ego = tokens[:, :1]
        decided: Tensor = self.decide((ego + self.attention(ego, tokens, present))[:, 0])
        return decided[:, 0]


class Block(nn.Module):
    """Self-attention and a feed-forward part, each with a normalisation before it and a residual around it."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention, self.before_forward = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Heads()
        self.feed_forward = _mlp(WIDTH, WIDTH)

    def forward(
        self, tokens: Float[Tensor, "scenes tokens width"], present: Bool[Tensor, "scenes tokens"]
    ) -> Float[Tensor, "scenes tokens width"]:
        """Everybody asks everybody who is present."""
        normal = self.before_attention(tokens)
        tokens = tokens + self.attention(normal, normal, present)
        joined: Tensor = tokens + self.feed_forward(self.before_forward(tokens))
        return joined


class TwoLayers(nn.Module):
    """Everybody asks everybody, twice; the decision is read from the ego's token."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = _mlp(FEATURES, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))
        self.decide = _mlp(WIDTH, 1)

    def forward(
        self, features: Float[Tensor, "scenes tokens features"], present: Bool[Tensor, "scenes tokens"]
    ) -> Float[Tensor, " scenes"]:
        """The log-odds of a conflict; token 0 is the ego."""
        tokens = embedded(self.embed, features, present)
        for layer in self.layers:
            tokens = layer(tokens, present)
        decided: Tensor = self.decide(tokens[:, 0])
        return decided[:, 0]


def build(kind: Kind) -> nn.Module:
    """A network whose weights are drawn from torch's current random state."""
    return TwoLayers() if kind == "self" else OneLayer(even=kind == "uniform")


def embedded(
    embed: nn.Module, features: Float[Tensor, "scenes tokens features"], present: Bool[Tensor, "scenes tokens"]
) -> Float[Tensor, "scenes tokens width"]:
    """The tokens that are present, embedded; zeros for the others, which nobody looks at: half of the work saved."""
    tokens = features.new_zeros(*present.shape, WIDTH)
    tokens[present] = embed(features[present])
    return tokens


def _mlp(size: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, out))


def ego_weights(
    module: nn.Module, features: Float[Tensor, "scenes tokens features"], present: Bool[Tensor, "scenes tokens"]
) -> tuple[Float[Tensor, " scenes"], Float[Tensor, "layers scenes heads tokens"]]:
    """The log-odds, and the weights with which the ego looks at every token, for many scenes at once.

    The same weights as those of a trace, without one; there are no layers in a network without attention.
    """
    found: list[Tensor] = []

    def looking(heads: Heads) -> Callable[[nn.Module, tuple[Tensor, Tensor, Tensor]], None]:
        return lambda _, inputs: found.append(heads.weights(*inputs)[:, :, 0])

    hooks = [part.register_forward_pre_hook(looking(part)) for part in module.modules() if isinstance(part, Heads)]
    try:
        decided: Tensor = module(features, present)
    finally:
        for hook in hooks:
            hook.remove()
    empty = features.new_zeros(0, len(features), HEADS, features.shape[1])
    return decided, torch.stack(found) if found else empty
