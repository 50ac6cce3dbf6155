"""A turn model with fewer tokens than there are road users: what it looks at then, and what it decides."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import fewer
from attnviz.attention.fewer import Fewer
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.turn.networks import HEADS, WIDTH, Heads, OneLayer
from attnviz.models.turn.turn_model import Seen, TurnModel


@dataclass(frozen=True, eq=False)
class Decided:
    """weights: of the ego's look at every token, for each head. log_odds: of a conflict if it turns now."""

    weights: Float[Tensor, "heads tokens"]
    log_odds: float


@dataclass(frozen=True, eq=False)
class OneLook:
    """A model in which the ego looks once, stopped before it looks: the tokens it is about to look at, the ego first."""

    network: OneLayer
    attention: Heads
    tokens: Float[Tensor, "n width"]

    @classmethod
    def of(cls, model: TurnModel, seen: Seen) -> "OneLook":
        """At the first moment of `seen`. Raises `InputError` for a model that looks in another way."""
        network = model.module
        if not isinstance(network, OneLayer) or not isinstance(network.attention, Heads):
            raise InputError(_m("The model {name} does not look just once, from the ego."), name=model.name[:60])
        with torch.no_grad():
            return cls(network, network.attention, network.embed(seen.features[0, seen.present[0]]))

    @property
    def keys(self) -> Float[Tensor, "n size"]:
        """Of every token, the mean over the heads: what Bolya et al. 2022 compare tokens by."""
        with torch.no_grad():
            found: Tensor = self.attention.key(self.tokens).unflatten(-1, (HEADS, -1)).mean(-2)
        return found

    def decide(self, kept: Fewer | None = None) -> Decided:
        """The ego looks at these tokens instead, each the mean of its members and counted as many times (log sizes).

        Without any, at all of them: what the model does by itself. The ego asks with its own token in any case.
        """
        kept = kept or Fewer.of_groups(torch.arange(len(self.tokens)))
        heads = self.attention
        with torch.no_grad():
            ego, tokens = self.tokens[:1], kept.mean(self.tokens)
            query, key, value = (
                part(of).reshape(-1, HEADS, WIDTH // HEADS).transpose(0, 1)
                for part, of in ((heads.query, ego), (heads.key, tokens), (heads.value, tokens))
            )
            weights = fewer.attend(query, key, kept.sizes)
            looked = heads.combine((weights @ value).transpose(0, 1).flatten(1))
            return Decided(weights[:, 0], float(self.network.decide(ego + looked)))
