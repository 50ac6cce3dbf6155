"""What is made of scores in a way that is not known here: nothing is shown of it, but that it is missing is said."""

from torch import Tensor

from attnviz.recording.by_hand import functions
from attnviz.recording.by_hand.axes import fresh
from attnviz.recording.by_hand.called import Called
from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.by_hand.letters import Contraction
from attnviz.recording.by_hand.provenance import Node, Scores, Unknown, is_learnt, is_of_scores
from attnviz.recording.recording import Recording


def any_other(call: Called) -> None:
    """A function that nobody here knows has run: what it makes of scores is of scores still."""
    output = call.output[0] if isinstance(call.output, tuple) and call.output else call.output
    if not isinstance(output, Tensor) or not output.is_floating_point() or call.func in functions.LIKE:
        return
    for source in (*call.args[:3], *call.kwargs.values()):
        node = call.hand.table.get(source)
        if node is None or not is_of_scores(node) or output is source or len(node.dims) != output.ndim:
            continue
        if output.shape == source.shape:
            call.hand.table.put(output, Unknown(node.dims))
        elif output.ndim and output.shape[:-1] == source.shape[:-1]:
            # Some of the keys were chosen.
            call.hand.table.put(output, Unknown((*node.dims[:-1], fresh(output.shape[-1]))))
        return


def met_values(
    hand: Hand, recording: Recording, contraction: Contraction, nodes: tuple[Node | None, Node | None]
) -> bool:
    """Whether something made of scores is multiplied by values: summed over its last dimension, as over keys."""
    sides = (
        (nodes[0], contraction.left_letters, contraction.left, contraction.right),
        (nodes[1], contraction.right_letters, contraction.right, contraction.left),
    )
    for node, letters, tensor, other in sides:
        # A product that nothing happened to may be any: a rotation, a distance.
        plain = isinstance(node, Scores) and node.is_plain and node.scale == 1.0
        if plain or not is_of_scores(node) or is_learnt(other):
            continue
        long = [letter for letter, size in zip(letters, tensor.shape, strict=True) if size > 1]
        module = recording.running()
        if module is not None and long and long[-1] in contraction.summed():
            hand.unknown.add(module)
            return True
    return False
