"""Attention over windows, brought into the positions of the input.

Queries and keys are put in their places; which windows there are becomes a number for each position; bias and
mask stay tables of slots. There is never a number for each pair of positions.
"""

from dataclasses import replace

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from attnviz.attention import Attention, Bias, Dense, Groups, Mask, Places, SlotBias, SlotPairs
from attnviz.base.language import _m
from attnviz.recording.call import Meaning
from attnviz.recording.patches import grid_tokens
from attnviz.recording.sample import Sample
from attnviz.recording.windows.chains import Trail
from attnviz.recording.windows.layout import Layout, layout_of
from attnviz.tokens import Tokens

UNPLACED = _m(
    "“{name}” attends within windows or groups, which are items of their own here: "
    "where they lie in the input could not be told."
)

# Models add −100 where windows were joined that are no neighbours. That is a mask where it makes every weight
# smaller than float32 tells from 0 beside 1.
_FAR, _LARGEST_FORBIDDEN = 50.0, 2.0**-24


def layout_of_call(meaning: Meaning, trail: Trail | None) -> Layout | None:
    """Where the windows of a call lie; None where it does not attend within windows, or where that is not known."""
    if trail is None or trail.query is None or trail.key is None or isinstance(meaning.bias, Bias):
        return None
    if meaning.query.shape[2] != meaning.key.shape[2]:
        return None
    query, key = (layout_of(*one) for one in ((trail.query, meaning.query.shape), (trail.key, meaning.key.shape)))
    if query is None or key is None or query.count != key.count:
        return None
    same = torch.equal(query.order, key.order) and torch.equal(query.places, key.places)
    return query if same else None


def in_positions(meaning: Meaning, layout: Layout) -> Meaning:
    """The same attention with the positions of the input for queries and keys, and padding after them."""
    return _Placing(meaning, layout).meaning()


class _Placing:
    def __init__(self, meaning: Meaning, layout: Layout) -> None:
        self.given, self.layout = meaning, layout
        device = meaning.query.device
        self.order, places = layout.order.to(device), layout.places.to(device)
        slots = places.shape[1]
        # Which slot, numbered through an item's windows, is at each position.
        self.source = places.flatten().argsort()
        self.places = Places(self.source // slots, self.source % slots)

    def meaning(self) -> Meaning:
        given = self.given
        allowed, table = self._pairs(), self._table()
        if table is not None and table.shape[1] > 1:
            table, allowed = self._without_far(table, allowed)
        tokens = self._tokens()
        return replace(
            given,
            query=self._placed(given.query),
            key=self._placed(given.key),
            value=None if given.value is None else self._placed(given.value),
            mask=self._mask(allowed),
            bias=None if table is None else SlotBias(table, self.places),
            sample=self._sample(given.sample) if isinstance(given.sample, Sample) else None,
            elsewhere=False,
            query_tokens=tokens,
            key_tokens=tokens,
            own=True,
        )

    def _placed(self, tensor: Float[Tensor, "all heads slots d"]) -> Float[Tensor, "items heads n d"]:
        heads, _, width = tensor.shape[1:]
        # One copy: by item and window, then slot by slot, then to their places.
        by_slot = tensor[self.order].transpose(2, 3).reshape(self.layout.items, -1, heads, width)
        return by_slot[:, self.source].transpose(1, 2)

    def _by_window(self, table: Shaped[Tensor, "all_or_1 heads s t"]) -> Shaped[Tensor, "items windows heads s t"]:
        """By item and window, each dimension 1 where it makes no difference."""
        if len(table) == 1:
            return table[None]
        found = table[self.order]
        for dim in (0, 1):
            first = found.narrow(dim, 0, 1)
            found = first if bool((found == first).all()) else found
        return found

    def _pairs(self) -> Shaped[Tensor, "items windows heads s t"] | None:
        rule, (windows, _, slots, _) = self.given.mask, self.given.query.shape
        if rule is None:
            return None
        if isinstance(rule, Dense):
            return self._by_window(rule.pairs.expand(-1, -1, slots, slots))
        index = torch.arange(slots, device=self.given.query.device)
        return self._by_window(torch.stack([rule.allowed(window, index, index) for window in range(windows)]))

    def _table(self) -> Shaped[Tensor, "items windows heads s t"] | None:
        bias, slots = self.given.bias, self.given.query.shape[2]
        return self._by_window(bias.expand(-1, -1, slots, slots)) if isinstance(bias, Tensor) else None

    def _without_far(
        self, table: Float[Tensor, "items windows heads s t"], allowed: Shaped[Tensor, "..."] | None
    ) -> tuple[Float[Tensor, "..."], Shaped[Tensor, "..."] | None]:
        """One table for all windows, where they differ by nothing but pairs that are kept apart."""
        common = table.amax(1, keepdim=True)
        apart = (table - common) < -_FAR
        if not bool((apart | (table == common)).all()) or not bool((apart == apart[:, :, :1]).all()):
            return table, allowed
        near = ~apart[:, :, :1]
        if not self._is_forbidden(~near):
            return table, allowed
        common = common[:1] if bool((common == common[:1]).all()) else common
        near = near[:1] if bool((near == near[:1]).all()) else near
        return common, near if allowed is None else near & allowed

    def _is_forbidden(self, apart: Bool[Tensor, "items windows one s t"]) -> bool:
        """Whether these pairs have no weight that could be told from 0, in the windows as the model ran them."""
        given = self.given
        as_run = Attention.from_qk(
            given.query, given.key, scale=given.scale, mask=given.mask, bias=given.bias, softcap=given.softcap
        )
        apart = apart.expand(self.layout.items, *self.order.shape[1:], -1, -1, -1)
        for item, windows in enumerate(self.order.tolist()):
            for number, window in enumerate(windows):
                here = apart[item, number]
                if bool(here.any()):
                    weights = as_run.weights(None, window)
                    if bool((weights.masked_fill(~here, 0).nan_to_num() > _LARGEST_FORBIDDEN).any()):
                        return False
        return True

    def _mask(self, allowed: Bool[Tensor, "items windows heads s t"] | None) -> Mask:
        windows = self.places.windows
        if allowed is None or bool(allowed.all()):
            return Groups(windows[None], windows[None])
        regions = self._regions(allowed)
        if regions is not None:
            groups = (windows * allowed.shape[-1] + regions[self._which(regions), self.places.slots])[None]
            return Groups(groups, groups)
        return Groups(windows[None], windows[None]) & SlotPairs(allowed, self.places)

    def _which(self, regions: Int[Tensor, "windows_or_1 s"]) -> Int[Tensor, " n"]:
        return self.places.windows if len(regions) > 1 else torch.zeros_like(self.places.windows)

    @staticmethod
    def _regions(allowed: Bool[Tensor, "items windows heads s t"]) -> Int[Tensor, "windows_or_1 s"] | None:
        """The first slot that each may see, where slots that see one another see the same."""
        if allowed.shape[0] > 1 or allowed.shape[2] > 1:
            return None
        pairs = allowed[0, :, 0]
        first = pairs.to(torch.uint8).argmax(2)
        return first if bool((pairs == (first[:, :, None] == first[:, None])).all()) else None

    def _sample(self, sample: Sample) -> Sample:
        """The same slots in a few of the windows, at their positions."""
        windows = self.layout.places.shape[0]
        some = sorted({0, windows // 2, windows - 1})
        slots = list(sample.rows)
        output = sample.output[self.order[:, some]].transpose(1, 2).flatten(2, 3)
        rows = self.layout.places[some][:, slots].flatten().tolist()
        return Sample(rows, self._placed(sample.value), output)

    def _tokens(self) -> Tokens | None:
        grid = self.layout.grid
        return None if grid is None else grid_tokens(grid, self.layout.length - self.layout.count)
