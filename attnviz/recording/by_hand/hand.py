"""What is remembered of a recording's attention by hand: what each tensor is, and weights that wait for values."""

import weakref
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.attention import Form
from attnviz.base.language import _m
from attnviz.recording.by_hand.arrange import Arrangement, Axes, arrange, stated_heads
from attnviz.recording.by_hand.axes import Factor, leaves, size_of
from attnviz.recording.by_hand.call import UNSEEN, AsMade, ByHand, Features
from attnviz.recording.by_hand.provenance import Table
from attnviz.recording.by_hand.steps import Steps
from attnviz.recording.recording import Recording
from attnviz.recording.sample import column_of, sampled_rows
from attnviz.recording.scaled_dot_product import DROPOUT
from attnviz.recording.tensors import Versions, kept, versions_of
from attnviz.recording.windows.chains import Link
from attnviz.recording.windows.layout import first_of_each

ALONE = _m(
    "A softmax over {count} entries that multiplies no values along them: a router, a classifier or a "
    "distribution, not attention."
)
NOT_KNOWN = _m(
    "“{name}” was not recorded: it multiplies values by something made of q·k in a way that is not known here."
)
ITEMS_OR_HEADS = _m(
    "“{name}”: nothing tells which of its {count} blocks of weights are heads and which are items; "
    "each is shown as an item."
)
NOT_SEEN = _m(
    "“{name}”: its weights were not seen to multiply values as they were made; what the model did with them is not known."
)
WHICH_HEADS = _m(
    "“{name}”: nothing tells which of the dimensions before queries and keys are heads; the last one is shown as heads, "
    "the others as items."
)
CHANGED = _m("“{name}” is not shown: its queries, keys or mask were overwritten after they had been used.")


@dataclass(slots=True, eq=False)
class Open:
    """Weights that may still meet their values.

    call: None until something says that they are attention. until: the module at whose end they are closed.
    made: the weights, while it is not known whether they are to be kept.
    """

    module: nn.Module
    until: nn.Module
    run: int
    hint: int | None
    shape: tuple[int, ...]
    keys: Axes = ()
    call: ByHand | AsMade | Features | None = None
    arrangement: Arrangement | None = None
    made: Factor | None = None
    sink: Any = None
    form: Form = "stored"
    tensors: tuple[Any, ...] = ()
    versions: Versions = ()
    batch: int | None = None
    merged: tuple[int, int] | None = None
    links: tuple[Link | None, ...] = ()
    values_seen: bool = False
    # Whether it is a softmax of something that was made of scores; whether its rows sum to 1.
    of_scores: bool = False
    normalised: bool = True


@dataclass(slots=True)
class Hand:
    """One for each recording."""

    table: Table = field(default_factory=Table)
    open: list[Open] = field(default_factory=list)
    steps: Steps = field(default_factory=Steps)
    # Views that merged two dimensions into the first: items and heads, before a batched product.
    merged: "weakref.WeakValueDictionary[int, Tensor]" = field(default_factory=weakref.WeakValueDictionary)
    merged_sizes: dict[int, tuple[int, int]] = field(default_factory=dict)
    # Modules that multiplied values by something unknown that was made of scores; those that are accounted for.
    unknown: set[nn.Module] = field(default_factory=set)
    recorded: set[nn.Module] = field(default_factory=set)

    def begin(self, recording: Recording, shape: tuple[int, ...], keys: Axes) -> Open | None:
        """Something that may become a call, in the module that runs; None where nothing of the model runs."""
        module = recording.running(past=_SOFTMAXES)
        if module is None:
            return None
        around = recording.around(module)
        hint = stated_heads((module, around))
        found = Open(module=module, until=around, run=recording.run, hint=hint, shape=shape, keys=keys)
        self.open.append(found)
        return found

    def remember_merge(self, tensor: Tensor, outer: int, inner: int) -> None:
        """A view made one dimension of two."""
        self.merged[id(tensor)] = tensor
        self.merged_sizes[id(tensor)] = (outer, inner)

    def merge_of(self, tensor: Tensor) -> tuple[int, int] | None:
        """The two dimensions that the first one of the tensor was made of."""
        return self.merged_sizes[id(tensor)] if self.merged.get(id(tensor)) is tensor else None

    def at_end(self, recording: Recording, module: nn.Module, output: Any) -> None:
        """A module has ended: what it opened is closed, unless its weights may meet their values further out."""
        for one in self.open:
            if one.module is module and one.batch is None:
                one.batch = _batch(output, one)
        everything = module is recording.model
        self._close([one for one in self.open if everything or one.until is module], recording)
        if everything:
            self.steps.close(recording)

    def finish(self, recording: Recording) -> None:
        """The block has ended."""
        self._close(list(self.open), recording)
        self.steps.close(recording)
        for module in self.unknown - self.recorded:
            name = recording.modules.shown_name(module)
            if name not in recording.explained:
                recording.note(NOT_KNOWN, name=name)

    def _close(self, ended: list[Open], recording: Recording) -> None:
        for one in ended:
            self.open.remove(one)
        for one in ended:
            if one.call is not None:
                self.recorded.add(one.module)
            elif one.of_scores and one.module in self.unknown:
                continue
            _close(one, recording, self.steps)


_SOFTMAXES = (nn.Softmax, nn.LogSoftmax, nn.Sigmoid, nn.Dropout)


def fix(one: Open) -> None:
    """Remembers how the tensors of the call are now: until it is closed, something may overwrite them."""
    if one.call is not None:
        one.tensors = one.call.tensors()
        one.versions = versions_of(one.tensors)


def meet_values(
    one: Open,
    recording: Recording,
    value: Factor,
    output: Factor,
    rows: Axes | None,
    *,
    dropped: bool,
) -> None:
    """The weights multiply values: a part of these and of the output is kept to compare with."""
    if one.values_seen:
        return
    if one.call is None and not _keep_made(one, value, rows):
        return
    one.values_seen = True
    if one.call is None or one.arrangement is None:
        return
    call, arrangement = one.call, one.arrangement.as_split()
    values, column = arrangement.of_values(value, _width(arrangement, value)), column_of_output(one, output)
    if dropped:
        recording.note(DROPOUT)
    elif values is not None and column is not None:
        call.column = (column_of(values, values.shape[3]), column)
    if values is not None and recording.options.values:
        call.value = kept(values)
    fix(one)


def column_of_output(one: Open, output: Factor) -> Tensor | None:
    """One column of some rows of the output, "items heads r 1"."""
    if one.arrangement is None:
        return None
    arrangement = one.arrangement.as_split()
    result = arrangement.of_queries(output, _width(arrangement, output))
    if result is None or result.is_meta or 0 in result.shape:
        return None
    rows = sampled_rows(result.shape[2])
    return column_of(result[:, :, rows.start :: rows.step], result.shape[3])


def _width(arrangement: Arrangement, factor: Factor) -> Axes:
    """What values and outputs have beside items, heads and positions."""
    # A later view may have split them.
    known = {*leaves((*arrangement.items, *arrangement.heads, *arrangement.queries, *arrangement.keys))}
    return tuple(axis for group in factor.dims for axis in leaves(group) if axis not in known)


def keep_as_made(
    one: Open, arrangement: Arrangement, stored: Tensor, note: str = "", *, normalised: bool = True
) -> None:
    """The weights themselves are the call."""
    one.arrangement = arrangement
    stored = stored.expand(arrangement.sizes)
    one.call = AsMade(
        module=one.module, run=one.run, stored=kept(stored), form=one.form, normalised=normalised, note=note
    )
    fix(one)


def _keep_made(one: Open, value: Factor, rows: Axes | None) -> bool:
    if one.made is None:
        return False
    shared = value.axes() | set(one.keys)
    arrangement = replace(arrange(one.made.dims, one.keys, frozenset(shared), rows, one.hint), packed=False)
    stored = arrangement.pairs(one.made)
    if stored is None:
        return False
    keep_as_made(one, arrangement, stored, normalised=one.normalised)
    return True


def _close(one: Open, recording: Recording, steps: Steps) -> None:
    call, arrangement = one.call, one.arrangement
    if not isinstance(call, ByHand) and recording.modules.shown_name(one.module) in recording.explained:
        return
    if call is None or arrangement is None:
        recording.lookalike(one.module, one.shape, ALONE, count=size_of(one.keys))
        return
    if versions_of(one.tensors) != one.versions:
        recording.note(CHANGED, name=recording.modules.shown_name(one.module))
        return
    if not one.values_seen and not isinstance(call, Features):
        call.note = UNSEEN
        recording.note(NOT_SEEN, name=recording.modules.shown_name(one.module))
    if arrangement.guessed:
        recording.note(WHICH_HEADS, name=recording.modules.shown_name(one.module))
    if arrangement.packed:
        _part(one, call, arrangement.sizes[0] * arrangement.sizes[1], recording)
    if arrangement.sizes[2] == 1 and one.values_seen:
        steps.add(call)
    else:
        recording.keep(call)


def _part(one: Open, call: ByHand | AsMade | Features, count: int, recording: Recording) -> None:
    """Items and heads that are one dimension come apart, as far as something tells how."""
    found = _items(one, count)
    if found is None:
        recording.note(ITEMS_OR_HEADS, name=recording.modules.shown_name(one.module), count=count)
    elif found[0] != count:
        call.apart(*found)


def _items(one: Open, count: int) -> tuple[int, bool] | None:
    """How many items there are, and whether all items of the first head come first; None where nothing tells."""
    followed = None if one.hint is not None else _items_followed(one, count)
    if followed is not None:
        return followed
    items = _number_of_items(one, count)
    if items is not None and items in (1, count):
        return items, False
    # What merged the two before, and the two that a view made of them again later.
    split = one.arrangement.as_split() if one.arrangement is not None else None
    axes = () if split is None else split.items or split.heads
    for sizes in ([axis.size for axis in axes], one.merged or ()):
        if len(sizes) == 2 and sizes[0] * sizes[1] == count and sizes[0] != sizes[1]:
            outer, inner = sizes
            items_first, heads_first = one.hint == inner or items == outer, one.hint == outer or items == inner
            if items_first != heads_first:
                return (outer, False) if items_first else (inner, True)
    followed = _items_followed(one, count)
    return followed if followed is not None and followed[0] * (one.hint or 0) == count else None


def _items_followed(one: Open, count: int) -> tuple[int, bool] | None:
    """The same, told by which item of the input each of them was made of."""
    for link in one.links:
        if link is None or link.shape[0] != count:
            continue
        for along in (0, 1):
            owners = first_of_each(link, along)
            items = 0 if owners is None else int(owners.amax()) + 1
            if owners is None or items in (0, 1, count) or count % items:
                continue
            numbers = torch.arange(count)
            for heads_first, expected in ((False, numbers // (count // items)), (True, numbers % items)):
                if torch.equal(owners, expected):
                    return items, heads_first
    return None


def _number_of_items(one: Open, count: int) -> int | None:
    batch, hint = one.batch, one.hint
    if hint is not None:
        if batch in (count, count // hint):
            return batch
        if batch is None and count % hint == 0:
            return count // hint
        return count // hint if batch == 1 and count == hint else None
    return batch if batch is not None and count % batch == 0 else None


def _batch(output: Any, one: Open) -> int | None:
    """The number of items in what a module gave out: of its three dimensions, that beside the queries'."""
    result = output[0] if isinstance(output, tuple) and output else output
    if one.arrangement is None or not isinstance(result, Tensor):
        return None
    queries = one.arrangement.sizes[2]
    if result.ndim == 2:
        # One row for each query, or for each item where each has one query.
        return 1 if result.shape[0] == queries else result.shape[0] if queries == 1 else None
    if result.ndim == 3 and queries in result.shape[:2]:
        return result.shape[0] if result.shape[1] == queries else result.shape[1]
    return result.shape[0] if result.ndim == 4 else None
