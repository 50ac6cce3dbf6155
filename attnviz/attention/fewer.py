"""Fewer tokens: pooled in blocks, the similar ones merged, or some left out; and what each token has become.

Attention costs with the square of the tokens, so half of them cost a quarter. What is lost is another matter, and is
measured here: how far each token is from the one that stands for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m

LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class Fewer:
    """became: for each of n tokens the one of k that stands for it, −1 if none does. sizes: how many each stands for."""

    became: Int[Tensor, " n"]
    sizes: Int[Tensor, " k"]

    @classmethod
    def of_groups(cls, group: Int[Tensor, " n"]) -> "Fewer":
        """Tokens with the same number become one, −1 leaves out; the new ones stand in the order of their first members."""
        became = torch.full_like(group, LEFT_OUT)
        known: dict[int, int] = {}
        for place, number in enumerate(group.tolist()):
            if number != LEFT_OUT:
                became[place] = known.setdefault(number, len(known))
        sizes = torch.bincount(became[became >= 0], minlength=len(known))
        return cls(became, sizes)

    def mean(self, vectors: Float[Tensor, "*heads n d"]) -> Float[Tensor, "*heads k d"]:
        """The mean of the members of each new token."""
        there = self.became >= 0
        total = vectors.new_zeros(*vectors.shape[:-2], len(self.sizes), vectors.shape[-1])
        total.index_add_(-2, self.became[there], vectors[..., there, :])
        return total / self.sizes[:, None]

    def stand_in(self, merged: Float[Tensor, "*heads k d"]) -> Float[Tensor, "*heads n d"]:
        """For each old token the vector of the new one that stands for it; NaN where none does."""
        left_out = (self.became < 0)[:, None]
        return merged[..., self.became.clamp(min=0), :].masked_fill(left_out, torch.nan)

    def members(self, token: int) -> tuple[int, ...]:
        """The old tokens that a new one stands for."""
        return tuple((self.became == token).nonzero()[:, 0].tolist())

    def company(self, token: int) -> tuple[int, ...]:
        """With whom an old token shares its new one; empty if it is alone or left out."""
        mine = int(self.became[token])
        return () if mine == LEFT_OUT else tuple(other for other in self.members(mine) if other != token)


def in_blocks(rows: int, columns: int, side: int) -> Fewer:
    """Average pooling: each square of side × side tokens of a picture becomes one; at the edges less than a square."""
    _at_least_one(side)
    place = torch.arange(rows * columns)
    across = -(-columns // side)
    return Fewer.of_groups(place // columns // side * across + place % columns // side)


def in_runs(count: int, length: int) -> Fewer:
    """Average pooling along a sequence: each run of so many tokens becomes one."""
    return in_blocks(1, count, length)


def in_cells(places: Float[Tensor, "n 2"], side: float, protected: Sequence[int] = ()) -> Fewer:
    """Whoever stands in the same square of a ground of side × side metres becomes one; the protected stay alone."""
    if not side > 0:
        raise InputError(_m("The side of a square has to be above 0; it is {found}."), found=side)
    cell = (places / side).floor().long()
    _, number = torch.unique(cell, dim=0, return_inverse=True)
    alone = torch.tensor(list(protected), dtype=torch.long)
    number[alone] = len(places) + alone
    return Fewer.of_groups(number)


def left_out(keep: Bool[Tensor, " n"]) -> Fewer:
    """Cropping the view: what is not kept has no token any more."""
    return Fewer.of_groups(torch.arange(len(keep)).masked_fill(~keep, LEFT_OUT))


def similar(metric: Float[Tensor, "n d"], keep: int, protected: Sequence[int] = ()) -> Fewer:
    """Bipartite soft matching (Bolya et al. 2022, arXiv 2210.09461, section 3): the similar ones are merged.

    Every second token looks for the most similar of the others (cosine of `metric`; the paper takes the keys), and the
    most similar pairs are merged, their metric averaged by size. At most half go in one round; rounds follow until
    `keep` are left. The protected take no part. Raises `InputError` where so few cannot be kept.
    """
    count = len(metric)
    if not max(1, len(protected) + (len(protected) < count)) <= keep <= count:
        raise InputError(
            _m("{keep} of {count} tokens cannot be kept; {least} to {count} can."),
            keep=keep, count=count, least=max(1, len(protected) + (len(protected) < count)),
        )  # fmt: skip
    group = torch.arange(count)
    found = Fewer.of_groups(group)
    while len(found.sizes) > keep:
        free = [token for token in range(len(found.sizes)) if not set(found.members(token)) & set(protected)]
        merged = match(found.mean(metric)[free], len(found.sizes) - keep)
        for source, target in merged:
            group[found.became == free[source]] = int(group[found.became == free[target]][0])
        found = Fewer.of_groups(group)
    return found


def match(metric: Float[Tensor, "n d"], most: int) -> list[tuple[int, int]]:
    """One round: tokens 0, 2, 4 … and the one of 1, 3, 5 … that each is most similar to; the most similar pairs."""
    direction = torch.nn.functional.normalize(metric, dim=-1)
    similarity, target = (direction[::2] @ direction[1::2].mT).max(-1)
    best = similarity.argsort(descending=True, stable=True)[:most].tolist()
    return [(2 * source, 2 * int(target[source]) + 1) for source in best]


def attend(
    query: Float[Tensor, "*heads n d"], key: Float[Tensor, "*heads m d"], sizes: Int[Tensor, " m"] | None = None
) -> Float[Tensor, "*heads n m"]:
    """Proportional attention softmax(q·k/√d + log size): a token that stands for three counts as three (the same, 3.2)."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights: Tensor = (scores if sizes is None else scores + sizes.to(scores.dtype).log()).softmax(-1)
    return weights


def moved(vectors: Float[Tensor, "n d"], fewer: Fewer) -> Float[Tensor, " n"]:
    """How far each token is from the one that stands for it: 0 if nothing changed; NaN if none does."""
    distance: Tensor = torch.linalg.vector_norm(vectors - fewer.stand_in(fewer.mean(vectors)), dim=-1)
    return distance


def lost(vectors: Float[Tensor, "n d"], fewer: Fewer) -> Float[Tensor, " n"]:
    """The same against the token's own length: 1 is as far as if it had become zero."""
    length: Tensor = torch.linalg.vector_norm(vectors, dim=-1)
    return moved(vectors, fewer) / length.clamp(min=torch.finfo(vectors.dtype).tiny)


def _at_least_one(side: int) -> None:
    if side < 1:
        raise InputError(_m("Blocks have at least 1 token a side; {found} was asked for."), found=side)
