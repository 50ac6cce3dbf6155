"""Flex attention: `torch.nn.attention.flex_attention`, whose mask and scores are functions of the positions.

Uncompiled it calls one operator, which is given these functions. Source: its page in the PyTorch documentation.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.attention import Mask, mask_by_function
from attnviz.recording import scaled_dot_product
from attnviz.recording.call import Meaning, QueryKeyCall
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.roles import Part
from attnviz.recording.routing import recordings
from attnviz.recording.sample import Sample, sampled_rows
from attnviz.recording.tensors import kept

NAMES = ("query", "key", "value", "score_mod", "block_mask", "scale", "kernel_options", "score_buffers", "mask_buffers")

# Scores at which a function of the score alone is tried.
_TRIED = (-1e4, -300.0, -50.0, -7.0, -2.5, -1.0, -0.3, 0.0, 1e-3, 0.4, 1.0, 3.0, 20.0, 100.0, 1e4)


@dataclass(slots=True, eq=False, kw_only=True)
class FlexCall(QueryKeyCall):
    """One call. score, pair: the functions, which take 0-dimensional tensors; None where there is none.

    place: the device of the functions' own tensors, from which queries and keys may be moved away.
    """

    scale: float
    place: torch.device
    score: Callable[..., Tensor] | None
    pair: Callable[..., Tensor] | None

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys, values, and what the functions have caught."""
        return (self.query, self.key, self.value, *caught(self.score), *caught(self.pair))

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:  # noqa: ARG002  the functions tell
        """The call, its functions recognised where they are something simpler."""
        items = len(self.query)
        key = self.key.expand(items, -1, -1, -1)
        sizes = (*self.query.shape[:3], key.shape[2])
        rule = None if self.pair is None else rule_of(self.pair, sizes, self.place, masks)
        softcap, modify, adds = None, None, False
        if self.score is not None:
            softcap, modify, adds = _score_of(self.score, self.place)
        if modify is not None and adds:
            rule = _joined(rule, _forbidden(modify, sizes, self.place, masks, self.score))
        return Meaning(
            query=self.query,
            key=key,
            value=None if self.value is None else self.value.expand(items, -1, -1, -1),
            scale=self.scale,
            mask=rule,
            softcap=softcap,
            modify=modify,
            adds=adds,
            causal=looks_back_only(rule, (sizes[2], sizes[3])),
            sample=None if self.column is None else Sample(sampled_rows(sizes[2]), *self.column),
        )


def _handle(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    output = func(*args, **kwargs)
    given = dict(zip(NAMES, args, strict=False)) | kwargs
    for recording in recordings():
        module = recording.running()
        if module is not None:
            _keep(recording, module, given, output[0])
    return output


def _keep(recording: Any, module: nn.Module, given: dict[str, Any], output: Tensor) -> None:
    query, value = given["query"], given["value"]
    checkable = 0 not in output.shape and not output.is_meta
    recording.keep(
        FlexCall(
            module=module,
            run=recording.run,
            query=kept(query),
            key=kept(given["key"]),
            value=kept(value) if recording.options.values else None,
            mask=None,
            column=scaled_dot_product.columns(value.expand(len(query), -1, -1, -1), output) if checkable else None,
            scale=float(given["scale"]),
            place=query.device,
            score=_with(given["score_mod"], given.get("score_buffers")),
            pair=_with(given["block_mask"][-1], given.get("mask_buffers")),
        )
    )


def _with(function: Any, buffers: Any) -> Callable[..., Tensor] | None:
    """The function with the tensors that a compiled one takes as further arguments; None where it does nothing."""
    if getattr(function, "__name__", "") in ("_identity", "noop_mask") and _is_torchs(function):
        return None
    if not buffers:
        found: Callable[..., Tensor] = function
        return found

    def whole(*args: Tensor) -> Tensor:
        result: Tensor = function(*args, *buffers)
        return result

    return whole


def _is_torchs(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith("torch.")


def watch(handlers: dict[Any, Any]) -> None:
    """Adds a handler for the operator, once it is loaded; loading it takes seconds."""
    module = sys.modules.get("torch._higher_order_ops.flex_attention")
    if module is not None:
        handlers[module.flex_attention] = _handle


def caught(function: Any, depth: int = 6) -> Iterator[Tensor]:
    """The tensors that a function has caught from around it, in functions within it too."""
    if isinstance(function, Tensor):
        yield function
    elif depth and isinstance(function, list | tuple):
        for one in function:
            yield from caught(one, depth - 1)
    elif depth and isinstance(function, partial):
        yield from caught((function.func, *function.args, *function.keywords.values()), depth - 1)
    elif depth and callable(function):
        for cell in getattr(function, "__closure__", None) or ():
            try:
                yield from caught(cell.cell_contents, depth - 1)
            except ValueError:
                # A name that has no value yet.
                continue
        yield from caught(getattr(function, "__defaults__", None) or (), depth - 1)


def rule_of(
    pair: Callable[..., Tensor], sizes: tuple[int, int, int, int], device: torch.device, masks: Masks
) -> Mask | None:
    """The rule behind a function of item, head, query and key; one that several layers use is looked through once."""

    def look_through() -> Mask | None:
        looks_at = _looks_at(pair, 4, device)
        items, heads = (size if used else 1 for size, used in zip(sizes[:2], looks_at[:2], strict=True))

        def tile(item: int, head: int, rows: Tensor, cols: Tensor) -> Tensor:
            over = torch.vmap(torch.vmap(pair, (None, None, None, 0)), (None, None, 0, None))
            with torch.no_grad(), _indexing():
                found = over(*_scalars(device, item, head), rows, cols)
            return found.expand(len(rows), len(cols)).bool()

        return mask_by_function(tile, (items, heads, *sizes[2:]), device)

    return masks.once(("pair", id(pair), sizes, device), (pair, *caught(pair)), look_through)


def _score_of(score: Callable[..., Tensor], device: torch.device) -> tuple[float | None, Any, bool]:
    """Softcap, the function where it is something else, and whether that only adds."""
    looks_at = _looks_at(score, 5, device)
    if not any(looks_at[1:]):
        tried = torch.tensor(_TRIED, device=device)
        with torch.no_grad(), _indexing():
            found = torch.vmap(score, (0, None, None, None, None))(tried, *_scalars(device, 0, 0, 0, 0))
        if torch.equal(found, tried):
            return None, None, False
        cap = float(found[-1])
        if cap > 0 and torch.allclose(found, cap * torch.tanh(tried / cap), rtol=1e-5, atol=1e-6 * cap):
            return cap, None, False
    return None, _tile_of_scores(score, device), _only_adds(score, device)


def _tile_of_scores(score: Callable[..., Tensor], device: torch.device) -> Any:
    over = torch.vmap(score, (0, None, None, None, 0))
    over = torch.vmap(over, (0, None, None, 0, None))
    over = torch.vmap(over, (0, None, 0, None, None))

    def modify(scores: Tensor, item: int, heads: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        with torch.no_grad(), _indexing():
            places = (one.to(device) for one in (heads, rows, cols))
            found: Tensor = over(scores.to(device), *_scalars(device, item), *places)
        return found.to(scores.device)

    return modify


def _forbidden(
    modify: Any, sizes: tuple[int, int, int, int], device: torch.device, masks: Masks, score: Any
) -> Mask | None:
    """Which pairs a function that only adds gives −∞."""

    def tile(item: int, head: int, rows: Tensor, cols: Tensor) -> Tensor:
        nothing = torch.zeros(1, len(rows), len(cols), device=device)
        found: Tensor = modify(nothing, item, torch.tensor([head], device=device), rows, cols)
        return found[0] > -torch.inf

    looks_at = _looks_at(score, 5, device)
    items, heads = (size if used else 1 for size, used in zip(sizes[:2], looks_at[1:3], strict=True))
    return masks.once(
        ("score", id(score), sizes, device),
        (score, *caught(score)),
        lambda: mask_by_function(tile, (items, heads, *sizes[2:]), device),
    )


def _joined(first: Mask | None, second: Mask | None) -> Mask | None:
    return second if first is None else first if second is None else first & second


def _graph(function: Callable[..., Tensor], arguments: int, device: torch.device) -> Any:
    """What the function computes, operator by operator; None where that cannot be traced."""
    from torch.fx.experimental.proxy_tensor import make_fx

    indices = _scalars(device, *[0] * 4)
    given = (torch.zeros((), device=device), *indices) if arguments == 5 else indices
    try:
        with torch.no_grad(), _indexing():
            graph = make_fx(function)(*given).graph
    except Exception:
        # Whatever a function does that cannot be traced, it is taken for one that looks at everything.
        return None
    graph.eliminate_dead_code()
    return graph


def _looks_at(function: Callable[..., Tensor], arguments: int, device: torch.device) -> list[bool]:
    """Which of its arguments the function uses."""
    graph = _graph(function, arguments, device)
    if graph is None:
        return [True] * arguments
    return [bool(node.users) for node in graph.nodes if node.op == "placeholder"]


def _only_adds(score: Callable[..., Tensor], device: torch.device) -> bool:
    """Whether the score goes through additions alone, or through a choice between it and −∞."""
    graph = _graph(score, 5, device)
    if graph is None:
        return False
    nodes = list(graph.nodes)
    aten = torch.ops.aten
    carries = {nodes[0]}
    for node in nodes[1:]:
        inputs = carries.intersection(node.all_input_nodes)
        if node.op == "output" or not inputs:
            continue
        added = node.target in (aten.add.Tensor, aten.sub.Tensor) and node.args[0] in carries
        added = added or (node.target is aten.add.Tensor and node.args[1] in carries)
        chosen = node.target is aten.where.self and node.args[1] in carries and node.args[0] not in carries
        if len(inputs) != 1 or node.kwargs or not (added or (chosen and _is_minus_infinity(node.args[2], graph))):
            return False
        carries.add(node)
    return bool(carries.intersection(nodes[-1].all_input_nodes))


def _is_minus_infinity(node: Any, graph: Any) -> bool:
    """Whether a node is nothing but −∞, as `float("-inf")` in a function becomes."""
    while node.op == "call_function" and len(node.all_input_nodes) == 1:
        node = node.all_input_nodes[0]
    if node.op == "get_attr":
        value = getattr(graph.owning_module, node.target, None)
        return isinstance(value, Tensor) and value.numel() == 1 and float(value) == -torch.inf
    return node.op == "call_function" and -torch.inf in node.args


def _scalars(device: torch.device, *numbers: int) -> tuple[Tensor, ...]:
    return tuple(torch.tensor(number, device=device) for number in numbers)


def _indexing() -> Any:
    """Lets functions look things up by a position, as flex attention itself does."""
    from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex

    return TransformGetItemToIndex()
