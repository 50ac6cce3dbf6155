"""Whether the positions are what they are said to be: change one input token and see which keys and values move."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from attnviz.attention import Attention, DotProduct
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.capture import capture

# Rounding may differ where the same numbers are multiplied in another order.
_STILL = 1e-5


@dataclass(frozen=True)
class LabelCheck:
    """What moved in the first attention when one input token was changed.

    name: the layer that was looked at. position: the changed token. moved: the positions whose keys or values
    are others than before.
    """

    name: str
    position: int
    moved: tuple[int, ...]

    @property
    def agrees(self) -> bool:
        """Whether only the changed token's own keys and values moved."""
        return self.moved == (self.position,)


def check_labels(
    model: nn.Module,
    inputs: Mapping[str, Any],
    position: int,
    *,
    item: int = 0,
    name: str = "input_ids",
    replacement: int | None = None,
) -> LabelCheck:
    """Runs the model twice, with one token changed in between, and compares keys and values of the first layer.

    inputs: the model's arguments by name. name: the argument that is changed, whole numbers "items n" or vectors
    "items n d". replacement: the id that is put there; another id of the same input if not given, and noise for
    vectors. The first layer is the first attention that looks at one sequence; deeper ones mix the positions, so
    there everything may move. Raises `InputError` where there is no such argument or position, where the model has
    no attention whose keys are known, and where nothing moved.
    """
    given = _argument(inputs, name, position, item)
    changed = dict(inputs) | {name: _with_another(given, position, item, replacement)}
    before, after = (_first(model, run) for run in (inputs, changed))
    moved = _moved(before, after, item)
    if not moved:
        raise InputError(
            _m("Changing token {position} moved no key and no value of “{name}”; another replacement was expected."),
            position=position,
            name=before.name,
        )
    return LabelCheck(before.name, position, moved)


def _argument(inputs: Mapping[str, Any], name: str, position: int, item: int) -> Shaped[Tensor, "items n *d"]:
    given = inputs.get(name)
    if not isinstance(given, Tensor) or given.ndim not in (2, 3):
        raise InputError(_m("The inputs have no tensor “{name}” of items and positions."), name=name)
    items, length = given.shape[:2]
    if not 0 <= item < items:
        raise InputError(
            _m("Item {found} does not exist: items are counted from 0, and their number is {count}."),
            count=items,
            found=item,
        )
    if not 0 <= position < length:
        raise InputError(
            _m("Position {found} does not exist: positions are counted from 0, and their number is {count}."),
            count=length,
            found=position,
        )
    return given


def _with_another(
    given: Shaped[Tensor, "items n *d"], position: int, item: int, replacement: int | None
) -> Shaped[Tensor, "items n *d"]:
    changed = given.clone()
    here = changed[item, position]
    if changed.is_floating_point():
        changed[item, position] = here + here.abs().mean() + 1
    elif replacement is not None:
        changed[item, position] = replacement
    else:
        others = changed[item][changed[item] != here]
        changed[item, position] = others[0] if len(others) else (here - 1).clamp(min=0) if here > 0 else here + 1
    return changed


def _first(model: nn.Module, inputs: Mapping[str, Any]) -> Attention:
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad(), capture(model, values=True) as trace:
            model(**inputs)
    finally:
        for module, training in modes.items():
            module.training = training
    for found in trace:
        if found.role != "cross" and isinstance(found.scores, DotProduct):
            return found
    raise InputError(_m("The model has no attention over one sequence whose keys are known."))


def _moved(before: Attention, after: Attention, item: int) -> tuple[int, ...]:
    if before.shape != after.shape:
        raise InputError(
            _m("“{name}” has {before} keys before and {after} after the change; as many were expected."),
            name=before.name,
            before=before.shape[1],
            after=after.shape[1],
        )
    moved = torch.zeros(before.shape[1], dtype=torch.bool, device=before.device)
    for earlier, later in zip(_of_keys(before), _of_keys(after), strict=True):
        moved |= _differ(earlier[item], later[item])
    return tuple(moved.nonzero().flatten().tolist())


def _of_keys(attention: Attention) -> list[Float[Tensor, "items heads m _"]]:
    assert isinstance(attention.scores, DotProduct)  # noqa: S101  for the type checker: only such are looked at
    return [attention.scores.key] + ([] if attention.value is None else [attention.value])


def _differ(earlier: Float[Tensor, "heads m d"], later: Float[Tensor, "heads m d"]) -> Shaped[Tensor, " m"]:
    most = float(earlier.abs().max())
    return ((earlier - later).abs() > _STILL * most).any(2).any(0)
