"""torch's functions by what they do, under all the names that they have."""

from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

_ROOMS = (torch, Tensor, F, torch.special)


def named(*names: str) -> tuple[Any, ...]:
    """The functions and methods of these names, wherever torch has them; each once."""
    found = {getattr(room, name) for name in names for room in _ROOMS if callable(getattr(room, name, None))}
    return tuple(found)


def attributes(*names: str) -> tuple[Any, ...]:
    """What torch calls when one of these attributes of a tensor is read."""
    return tuple(getattr(Tensor, name).__get__ for name in names)


def in_place(names: Iterable[str]) -> tuple[Any, ...]:
    """Their variants that write into the tensor."""
    return tuple(getattr(Tensor, f"{name}_") for name in names if hasattr(Tensor, f"{name}_"))


MATMUL = named("matmul", "__matmul__", "bmm", "mm", "mv")
EINSUM = (torch.einsum,)
BADDBMM = named("baddbmm")
LINEAR = (F.linear,)

VIEWS = named("view", "reshape", "unflatten", "flatten", "squeeze", "unsqueeze", "view_as", "reshape_as")
PERMUTE, T, READ_T, READ_MT = named("permute"), named("t"), attributes("T"), attributes("mT")
PERMUTATIONS = (*named("transpose", "swapaxes", "swapdims"), *PERMUTE, *T, *READ_T, *READ_MT)
SAME = named(
    "to", "float", "double", "half", "bfloat16", "type", "type_as", "contiguous", "clone", "detach"
) + attributes("data")
DROPOUT = named("dropout")
SAME_IN_VALUE = (*named("nan_to_num"), *DROPOUT)

MUL, MUL_ = named("mul", "multiply", "__mul__", "__rmul__"), in_place(["mul", "multiply"])
DIV, DIV_ = named("div", "divide", "true_divide", "__truediv__"), in_place(["div", "divide", "true_divide"])
ADD, ADD_ = named("add", "__add__", "__radd__"), in_place(["add"])
SUB, SUB_ = named("sub", "subtract", "__sub__"), in_place(["sub", "subtract"])
REVERSE_SUB = named("rsub", "__rsub__")
MASKED_FILL, MASKED_FILL_ = named("masked_fill"), in_place(["masked_fill"])
WHERE = named("where")
TANH, TANH_ = named("tanh"), in_place(["tanh"])
CLAMP, CLAMP_ = named("clamp", "clip", "clamp_min"), in_place(["clamp", "clip", "clamp_min"])
MAXIMUM, ROW_MAXIMUM = named("max", "maximum"), named("max", "amax")
NEGATIVE = named("neg", "negative", "__neg__")
EXP, EXP_ = named("exp"), in_place(["exp"])
SUM, CUMSUM, LOG_SUM_EXP = named("sum"), named("cumsum"), named("logsumexp")
SIGMOID, SIGMOID_ = named("sigmoid"), in_place(["sigmoid"])
SOFTMAX, LOG_SOFTMAX = named("softmax", "_softmax"), named("log_softmax")
ATEN_SOFTMAX = (torch.ops.aten._softmax, torch.ops.aten._softmax.default)
SOFTMIN = named("softmin")
CAT = named("cat", "concat", "concatenate")
# Tensors that have no more than the shape or the type of another.
LIKE = frozenset(
    named(*(f"{name}_like" for name in ("zeros", "ones", "full", "empty", "rand", "randn", "randint")))
    + named("new_zeros", "new_ones", "new_full", "new_empty", "new_tensor")
)
GET, SET = (Tensor.__getitem__,), (Tensor.__setitem__,)

_WRITTEN_OUT = {*MUL_, *DIV_, *ADD_, *SUB_, *MASKED_FILL_, *TANH_, *CLAMP_, *EXP_, *SIGMOID_}

# Whatever else writes into a tensor.
OTHER_IN_PLACE = tuple(
    function
    for name in dir(Tensor)
    if name.endswith("_") and not name.startswith("_") and callable(function := getattr(Tensor, name))
    if function not in _WRITTEN_OUT and name not in ("requires_grad_", "retain_grad_", "share_memory_", "unsqueeze_")
)
