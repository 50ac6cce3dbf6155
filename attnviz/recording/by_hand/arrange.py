"""Which axes of scores are items, heads, queries and keys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from attnviz.recording.by_hand.axes import Axis, Dims, Factor, all_leaves, leaves, size_of

# What the number of heads is called in the models that are around.
_NUMBERS_OF_HEADS = ("num_heads", "n_heads", "num_attention_heads", "heads", "nhead", "n_head")

Axes = tuple[Axis, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """shared: what the keys depend on beside the keys' own axis. packed: items and heads may be one axis.

    guessed: nothing told which of several dimensions are heads.
    """

    items: Axes
    heads: Axes
    queries: Axes
    keys: Axes
    shared: frozenset[Axis]
    packed: bool = False
    guessed: bool = False

    def as_split(self) -> "Arrangement":
        """With the axes that views have split since, as tensors that are viewed so have them."""
        return Arrangement(
            leaves(self.items),
            leaves(self.heads),
            leaves(self.queries),
            leaves(self.keys),
            frozenset(leaves(self.shared)),
            self.packed,
            self.guessed,
        )

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""
        return size_of(self.items), size_of(self.heads), size_of(self.queries), size_of(self.keys)

    def pairs(self, factor: Factor) -> Tensor | None:
        """Something that is there for pairs of queries and keys, "items_or_1 heads_or_1 n_or_1 m_or_1"."""
        return factor.in_form((self.items, self.heads, self.queries, self.keys))

    def of_queries(self, factor: Factor, width: Axes) -> Tensor | None:
        """Queries or outputs, "items heads n d"."""
        return _whole(factor, (self.items, self.heads, self.queries, width))

    def of_keys(self, factor: Factor, width: Axes) -> Tensor | None:
        """Keys, "items kv_heads m d"; heads that share keys stand behind each other."""
        own = tuple(axis for axis in self.heads if axis in self.shared)
        heads = own if self.heads[: len(own)] == own else self.heads
        return _whole(factor, (self.items, heads, self.keys, width))

    def of_values(self, factor: Factor, width: Axes) -> Tensor | None:
        """Values, "items value_heads m dv": as few heads as the keys have, or else all."""
        own = tuple(axis for axis in self.heads if axis in self.shared)
        if self.heads[: len(own)] == own and not set(self.heads[len(own) :]) & factor.axes():
            return _whole(factor, (self.items, own, self.keys, width))
        return _whole(factor, (self.items, self.heads, self.keys, width))


def arrange(dims: Dims, keys: Axes, shared: frozenset[Axis], rows: Axes | None, hint: int | None) -> Arrangement:
    """Of all axes but the keys, those that the keys do not depend on are queries, or heads that share keys.

    rows: the axes that a matrix product put the queries in; None where it was no matrix product. hint: the number of
    heads that the model states.
    """
    rest = [axis for axis in all_leaves(dims) if axis not in keys]
    own = [axis for axis in rest if axis not in shared]
    both = tuple(axis for axis in rest if axis in shared)
    queries = _queries(own, size_of(keys), rows, hint)
    sharing = tuple(axis for axis in own if axis not in queries)
    lead = [axes for group in dims if not set(axes := leaves(group)) & {*queries, *keys}]
    if not queries and () in lead:
        # The dimension of a single query, behind those of items and heads.
        del lead[len(lead) - 1 - lead[::-1].index(())]
    if len(both) == 1 and not sharing and len(dims) > 3 and len(lead) > 1:
        # One of the dimensions for items and heads has a single entry; the heads come last.
        is_heads = both[0] in lead[-1]
        return Arrangement(() if is_heads else both, both if is_heads else (), queries, keys, shared)
    in_front = bool(sharing and both) and rest.index(sharing[-1]) < rest.index(both[0])
    if len(both) == 1 and in_front and both[0].size * size_of(sharing) != hint:
        # All items share the keys, which are learnt: the items come first, the heads then.
        return Arrangement(sharing, both, queries, keys, shared)
    items, heads = _items_and_heads(both, sharing, hint)
    packed = len(both) == 1 and not sharing
    guessed = len(both) > 2 and not any(axis.size * size_of(sharing) == hint for axis in both)
    return Arrangement(items, heads, queries, keys, shared, packed, guessed)


def _queries(own: Sequence[Axis], keys: int, rows: Axes | None, hint: int | None) -> Axes:
    if rows is not None:
        own = [axis for axis in own if axis in rows]
    if len(own) < 2:
        return tuple(own)
    others = [axis for axis in own if axis.size != hint] or list(own)
    alike = [axis for axis in others if axis.size == keys]
    # Where a matrix product has several axes as its rows, a later one is what a view split off: heads.
    return ((alike or others)[0 if rows is not None else -1],)


def _items_and_heads(both: Axes, sharing: Axes, hint: int | None) -> tuple[Axes, Axes]:
    if not both:
        return (), sharing
    if len(both) == 1:
        with_sharing = bool(sharing) and both[0].size * size_of(sharing) == hint
        return ((), (*both, *sharing)) if with_sharing else (both, sharing)
    stated = [axis for axis in both if axis.size * size_of(sharing) == hint]
    head = (stated or both)[-1]
    return tuple(axis for axis in both if axis is not head), (head, *sharing)


def stated_heads(modules: Sequence[nn.Module]) -> int | None:
    """The number of heads that the innermost of these modules states that states one."""
    for module in modules:
        for owner in (module, getattr(module, "config", None)):
            for found in _numbers(owner):
                return found
    return None


def _numbers(owner: Any) -> Iterator[int]:
    for name in _NUMBERS_OF_HEADS:
        found = getattr(owner, name, None)
        if isinstance(found, int) and not isinstance(found, bool) and found > 0:
            yield found


def _whole(factor: Factor, form: tuple[Axes, Axes, Axes, Axes]) -> Tensor | None:
    """With every dimension as large as its axes say, expanded where it has to be."""
    found = factor.in_form(form)
    return None if found is None else found.expand([size_of(group) for group in form])


def keys_of(group: Axes) -> Axes:
    """The axes of the dimension that a softmax ran over."""
    return leaves(group)
