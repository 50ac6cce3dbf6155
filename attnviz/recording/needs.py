"""What recording a model takes: above all, whether it attends only through transformers' AttentionInterface.

If so, nothing else needs to be watched. Watching every torch function slows a short forward pass of a small
model by a tenth or more.
"""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import CodeType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from torch import nn

from attnviz.recording.modules import Modules, modules_of
from attnviz.recording.state_space import state_space_layers

# Names in the code of a layer that say it may attend on its own. The interface's "eager" function is not its own.
_ATTENDS = ("softmax", "scaled_dot_product", "attention_forward", "flex_attention", "flash_attn")
# Or that it cuts its input into windows: where they lie is seen in the functions that lay it out.
_CUTS = "window_partition"
_EAGER = "eager_attention_forward"

_TORCH_LAYERS_THAT_ATTEND = (
    nn.MultiheadAttention,
    nn.Transformer,
    nn.TransformerEncoderLayer,
    nn.TransformerDecoderLayer,
    nn.Softmax,
)


@dataclass(frozen=True)
class Needs:
    """What recording a model takes.

    watching: some module may attend otherwise than through the interface. compiled: torch.compile was applied.
    state_space: some module may be a state-space layer.
    """

    watching: bool
    compiled: bool
    state_space: bool = False


# Walking through a model costs a short forward pass some percent, so it is done once for each.
_known: WeakKeyDictionary[nn.Module, Needs] = WeakKeyDictionary()


def needs_of(model: nn.Module) -> Needs:
    """What recording this model takes, as it was found at its last recording."""
    known = _known.get(model)
    if known is None:
        known = _known[model] = _needs(modules_of(model))
    return known


def still_needs(model: nn.Module, modules: Modules) -> bool:
    """Whether that is what it takes now, given its modules; if not, the next recording will know better."""
    now = _needs(modules)
    same = _known.get(model) == now
    _known[model] = now
    return same


def _needs(modules: Modules) -> Needs:
    kinds = modules.kinds()
    return Needs(
        watching=modules.replaced or any(_may_attend(kind) for kind in kinds),
        compiled=modules.compiled,
        state_space=bool(state_space_layers(modules)),
    )


@cache
def _may_attend(kind: Any) -> bool:
    if kind.__module__.startswith("torch.nn.modules."):
        return issubclass(kind, _TORCH_LAYERS_THAT_ATTEND)
    return not kind.__module__.startswith("transformers.") or _file_attends(sys.modules[kind.__module__])


@cache
def _file_attends(file: ModuleType) -> bool:
    return any(_code_attends(code) for function in _functions(file) for code in _codes(function.__code__))


def _code_attends(code: CodeType) -> bool:
    names = set(code.co_names)
    past_the_interface = "ALL_ATTENTION_FUNCTIONS" in names and "get_interface" not in names
    cuts = _CUTS in code.co_name or any(_CUTS in name for name in names)
    return past_the_interface or cuts or any(word in name.lower() for name in names - {_EAGER} for word in _ATTENDS)


def _functions(file: ModuleType) -> Iterator[Any]:
    """Every function that is written in a file, in classes or not, but the interface's eager one."""
    for thing in vars(file).values():
        if getattr(thing, "__module__", None) != file.__name__:
            continue
        members = list(vars(thing).values()) if inspect.isclass(thing) else [thing]
        for member in members:
            function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
            if inspect.isfunction(function) and function.__name__ != _EAGER:
                yield function


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
