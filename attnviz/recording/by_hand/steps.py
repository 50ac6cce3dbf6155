"""Attention that a loop computes row by row, as a recurrent decoder does: the rows of one run are one attention."""

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.recording.by_hand.call import AsMade, ByHand, Features, joined
from attnviz.recording.recording import Recording
from attnviz.recording.sample import sampled_rows


@dataclass(slots=True)
class Steps:
    """Calls of one query each, by the module and the run that they belong to."""

    waiting: dict[tuple[Any, ...], list[list[ByHand | AsMade | Features]]] = field(default_factory=dict)

    def add(self, call: ByHand | AsMade | Features) -> None:
        """The call waits for the next step over the same keys."""
        key = (type(call), id(call.module), call.run)
        groups = self.waiting.setdefault(key, [])
        for group in groups:
            if _goes_on(group[0], call):
                group.append(call)
                return
        groups.append([call])

    def close(self, recording: Recording) -> None:
        """No more steps follow."""
        waiting, self.waiting = self.waiting, {}
        for groups in waiting.values():
            for group in groups:
                recording.keep(group[0] if len(group) == 1 else _joined(group))


def _goes_on(first: ByHand | AsMade | Features, call: ByHand | AsMade | Features) -> bool:
    """Whether it attends to the same keys, or the same values where the keys were not seen, in the same way."""
    if isinstance(first, AsMade) and isinstance(call, AsMade):
        same = first.stored.shape == call.stored.shape and first.form == call.form
        return same and first.column is not None and call.column is not None and _same(first.column[0], call.column[0])
    if not isinstance(first, ByHand) or not isinstance(call, ByHand) or first.query.shape != call.query.shape:
        return False
    before, now = first.formula, call.formula
    alike = (before.scale, before.cap, before.shift, first.gates) == (now.scale, now.cap, now.shift, call.gates)
    mine, theirs = before.tensors()[2:], now.tensors()[2:]
    return (
        alike
        and len(mine) == len(theirs)
        and all(_same(one, other) for one, other in zip(mine, theirs, strict=True))
        and _same(first.key, call.key)
    )


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and (
        (one.data_ptr() == other.data_ptr() and one.stride() == other.stride()) or torch.equal(one, other)
    )


def _joined(group: list[Any]) -> Any:
    first = group[0]
    columns = [call.column for call in group]
    column = None
    if all(one is not None for one in columns):
        rows = sampled_rows(len(group))
        column = (columns[0][0], joined([columns[row][1] for row in rows]))
    if isinstance(first, AsMade):
        stored = joined([call.stored for call in group])
        return replace(first, stored=stored, column=column, elsewhere=True)
    query = joined([call.query for call in group])
    formula = replace(first.formula, query=query)
    return replace(first, query=query, formula=formula, column=column, elsewhere=True)
