"""An attention as plain values and tensors, and back again from values that may say anything."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.attention import (
    FORMS,
    ROLES,
    Attention,
    Check,
    DotProduct,
    FunctionScores,
    Given,
    Mask,
    Stored,
    mask_from_json,
)
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens import Tokens
from attnviz.trace.container import Collected

# No model has so many layers, no name so many letters.
MOST_LAYERS = 100_000
MOST_LETTERS = 10_000
# Not even infinity, and no whole number that is too long for a float.
_LARGEST = 1e300


class TokenTable:
    """Each `Tokens` once, however many attentions it belongs to."""

    def __init__(self) -> None:
        self.entries: list[Tokens] = []
        self._numbers: dict[Tokens, int] = {}

    def numbers(self, tokens: Sequence[Tokens]) -> list[int]:
        """The place of each in the table."""
        return [self._number(one) for one in tokens]

    def _number(self, tokens: Tokens) -> int:
        if tokens not in self._numbers:
            self._numbers[tokens] = len(self.entries)
            self.entries.append(tokens)
        return self._numbers[tokens]


def attention_to_json(attention: Attention, tensors: Collected, tokens: TokenTable) -> dict[str, Any]:
    """The attention as plain values; its tensors and tokens are added to those that are collected."""
    mask = None if attention.mask is None else attention.mask.on_file()
    return {
        "name": attention.name,
        "role": attention.role,
        "form": attention.form,
        "layer": attention.layer,
        "normalised": attention.normalised,
        "note": attention.note,
        "check": None if attention.check is None else asdict(attention.check),
        "scores": _scores_to_json(_on_file(attention), tensors),
        "value": tensors.name_of(attention.value),
        "mask": None if mask is None else mask.to_json(),
        "mask_tensors": {} if mask is None else {name: tensors.name_of(t) for name, t in mask.tensors().items()},
        "query_tokens": tokens.numbers(attention.query_tokens_by_item),
        "key_tokens": tokens.numbers(attention.key_tokens_by_item),
    }


def _on_file(attention: Attention) -> DotProduct | Given:
    """The scores as they can be written: what a function makes of them, pair by pair; at worst the weights."""
    scores = attention.scores
    if not isinstance(scores, FunctionScores):
        return scores
    added = scores.on_file(attention.name)
    return added or Stored(torch.stack([attention.weights(None, item) for item in range(attention.items)]))


def _scores_to_json(scores: DotProduct | Given, tensors: Collected) -> dict[str, Any]:
    if isinstance(scores, Stored):
        return {"kind": "stored", "stored": tensors.name_of(scores.stored)}
    if not isinstance(scores, DotProduct):
        raise TypeError(scores)
    return {
        "kind": "dot-product",
        "query": tensors.name_of(scores.query),
        "key": tensors.name_of(scores.key),
        "scale": scores.scale,
        "bias": tensors.name_of(scores.bias),
        "softcap": scores.softcap,
        "sinks": tensors.name_of(scores.sinks),
    }


def attention_from_json(data: Any, tensors: Mapping[str, Tensor], tokens: Sequence[Tokens]) -> Attention:
    """The attention that `attention_to_json` wrote. Raises `InputError` for anything else."""
    if not isinstance(data, Mapping):
        raise unexpected("attentions", data)
    scores = _mapping(data, "scores")
    common: dict[str, Any] = {
        "name": text(data, "name"),
        "role": choice(data, "role", ROLES),
        "layer": whole(data, "layer", MOST_LAYERS),
        "note": text(data, "note"),
        "mask": _mask(data, tensors),
        "value": _tensor(data, "value", tensors),
        "query_tokens": _tokens(data, "query_tokens", tokens),
        "key_tokens": _tokens(data, "key_tokens", tokens),
    }
    check = _check(data.get("check"))
    form = choice(data, "form", FORMS)
    normalised = _truth(data, "normalised")
    if choice(scores, "kind", ("dot-product", "stored")) == "stored":
        stored = _needed(scores, "stored", tensors)
        return replace(Attention.from_weights(stored, form=form, normalised=normalised, **common), check=check)
    attention = Attention.from_qk(
        _needed(scores, "query", tensors),
        _needed(scores, "key", tensors),
        scale=_number(scores, "scale"),
        bias=_tensor(scores, "bias", tensors),
        softcap=None if scores.get("softcap") is None else _number(scores, "softcap"),
        sinks=_tensor(scores, "sinks", tensors),
        **common,
    )
    _check_bias(_tensor(scores, "bias", tensors), attention.scores.sizes)
    return replace(attention, form=form, normalised=normalised, check=check)


def _check(data: Any) -> Check | None:
    """Files of before there were checks have none."""
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise unexpected("check", data)
    return Check(difference=_number(data, "difference"), allowed=_number(data, "allowed"))


def _check_bias(bias: Tensor | None, sizes: tuple[int, ...]) -> None:
    """A bias of zeros is left out of an attention, whatever its shape; in a file it is still wrong."""
    if bias is not None and (
        bias.ndim != len(sizes)
        or any(found not in (1, expected) for found, expected in zip(bias.shape, sizes, strict=True))
    ):
        raise unexpected("bias", tuple(bias.shape))


def _mask(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Mask | None:
    if data.get("mask") is None:
        return None
    names = _mapping(data, "mask_tensors")
    return mask_from_json(_mapping(data, "mask"), {str(name): _needed(names, name, tensors) for name in names})


def _tokens(data: Mapping[str, Any], field: str, tokens: Sequence[Tokens]) -> list[Tokens]:
    numbers = data.get(field)
    if not isinstance(numbers, list):
        raise unexpected(field, numbers)
    return [tokens[whole({field: number}, field, len(tokens) - 1)] for number in numbers]


def _tensor(data: Mapping[str, Any], field: str, tensors: Mapping[str, Tensor]) -> Tensor | None:
    return None if data.get(field) is None else _needed(data, field, tensors)


def _needed(data: Mapping[str, Any], field: str, tensors: Mapping[str, Tensor]) -> Tensor:
    name = data.get(field)
    if not isinstance(name, str) or name not in tensors:
        raise InputError(
            _m("The trace names the tensor “{name}” as “{field}”, but does not hold it."),
            name=str(name)[:60],
            field=field,
        )
    return tensors[name]


def _mapping(data: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    found = data.get(field)
    if not isinstance(found, Mapping):
        raise unexpected(field, found)
    return found


def text(data: Mapping[str, Any], field: str) -> str:
    """A text of bounded length. Raises `InputError` for anything else."""
    found = data.get(field)
    if not isinstance(found, str) or len(found) > MOST_LETTERS:
        raise unexpected(field, found)
    return found


def choice(data: Mapping[str, Any], field: str, choices: Sequence[str]) -> Any:
    """One of a few words. Raises `InputError` for anything else."""
    found = data.get(field)
    if not isinstance(found, str) or found not in choices:
        raise unexpected(field, found)
    return found


def whole(data: Mapping[str, Any], field: str, most: int) -> int:
    """A whole number from 0 to `most`. Raises `InputError` for anything else."""
    found = data.get(field)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        raise unexpected(field, found)
    return found


def _truth(data: Mapping[str, Any], field: str) -> bool:
    found = data.get(field)
    if not isinstance(found, bool):
        raise unexpected(field, found)
    return found


def _number(data: Mapping[str, Any], field: str) -> float:
    found = data.get(field)
    if not isinstance(found, int | float) or isinstance(found, bool) or not -_LARGEST < found < _LARGEST:
        raise unexpected(field, found)
    return float(found)


def unexpected(field: str, value: object) -> InputError:
    """What is said about a field that holds something else than it should."""
    return InputError(
        _m("In the trace, “{field}” is {found}, which does not belong there."), field=field, found=repr(value)[:60]
    )
