"""Watching a run: every call of a module and every function of torch that gives a tensor goes into the graph."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnviz.attention.normalising import Normalising
from attnviz.recording.blocks import functions
from attnviz.recording.blocks.graph import Call, Moved, Node, Place, Step, Sum
from attnviz.recording.blocks.nodes import Nodes
from attnviz.recording.blocks.norms import by_hand
from attnviz.recording.modules import Modules

Ended = Callable[[Call, Tensor, Node | None], bool]


class Watch(TorchFunctionMode):
    """Sees the functions of its thread; `begin` and `end` are told of modules.

    off: where zeros are added instead of what would have been. ended: is given each call and its output when it
    ends, and says whether the tensors that were added within it may be let go.
    """

    def __init__(self, modules: Modules, off: Collection[Place], ended: Ended) -> None:
        super().__init__()
        self.nodes = Nodes()
        self.call: Call | None = None
        self.switched: set[Place] = set()
        self._modules, self._off, self._ended = modules, frozenset(off), ended
        self._calls: Counter[str] = Counter()
        self._sums: list[tuple[Node, Sum]] = []

    def begin(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], *, listed: bool) -> None:
        """A module starts."""
        name = self._modules.name(module)
        if self.call is None and not name:
            self._calls.clear()
        first = self.nodes.count + 1
        given = tuple(
            (one, self.nodes.entered(one, self.call))
            for one in functions.tensors([*args, *kwargs.values()])
            if one.is_floating_point() and one.ndim >= 2 and not one.is_nested
        )
        self.call = Call(module, name, self._calls[name], self.call, given, first, listed=listed)
        self._calls[name] += 1

    def end(self, module: nn.Module, output: Any) -> None:
        """A module has ended; where an error made it, without output."""
        call = self.call
        while call is not None and call.module is not module:
            call = call.parent
        if call is None:
            return
        self.call = call.parent
        if call.attended and call.parent is not None:
            call.parent.attended = True
        found = functions.tensors(list(output.values()) if isinstance(output, dict) else output)
        if found:
            self._name_norm(call, found[0])
            node = self.nodes.get(found[0])
            if self._ended(call, found[0], node):
                self._let_go(call.first)
                if node is not None:  # nobody asks what came before
                    node.inputs, node.step = (), None
        call.given = ()  # nodes keep their call, and would keep every vector
        if self.call is None:
            self._let_go(0)

    def _name_norm(self, call: Call, output: Tensor) -> None:
        node = self.nodes.get(output)
        if node is None or isinstance(node.step, Normalising) or not call.given or node is call.given[0][1]:
            return
        found = by_hand(call.module, call.given[0][0], output)
        if found is not None:
            self.nodes.set(output, "norm", (call.given[0][1],), call, found)

    def _let_go(self, first: int) -> None:
        while self._sums and self._sums[-1][0].number >= first:
            self._sums.pop()[1].operands = ()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "__get__":  # a property, such as x.mT
            name = getattr(getattr(func, "__self__", None), "__name__", "")
        if functions.is_sum(name, args, kwargs) and self.call is not None:
            return self._add(name, func, args, kwargs, self.call)
        given = functions.tensors([*args, *kwargs.values()])
        known = tuple(map(self.nodes.get, given[:1] if name in functions.INDEXING else given))
        output = func(*args, **kwargs)
        if isinstance(output, Tensor | tuple | list) and any(known):
            self._made(name, func, (args, kwargs), known, output)
        return output

    def _add(self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> Any:
        operands = functions.operands(args, kwargs)
        places = (Place(call.name, call.number, call.sums, 0), Place(call.name, call.number, call.sums, 1))
        call.sums += 1
        known = tuple(map(self.nodes.get, operands))
        if self._off.intersection(places):
            self.switched.update(self._off.intersection(places))
            operands = tuple(
                torch.zeros_like(one) if place in self._off else one
                for one, place in zip(operands, places, strict=True)
            )
            if name in functions.IN_PLACE:
                args[0].copy_(operands[0])
                operands = (args[0], operands[1])
            args, kwargs = operands, {key: value for key, value in kwargs.items() if key == "alpha"}
        keep = any(known) and _may_be_carried(call, max(one.numel() for one in operands))
        kept = tuple(one.detach() for one in operands) if keep else ()
        if kept and name in functions.IN_PLACE:
            kept = (kept[0].clone(), kept[1])
        output = func(*args, **kwargs)
        if keep:
            added = Sum(tuple(one.expand_as(output) for one in kept), float(kwargs.get("alpha", 1)), places)
            self._sums.append((self.nodes.set(output, "add", known, call, added), added))
        elif any(known):
            self.nodes.set(output, "add", known, call)
        return output

    def _made(
        self,
        name: str,
        func: Any,
        given: tuple[tuple[Any, ...], dict[str, Any]],
        known: tuple[Node | None, ...],
        output: Any,
    ) -> None:
        call = self.call
        if call is not None and (name in functions.FUSED or name in functions.SOFTMAX):
            call.attended = True
        found = functions.tensors(output)
        in_place = name.endswith("_") and (not name.endswith("__") or name.startswith("__i"))
        for place, one in enumerate(found):
            if not in_place and any(one is before for before in given[0]):
                continue  # such as dropout that does nothing
            step, inputs = self._step(name, func, given, known, place if len(found) > 1 else None)
            # Whole numbers are places and counts; what computes them looks at no vector.
            self.nodes.set(one, name if one.is_floating_point() else "", inputs, call, step)

    def _step(
        self,
        name: str,
        func: Any,
        given: tuple[tuple[Any, ...], dict[str, Any]],
        known: tuple[Node | None, ...],
        place: int | None,
    ) -> tuple[Step | None, tuple[Node | None, ...]]:
        args, kwargs = given
        if args and isinstance(args[0], Tensor) and known[0] is not None:
            step: Moved | Any = functions.normalising(name, args, kwargs) or functions.moved(
                name, func, args, kwargs, place
            )
            if step is not None:
                return step, known
        scaled = functions.scaled(name, args, [self.nodes.get(one) is not None for one in args])
        if scaled is not None:
            return scaled[1], tuple(node for node in known if node is not None)
        return None, known


def _may_be_carried(call: Call, count: int) -> bool:
    """Whether a sum has as many numbers as something that an open call was given, as what is passed on has."""
    return any(one.numel() == count for around in call.around() for one, _ in around.given)
