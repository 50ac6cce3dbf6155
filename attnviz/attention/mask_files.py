"""Masks read back from plain values that may say anything."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from attnviz.attention.block_files import block_mask_from_json
from attnviz.attention.function_masks import Ranges
from attnviz.attention.masks import All, Causal, Dense, Lengths, Mask, Window
from attnviz.base.errors import InputError
from attnviz.base.language import _m

# A file may say anything: no rule of ours needs more parts or larger numbers than these.
_MOST_RULES = 16
_LARGEST = 1 << 40


def mask_from_json(data: object, tensors: Mapping[str, Tensor]) -> Mask:
    """The mask that `to_json` and `tensors` describe. Raises `InputError` for anything else."""
    if not isinstance(data, Mapping):
        raise _unexpected("mask", data)
    rule = data.get("rule")
    if rule == "all":
        return _all_from_json(data, tensors)
    if rule == "causal":
        return Causal(_whole(data, "offset"))
    if rule == "window":
        return Window(_whole_or_none(data, "left"), _whole_or_none(data, "right"), _whole(data, "offset"))
    if rule == "lengths":
        return Lengths(_wholes(data, "starts"), _wholes(data, "stops"))
    if rule == "dense":
        pairs = tensors.get("allowed")
        if pairs is None or pairs.dtype != torch.bool or pairs.ndim != 4:
            raise InputError(_m("The mask's tensor is missing or is not a Boolean tensor of 4 dimensions."))
        return Dense(pairs)
    other = block_mask_from_json(data, tensors)
    if other is not None:
        return other
    if rule == "ranges":
        return _ranges_from_tensors(tensors)
    raise _unexpected("rule", rule)


def _ranges_from_tensors(tensors: Mapping[str, Tensor]) -> Ranges:
    starts, stops = (_positions(tensors.get(name)) for name in ("starts", "stops"))
    if starts is None or stops is None or starts.shape != stops.shape:
        raise InputError(_m("The mask's ranges are missing or are not two tensors of positions in 3 dimensions."))
    return Ranges(starts, stops)


def _positions(tensor: Tensor | None) -> Tensor | None:
    """Whole numbers from 0 on, written as float64; None for anything else."""
    if tensor is None or tensor.dtype != torch.float64 or tensor.ndim != 3 or 0 in tensor.shape:
        return None
    return tensor.long() if bool(((tensor >= 0) & (tensor <= _LARGEST) & (tensor == tensor.floor())).all()) else None


def _all_from_json(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Mask:
    rules = data.get("rules")
    nested = isinstance(rules, list) and any(isinstance(r, Mapping) and r.get("rule") == "all" for r in rules)
    if not isinstance(rules, list) or not 0 < len(rules) <= _MOST_RULES or nested:
        raise _unexpected("rules", rules)
    return All(
        tuple(
            mask_from_json(
                rule,
                {
                    name.removeprefix(f"{number}."): tensor
                    for name, tensor in tensors.items()
                    if name.startswith(f"{number}.")
                },
            )
            for number, rule in enumerate(rules)
        )
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if not _is_whole(value):
        raise _unexpected(name, value)
    return int(value)  # type: ignore[arg-type]  # _is_whole has looked


def _whole_or_none(data: Mapping[str, Any], name: str) -> int | None:
    return None if data.get(name) is None else _whole(data, name)


def _wholes(data: Mapping[str, Any], name: str) -> tuple[int, ...]:
    values = data.get(name)
    if not isinstance(values, list) or not all(_is_whole(value) for value in values):
        raise _unexpected(name, values)
    return tuple(values)


def _unexpected(field: str, value: object) -> InputError:
    return InputError(
        _m("The mask's “{field}” is {found}, which is not a rule known here."), field=field, found=repr(value)[:60]
    )
