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
    Bias,
    Check,
    DotProduct,
    FunctionScores,
    Given,
    Linear,
    Mask,
    Points,
    Pointwise,
    Stored,
    bias_from_json,
    mask_from_json,
)
from attnviz.attention.inputs import check_query_and_key, with_items_and_heads
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens import Tokens
from attnviz.trace.container import Collected

# A layer with a larger number no page can choose; in a name of an array it is a date or a checksum.
MOST_LAYER_NUMBER = 9999
# No name has so many letters, and no model reads so long a text.
MOST_LETTERS = 10_000
MOST_TEXT_LETTERS = 1_000_000
# Nor a picture so many levels or places; every one becomes a token.
MOST_LEVELS = 64
MOST_KEYS = 1 << 24
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
    if isinstance(scores, Pointwise):
        return {
            "kind": "pointwise",
            "query": tensors.name_of(scores.query),
            "key": tensors.name_of(scores.key),
            "scale": scores.scale,
            "shift": scores.shift,
            "bias": tensors.name_of(scores.bias),
            "factor": scores.factor,
        }
    if isinstance(scores, Linear):
        return {
            "kind": "linear",
            "query": tensors.name_of(scores.query),
            "key": tensors.name_of(scores.key),
            "normalised": scores.normalised,
            "causal": scores.causal,
            "factor": scores.factor,
        }
    if isinstance(scores, Points):
        return _points_to_json(scores, tensors)
    if not isinstance(scores, DotProduct):
        raise TypeError(scores)
    return {
        "kind": "dot-product",
        "query": tensors.name_of(scores.query),
        "key": tensors.name_of(scores.key),
        "scale": scores.scale,
        **_bias_to_json(scores.bias, tensors),
        "softcap": scores.softcap,
        "sinks": tensors.name_of(scores.sinks),
    }


def _points_to_json(scores: Points, tensors: Collected) -> dict[str, Any]:
    return {
        "kind": "points",
        "locations": tensors.name_of(scores.locations),
        "weights": tensors.name_of(scores.weights),
        "level_of": list(scores.level_of),
        "shapes": [list(shape) for shape in scores.shapes],
        "align_corners": scores.align_corners,
        "border": scores.border,
        "nearest": scores.nearest,
    }


def _bias_to_json(bias: Tensor | Bias | None, tensors: Collected) -> dict[str, Any]:
    if not isinstance(bias, Bias):
        return {"bias": tensors.name_of(bias)}
    return {
        "bias": None,
        "bias_rule": bias.to_json(),
        "bias_tensors": {name: tensors.name_of(tensor) for name, tensor in bias.tensors().items()},
    }


def attention_from_json(data: Any, tensors: Mapping[str, Tensor], tokens: Sequence[Tokens]) -> Attention:
    """The attention that `attention_to_json` wrote. Raises `InputError` for anything else."""
    if not isinstance(data, Mapping):
        raise unexpected("attentions", data)
    scores = _mapping(data, "scores")
    common: dict[str, Any] = {
        "name": text(data, "name"),
        "role": choice(data, "role", ROLES),
        "layer": whole(data, "layer", MOST_LAYER_NUMBER),
        "note": text(data, "note"),
        "mask": _mask(data, tensors),
        "value": _tensor(data, "value", tensors),
        "query_tokens": _tokens(data, "query_tokens", tokens),
        "key_tokens": _tokens(data, "key_tokens", tokens),
    }
    check = _check(data.get("check"))
    form = choice(data, "form", FORMS)
    normalised = _truth(data, "normalised")
    kind = choice(scores, "kind", ("dot-product", "stored", "pointwise", "linear", "points"))
    if kind == "points":
        points = _points(scores, tensors)
        return Attention.from_scores(points, form=form, normalised=normalised, check=check, **common)
    if kind == "stored":
        stored = _needed(scores, "stored", tensors)
        return replace(Attention.from_weights(stored, form=form, normalised=normalised, **common), check=check)
    if kind in ("pointwise", "linear"):
        given = _pointwise(scores, tensors, common["mask"]) if kind == "pointwise" else _linear(scores, tensors)
        return Attention.from_scores(given, form=form, normalised=normalised, check=check, **common)
    attention = Attention.from_qk(
        _needed(scores, "query", tensors),
        _needed(scores, "key", tensors),
        scale=_number(scores, "scale"),
        bias=_bias(scores, tensors),
        softcap=None if scores.get("softcap") is None else _number(scores, "softcap"),
        sinks=_tensor(scores, "sinks", tensors),
        **common,
    )
    _check_bias(_tensor(scores, "bias", tensors), attention.scores.sizes)
    return replace(attention, form=form, normalised=normalised, check=check)


def _pointwise(scores: Mapping[str, Any], tensors: Mapping[str, Tensor], rule: Mask | None) -> Pointwise:
    query, key = _query_and_key(scores, tensors)
    bias = _tensor(scores, "bias", tensors)
    _check_bias(bias, (*query.shape[:3], key.shape[2]))
    if bias is not None and not bias.is_floating_point():
        raise unexpected("bias", bias.dtype)
    return Pointwise(
        query, key, _number(scores, "scale"), _number(scores, "shift"), bias, rule, _number(scores, "factor")
    )


def _linear(scores: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Linear:
    query, key = _query_and_key(scores, tensors)
    causal = _truth(scores, "causal")
    if causal and query.shape[2] > key.shape[2]:
        raise unexpected("key", tuple(key.shape))
    return Linear(query, key, _truth(scores, "normalised"), causal, _number(scores, "factor"))


def _query_and_key(scores: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    query = with_items_and_heads(_needed(scores, "query", tensors), "query")
    key = with_items_and_heads(_needed(scores, "key", tensors), "key")
    check_query_and_key(query, key)
    return query, key


def _points(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Points:
    locations, weights = (_needed(data, name, tensors) for name in ("locations", "weights"))
    if not locations.is_floating_point() or not weights.is_floating_point() or weights.ndim != 4 or locations.ndim != 5:
        raise unexpected("weights", tuple(weights.shape))
    if locations.shape[4] != 2 or 0 in weights.shape:
        raise unexpected("locations", tuple(locations.shape))
    levels, shapes = data.get("level_of"), data.get("shapes")
    if not isinstance(levels, list) or not isinstance(shapes, list) or not 0 < len(shapes) <= MOST_LEVELS:
        raise unexpected("shapes", shapes)
    if not all(isinstance(shape, list) and len(shape) == 2 for shape in shapes):
        raise unexpected("shapes", shapes)
    sizes = [(whole({"shapes": a}, "shapes", MOST_KEYS), whole({"shapes": b}, "shapes", MOST_KEYS)) for a, b in shapes]
    if sum(rows * columns for rows, columns in sizes) > MOST_KEYS:
        raise unexpected("shapes", shapes)
    return Points(
        locations=locations,
        weights=weights,
        level_of=tuple(whole({"level_of": level}, "level_of", len(shapes) - 1) for level in levels),
        shapes=tuple(sizes),
        align_corners=_truth(data, "align_corners"),
        border=_truth(data, "border"),
        nearest=_truth(data, "nearest"),
    )


def _check(data: Any) -> Check | None:
    """Files of before there were checks have none."""
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise unexpected("check", data)
    check = Check(difference=_number(data, "difference"), allowed=_number(data, "allowed"))
    if check.difference < 0 or check.allowed < 0:
        raise unexpected("check", data)
    return check


def _bias(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Tensor | Bias | None:
    """Files of before there were other biases than tensors name none of these."""
    if data.get("bias_rule") is None:
        return _tensor(data, "bias", tensors)
    return bias_from_json(data["bias_rule"], _named(_mapping(data, "bias_tensors"), tensors))


def _named(names: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {str(name): _needed(names, name, tensors) for name in names}


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
    return mask_from_json(_mapping(data, "mask"), _named(names, tensors))


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


def text(data: Mapping[str, Any], field: str, most: int = MOST_LETTERS) -> str:
    """A text of bounded length. Raises `InputError` for anything else."""
    found = data.get(field)
    if not isinstance(found, str):
        raise unexpected(field, found)
    if len(found) > most:
        raise InputError(
            _m("In the trace, “{field}” has {found} letters; at most {most} are written and read."),
            field=field,
            found=len(found),
            most=most,
        )
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
