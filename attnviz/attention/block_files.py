"""Masks and biases over parts of a sequence, read back from plain values that may say anything."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from attnviz.attention.bias import Bias
from attnviz.attention.block_masks import BlockBias, Blocks, GlobalWindow, Groups, SlotPairs
from attnviz.attention.masks import Mask
from attnviz.attention.slot_bias import SlotBias
from attnviz.attention.slots import Places
from attnviz.base.errors import InputError
from attnviz.base.language import _m

# No sequence is longer, no window, slot or group has a greater number.
_LARGEST = 1 << 31


def block_mask_from_json(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Mask | None:
    """The mask that is described; None where the rule is not one of this file's. Raises `InputError`."""
    rule = data.get("rule")
    if rule == "groups":
        return Groups(_table_of_wholes(data, "queries"), _table_of_wholes(data, "keys"))
    if rule == "slots":
        return SlotPairs(_tensor(tensors, "allowed", 5, torch.bool), _places(data))
    if rule == "blocks":
        return Blocks(_tensor(tensors, "allowed", 4, torch.bool), _whole(data, "size"))
    if rule == "global-window":
        return GlobalWindow(_whole(data, "side"), _tensor(tensors, "everywhere", 2, torch.bool))
    return None


def bias_from_json(data: object, tensors: Mapping[str, Tensor]) -> Bias:
    """The bias that `to_json` and `tensors` describe. Raises `InputError` for anything else."""
    kind = data.get("bias") if isinstance(data, Mapping) else data
    if not isinstance(data, Mapping) or kind not in ("slots", "blocks"):
        raise _unexpected("bias", kind)
    if kind == "slots":
        return SlotBias(_finite(tensors, 5), _places(data))
    return BlockBias(_finite(tensors, 4), _whole(data, "size"))


def _places(data: Mapping[str, Any]) -> Places:
    windows, slots = (torch.tensor(_wholes(data.get(name), name), dtype=torch.long) for name in ("windows", "slots"))
    if len(windows) != len(slots):
        raise _unexpected("slots", len(slots))
    return Places(windows, slots)


def _finite(tensors: Mapping[str, Tensor], dimensions: int) -> Tensor:
    table = _tensor(tensors, "table", dimensions, None)
    if not bool(table.isfinite().all()):
        raise InputError(_m("The table of the bias holds numbers that are not finite; what forbids is a mask."))
    return table


def _tensor(tensors: Mapping[str, Tensor], name: str, dimensions: int, dtype: torch.dtype | None) -> Tensor:
    found = tensors.get(name)
    wrong = found is None or found.ndim != dimensions or 0 in found.shape
    if found is None or wrong or (found.dtype != dtype if dtype is not None else not found.is_floating_point()):
        raise InputError(
            _m("The tensor “{name}” of a mask or bias is missing, or its type or shape is not what was expected."),
            name=name,
        )
    return found


def _table_of_wholes(data: Mapping[str, Any], name: str) -> Tensor:
    rows = data.get(name)
    if not isinstance(rows, list) or not rows:
        raise _unexpected(name, rows)
    numbers = [_wholes(row, name) for row in rows]
    if len({len(row) for row in numbers}) != 1 or not numbers[0]:
        raise _unexpected(name, rows)
    return torch.tensor(numbers, dtype=torch.long)


def _wholes(values: object, name: str) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(_is_whole(value) for value in values):
        raise _unexpected(name, values)
    return tuple(values)


def _whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if not _is_whole(value):
        raise _unexpected(name, value)
    return int(value)  # type: ignore[arg-type]  # _is_whole has looked


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -1 <= value <= _LARGEST


def _unexpected(field: str, value: object) -> InputError:
    return InputError(
        _m("In a mask or bias, “{field}” is {found}, which is not known here."), field=field, found=repr(value)[:60]
    )
