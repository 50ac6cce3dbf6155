"""Torch's functions by what they do to a sum: add to it, move it, normalise it, or attend."""

from typing import Any

import torch
from torch import Tensor

from attnviz.attention.normalising import Normalising
from attnviz.recording.blocks.graph import Moved

ADDING = frozenset({"add", "__add__", "__radd__", "__iadd__", "add_"})
IN_PLACE = frozenset({"__iadd__", "add_"})

# The same numbers in another shape or order, so that whatever is done to a sum can be done to each summand.
MOVING = frozenset(
    [
        "view",
        "reshape",
        "flatten",
        "unflatten",
        "transpose",
        "permute",
        "contiguous",
        "clone",
        "squeeze",
        "unsqueeze",
        "movedim",
        "swapaxes",
        "swapdims",
        "roll",
        "narrow",
        "select",
        "__getitem__",
        "chunk",
        "split",
        "unbind",
        "view_as",
        "reshape_as",
        "expand",
        "detach",
        "alias",
        "pad",
        "t",
        "T",
        "mT",
        "data",
    ]
)
# Another type alone: shares are computed in the widest type at hand, so nothing is done to them.
CASTING = frozenset(["to", "type", "type_as", "float", "half", "double", "bfloat16", "cuda", "cpu"])
SCALING = frozenset(
    ["mul", "__mul__", "__rmul__", "div", "__truediv__", "multiply", "divide", "true_divide", "mul_", "__imul__"]
)

# What comes out is what was looked into; that the places were computed says nothing of it.
INDEXING = frozenset(["__getitem__", "index_select", "gather", "take_along_dim"])

DROPPING = frozenset({"dropout", "alpha_dropout", "dropout1d", "dropout2d"})

SOFTMAX = frozenset({"softmax", "_softmax", "softmax_"})
FUSED = frozenset({"scaled_dot_product_attention", "multi_head_attention_forward", "flex_attention"})
PRODUCTS = frozenset({"matmul", "__matmul__", "bmm", "baddbmm", "einsum"})
# What looks at several positions without being an attention.
MIXING = frozenset(
    ["conv1d", "conv2d", "conv3d", "fft", "fftn", "fft2", "rfft", "cumsum", "avg_pool1d", "avg_pool2d", "max_pool2d"]
)


def tensors(found: Any) -> list[Tensor]:
    """The tensors among arguments or outputs, lists and tuples opened."""
    if isinstance(found, Tensor):
        return [found]
    if isinstance(found, tuple | list):
        return [tensor for one in found for tensor in tensors(one)]
    if isinstance(found, dict):
        return [tensor for one in found.values() for tensor in tensors(one)]
    return []


def operands(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """What an addition was given."""
    return (args[0], args[1] if len(args) > 1 else kwargs["other"])


def is_sum(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether two tensors are added, one of them as large as their sum."""
    if name not in ADDING or not args or len(args) + ("other" in kwargs) != 2 or "out" in kwargs:
        return False
    one, other = operands(args, kwargs)
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    if not one.is_floating_point() or not other.is_floating_point() or max(one.ndim, other.ndim) < 2:
        return False
    return one.shape == other.shape or _covers(one.shape, other.shape) or _covers(other.shape, one.shape)


def _covers(large: tuple[int, ...], small: tuple[int, ...]) -> bool:
    """Whether the sum of both shapes is as large as the first."""
    return len(large) >= len(small) and all(
        there in (1, here) for here, there in zip(reversed(large), reversed(small), strict=False)
    )


def moved(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], place: int | None) -> Moved | None:
    """What moves any summand as the function moved its first argument; place: which of several outputs."""
    if name in CASTING:
        return Moved(_same)
    if name in DROPPING and not _drops(args, kwargs):
        return Moved(_same)
    if name in MOVING and not (name == "pad" and (args[2:] or kwargs.keys() - {"pad"})):
        rest = args[1:]
        if place is None:
            return Moved(lambda tensor: func(tensor, *rest, **kwargs))
        return Moved(lambda tensor: func(tensor, *rest, **kwargs)[place])
    return None


def _same(tensor: Tensor) -> Tensor:
    return tensor


def _drops(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    training = kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True))
    return bool(training)


def scaled(name: str, args: tuple[Any, ...], known: list[bool]) -> tuple[int, Moved] | None:
    """Which argument is multiplied by something that is not computed from the input, and how.

    known: of each of two arguments, whether it is computed from something that a module was given.
    """
    if name not in SCALING or len(args) != 2 or sum(known) != 1:
        return None
    side = known.index(True)
    other = args[1 - side]
    if "div" in name:
        return (0, Moved(lambda tensor: tensor / other)) if side == 0 else None
    return side, Moved(lambda tensor: tensor * other)


def normalising(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Normalising | None:
    """The normalisation that torch's own function does, where it is over the last dimension alone."""
    if name not in {"layer_norm", "rms_norm"} or not args or not isinstance(args[0], Tensor):
        return None
    names = (
        ("input", "normalized_shape", "weight", "bias", "eps")
        if name == "layer_norm"
        else ("input", "normalized_shape", "weight", "eps")
    )
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    if tuple(given["normalized_shape"]) != tuple(args[0].shape[-1:]):
        return None
    gain, bias, epsilon = given.get("weight"), given.get("bias"), given.get("eps")
    if epsilon is None:
        epsilon = 1e-5 if name == "layer_norm" else torch.finfo(args[0].dtype).eps
    detached = [one.detach() if isinstance(one, Tensor) else None for one in (gain, bias)]
    return Normalising(name == "layer_norm", detached[0], detached[1], float(epsilon))
