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
        value = self._split(self.value(tokens))
        if self.training and asking.shape[1] > 1:
            # The same numbers; where so few tokens all ask, the plain formula learns faster on a CPU.
            found = self.weights(asking, tokens, present) @ value
        else:
            query, key = self._split(self.query(asking)), self._split(self.key(tokens))
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
        tokens = of_present(self.embed, features, present)
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
        self, tokens: Float[Tensor, "scenes tokens width"], present: Bool[Tensor, "scenes tokens"], asking: int
    ) -> Float[Tensor, "scenes asking width"]:
        """The first `asking` tokens ask everybody who is present."""
        normal = self.before_attention(tokens)
        asked = tokens[:, :asking] + self.attention(normal[:, :asking], normal, present)
        joined: Tensor = asked + of_present(self.feed_forward, self.before_forward(asked), present[:, :asking])
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
        if self.training:
            features, present = packed(features, present)
        tokens = of_present(self.embed, features, present)
        for number, layer in enumerate(self.layers, start=1):
            # Nobody reads the other tokens after the last layer: they need not be learnt with, only looked at.
            only_ego = self.training and number == len(self.layers)
            tokens = layer(tokens, present, 1 if only_ego else tokens.shape[1])
        decided: Tensor = self.decide(tokens[:, 0])
        return decided[:, 0]


def build(kind: Kind) -> nn.Module:
    """A network whose weights are drawn from torch's current random state."""
    return TwoLayers() if kind == "self" else OneLayer(even=kind == "uniform")


def of_present(
    module: nn.Module, tokens: Float[Tensor, "scenes tokens size"], present: Bool[Tensor, "scenes tokens"]
) -> Float[Tensor, "scenes tokens width"]:
    """What the module makes of each token that is present; zeros for the others, whom nobody asks: half of the work saved."""
    found = tokens.new_zeros(*present.shape, WIDTH)
    found[present] = module(tokens[present])
    return found


def packed(
    features: Float[Tensor, "scenes tokens features"], present: Bool[Tensor, "scenes tokens"]
) -> tuple[Float[Tensor, "scenes most features"], Bool[Tensor, "scenes most"]]:
    """Who is present in front, in the old order, and no more places than the fullest scene needs."""
    order = present.to(torch.int8).argsort(dim=1, descending=True, stable=True)[:, : int(present.sum(dim=1).max())]
    return features.gather(1, order[..., None].expand(-1, -1, features.shape[2])), present.gather(1, order)


def _mlp(size: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, out))


def ego_weights(
    module: nn.Module, features: Float[Tensor, "scenes tokens features"], present: Bool[Tensor, "scenes tokens"]
) -> tuple[Float[Tensor, " scenes"], Float[Tensor, "layers scenes heads tokens"]]:
    """The log-odds, and the weights with which the ego looks at every token, for many scenes at once.

    The same weights as those of a trace, without one; there are no layers in a network without attention. Whether the
    network is being trained changes nothing: in training it packs its tokens, and a weight's place would not tell whose
    it is.
    """
    training = module.training
    module.eval()
    found: list[Tensor] = []

    def looking(heads: Heads) -> Callable[[nn.Module, tuple[Tensor, Tensor, Tensor]], None]:
        return lambda _, inputs: found.append(heads.weights(*inputs)[:, :, 0])

    hooks = [part.register_forward_pre_hook(looking(part)) for part in module.modules() if isinstance(part, Heads)]
    try:
        decided: Tensor = module(features, present)
    finally:
        for hook in hooks:
            hook.remove()
        module.train(training)
    empty = features.new_zeros(0, len(features), HEADS, features.shape[1])
    return decided, torch.stack(found) if found else empty
