"""What kind of part gave a tensor: an attention to the stream itself or to another sequence, or a feed-forward part."""

from collections.abc import Iterator
from typing import NamedTuple

from attnviz.attention.normalising import Normalising
from attnviz.attention.summands import PartKind
from attnviz.recording.blocks import functions
from attnviz.recording.blocks.graph import Node


class Kind(NamedTuple):
    """before: the part reads the stream through a normalisation of its own. reads: it reads the stream at all."""

    part: PartKind
    before: bool = False
    reads: bool = True


def kind_of(leaf: Node | None, stream: set[int], first: int) -> Kind:
    """The kind, by what ran between the stream and the part's output.

    stream: ids of the nodes that are passed on. first: the number of the first node of the block.
    """
    if leaf is None or leaf.number < first:
        return Kind("other", reads=False)
    found = list(_between(leaf, stream, first))
    before = any(isinstance(node.step, Normalising) and id(node.inputs[0]) in stream for node in found)
    looked = [pair for node in found for pair in _looked(node, stream, first)]
    if looked:
        # One of several products may be with learned positions, as in DeBERTa: one with the stream itself decides.
        itself = any(_reaches(one, stream, first) and _reaches(other, stream, first) for one, other in looked)
        return Kind("attention" if itself else "cross-attention", before)
    reads = any(id(one) in stream for node in found for one in node.origins)
    mixes = any(node.function in functions.MIXING or _is_product(node) for node in found)
    return Kind("feed-forward" if reads and not mixes else "other", before, reads)


def _between(leaf: Node, stream: set[int], first: int) -> Iterator[Node]:
    """The nodes that a tensor was made of, back to the stream or to what came into the block."""
    waiting, seen = [leaf], {id(leaf)}
    while waiting:
        node = waiting.pop()
        if id(node) in stream or node.number < first:
            continue
        yield node
        for one in node.origins:
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)


def _looked(node: Node, stream: set[int], first: int) -> list[tuple[Node, Node]]:
    """Queries and keys, where the node is an attention: a fused one, or the softmax over products of two tensors."""
    if node.function in functions.FUSED:
        return _pair(node)
    if node.function in functions.SOFTMAX:
        return [pair for one in _between(node, stream, first) if _is_product(one) for pair in _pair(one)]
    return []


def _is_product(node: Node) -> bool:
    return node.function in functions.PRODUCTS and len(list(node.origins)) >= 2


def _pair(node: Node) -> list[tuple[Node, Node]]:
    known = list(node.origins)
    if node.function in functions.PRODUCTS:
        known = known[-2:]  # baddbmm has first what is added
    return [(known[0], known[1])] if len(known) >= 2 else []


def _reaches(node: Node, stream: set[int], first: int) -> bool:
    if id(node) in stream:
        return True
    return any(id(one) in stream for between in _between(node, stream, first) for one in between.origins)
