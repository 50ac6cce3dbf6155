"""The names of the layers in a closed module: the graph says for each softmax which part of the model it is from."""

import re
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.fx import GraphModule

_ATTENDS = re.compile(r"(^|::|\.)_?(safe_)?(softmax|scaled_dot_product_\w+)(\.|$)")
# TorchScript calls these as functions; each attends once.
_FUNCTIONS = ("softmax", "scaled_dot_product_attention", "multi_head_attention_forward")
_OUTER = re.compile(r"^(L\['self'\]|L__self__)\.?")


class _UnclearError(Exception):
    """Which of several branches runs is known only when it does."""


def names_of(module: nn.Module) -> list[str]:
    """A name for every attention in order of execution; none where the graph does not tell the order."""
    if isinstance(module, GraphModule):
        return [_exported(node) for node in module.graph.nodes if _attends(node)]
    try:
        return list(_scripted(module._c, "forward", ""))
    except (_UnclearError, RuntimeError):
        return []


def _attends(node: Any) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and bool(_ATTENDS.search(str(node.target)))


def _exported(node: Any) -> str:
    stack = node.meta.get("nn_module_stack") or {}
    path = str(next(reversed(stack.values()))[0]) if stack else ""
    return _OUTER.sub("", path)


def _scripted(module: Any, method: str, path: str) -> Iterator[str]:
    graph = module._get_method(method).graph
    yield from _in_block(graph, module, path, {next(graph.inputs()).debugName(): (module, path)})


def _in_block(block: Any, module: Any, path: str, parts: dict[str, tuple[Any, str]]) -> Iterator[str]:
    for node in block.nodes():
        kind = node.kind()
        if kind == "prim::GetAttr" and node.inputsAt(0).debugName() in parts:
            outer, name = parts[node.inputsAt(0).debugName()]
            part = _attribute(outer, node.s("name"))
            if part is not None:
                parts[node.output().debugName()] = (part, f"{name}.{node.s('name')}" if name else node.s("name"))
        elif kind == "prim::CallMethod":
            called = parts.get(node.inputsAt(0).debugName())
            if called is not None:
                yield from _scripted(called[0], node.s("name"), called[1])
        elif kind == "prim::CallFunction":
            if node.inputsAt(0).node().s("name") in _FUNCTIONS:
                yield path
        elif kind in ("prim::If", "prim::Loop"):
            yield from _in_branches(node, module, path, parts)
        elif _ATTENDS.search(kind):
            yield path


def _in_branches(node: Any, module: Any, path: str, parts: dict[str, tuple[Any, str]]) -> Iterator[str]:
    found = [list(_in_block(block, module, path, parts)) for block in node.blocks()]
    if any(one != found[0] for one in found) or (found[0] and node.kind() == "prim::Loop"):
        raise _UnclearError
    yield from found[0]


def _attribute(module: Any, name: str) -> Any:
    return module.getattr(name) if module.hasattr(name) and hasattr(module.getattr(name), "_get_method") else None
