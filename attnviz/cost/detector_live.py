"""What a detector's own architecture says of its attention, counted here: layers, calls, parameters, operations.

Asks the package `ultralytics`, where the user has installed it, to build a network from its own file, with random
weights. The package is licensed under AGPL-3.0; attnviz neither brings nor needs it, and nothing here imports it before
it is asked to.
"""

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode

from attnviz.base.errors import InputError
from attnviz.base.language import _m

PACKAGE = "ultralytics"


@dataclass(frozen=True)
class Counted:
    """What was found in one network at one input size.

    softmaxes: the shape of every softmax over a square of positions, in order: items × heads × n × n. layers: the
    numbers of the network's own layers that hold attention. Parameters as they are, with batch normalisation not yet
    folded into the convolutions; operations as `FlopCounterMode` counts them: 2 for a multiplication and its addition,
    of convolutions and matrix products alone. core: of q kᵀ and weights × values. block: attention and the feed-forward layer that follows it.
    """

    name: str
    version: str
    softmaxes: tuple[tuple[int, ...], ...]
    layers: tuple[int, ...]
    parameters: int
    attention_parameters: int
    operations: int
    attention_operations: int
    core_operations: int
    block_parameters: int
    block_operations: int


def is_installed() -> bool:
    """Whether the package is there; it is not imported for that."""
    return importlib.util.find_spec(PACKAGE) is not None


def count(name: str, height: int, width: int) -> Counted:
    """Build the network of an architecture file such as "yolo26n.yaml" and count in one pass over an empty image.

    Raises `InputError` where the package is missing or does not know the file.
    """
    try:
        tasks = importlib.import_module(f"{PACKAGE}.nn.tasks")
        version = importlib.metadata.version(PACKAGE)
    except Exception as reason:  # whatever a package of somebody else's fails on while it is imported
        raise InputError(
            _m("The package ultralytics could not be imported: {reason}."), reason=_first_line(reason)
        ) from reason
    try:
        model: nn.Module = tasks.DetectionModel(name, verbose=False).eval()
        return counted(name, version, model, torch.zeros(1, 3, height, width))
    except Exception as reason:
        raise InputError(
            _m("ultralytics {version} could not build and run “{name}”: {reason}."),
            version=version, name=name, reason=_first_line(reason),
        ) from reason  # fmt: skip


def counted(name: str, version: str, model: nn.Module, image: Tensor) -> Counted:
    """Count in one pass of any module whose attention is in classes called "Attention", and "PSABlock" around them."""
    attentions, blocks = _called(model, "Attention"), _called(model, "PSABlock")
    flops, softmaxes = FlopCounterMode(display=False), Softmaxes()
    with torch.inference_mode(), flops, softmaxes:
        model(image)
    by_module = flops.get_flop_counts()
    inside = [_of(by_module, model, path) for path in attentions]
    return Counted(
        name=name,
        version=version,
        softmaxes=tuple(shape for shape in softmaxes.shapes if is_over_positions(shape)),
        layers=tuple(sorted({number for path in attentions if (number := _number(path)) is not None})),
        parameters=_parameters([model]),
        attention_parameters=_parameters(attentions.values()),
        operations=flops.get_total_flops(),
        attention_operations=sum(sum(found.values()) for found in inside),
        core_operations=sum(
            operations for found in inside for what, operations in found.items() if "mm" in str(what)
        ),
        block_parameters=_parameters(blocks.values()),
        block_operations=sum(sum(_of(by_module, model, path).values()) for path in blocks),
    )  # fmt: skip


def is_over_positions(shape: tuple[int, ...]) -> bool:
    """Whether a softmax weighs positions for positions: its last two dimensions are equal. Others decode boxes or classes."""
    return len(shape) >= 2 and shape[-1] == shape[-2]


class Softmaxes(TorchFunctionMode):
    """Keeps the shape of what every softmax within the block was given."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[tuple[int, ...]] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        named = dict(kwargs or {})
        if getattr(func, "__name__", "") in ("softmax", "_softmax"):
            given = args[0] if args else named.get("input")
            if isinstance(given, Tensor):
                self.shapes.append(tuple(given.shape))
        return func(*args, **named)


def _called(model: nn.Module, name: str) -> dict[str, nn.Module]:
    return {path: module for path, module in model.named_modules() if type(module).__name__ == name}


def _of(by_module: Mapping[str, Mapping[Any, int]], model: nn.Module, path: str) -> Mapping[Any, int]:
    """torch names a module by its path below the class of the whole."""
    return by_module.get(f"{type(model).__name__}.{path}", {})


def _parameters(modules: Iterable[nn.Module]) -> int:
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


def _number(path: str) -> int | None:
    """The number of the layer in "model.10.m.0.attn"."""
    return next((int(part) for part in path.split(".") if part.isdigit()), None)


def _first_line(reason: Exception) -> str:
    return (str(reason).splitlines() or [type(reason).__name__])[0][:200].rstrip(".")
