"""The nodes of all living tensors."""

import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import Tensor

from attnviz.recording.blocks.graph import Call, Node, Step

Known = dict[int, tuple["weakref.ref[Tensor]", Node]]


@dataclass(eq=False)
class Nodes:
    """Finds the node of a tensor, without keeping the tensor."""

    count: int = 0
    _known: Known = field(default_factory=dict)

    def get(self, tensor: Any) -> Node | None:
        """The node of a tensor, if it was seen."""
        found = self._known.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def set(
        self,
        tensor: Tensor,
        function: str,
        inputs: tuple[Node | None, ...],
        call: Call | None,
        step: Step | None = None,
    ) -> Node:
        """A new node for a tensor, which replaces the one that it had."""
        self.count += 1
        node = Node(self.count, function, inputs, call, step)
        key = id(tensor)
        self._known[key] = (weakref.ref(tensor, partial(_forget, self._known, key)), node)
        return node

    def entered(self, tensor: Tensor, call: Call | None) -> Node:
        """The node of a tensor that a module is given."""
        return self.get(tensor) or self.set(tensor, "", (), call)


def _forget(known: Known, key: int, gone: "weakref.ref[Tensor]") -> None:
    """A tensor is gone; its place in memory may be another one's already."""
    if key in known and known[key][0] is gone:
        del known[key]
