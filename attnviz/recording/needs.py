"""Whether a model attends only through transformers' AttentionInterface, so that nothing else needs to be watched.

Watching every torch function slows a short forward pass of a small model by a tenth or more.
"""

import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from types import CodeType, ModuleType
from typing import Any

from torch import nn

# Names in the code of a layer that say it may attend on its own. The interface's "eager" function is not its own.
_ATTENDS = ("softmax", "scaled_dot_product", "attention_forward", "flex_attention", "flash_attn")
_EAGER = "eager_attention_forward"

_TORCH_LAYERS_THAT_ATTEND = (
    nn.MultiheadAttention,
    nn.Transformer,
    nn.TransformerEncoderLayer,
    nn.TransformerDecoderLayer,
    nn.Softmax,
)


def needs_watching(modules: Iterable[nn.Module]) -> bool:
    """Whether some module may attend otherwise than through the interface."""
    kinds: set[Any] = set()
    for module in modules:
        if "forward" in vars(module):  # replaced on this very object
            return True
        kinds.add(type(module))
    return any(_may_attend(kind) for kind in kinds)


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
    return past_the_interface or any(word in name for name in names - {_EAGER} for word in _ATTENDS)


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
