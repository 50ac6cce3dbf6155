"""PyTorch's `nn.MultiheadAttention`, and with it nn.TransformerEncoder, nn.TransformerDecoder and nn.Transformer.

All of them call `torch.nn.functional.multi_head_attention_forward`, which either hands queries and keys to
`scaled_dot_product_attention` or, with need_weights=True, multiplies them itself. Its body runs here with
a second watch on these inner functions. Their fast paths for inference show nothing; they are off while
recording, since a function mode is active (torch/nn/modules/activation.py, "why_not_fast_path").
"""

import types
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnviz.base.language import _m
from attnviz.recording import scaled_dot_product
from attnviz.recording.call import Meaning, QueryKeyCall
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.routing import recordings
from attnviz.recording.sample import Sample, column_of, sampled_rows
from attnviz.recording.tensors import kept

FAST_PATH = _m(
    "PyTorch's fast path for nn.MultiheadAttention was off while it was recorded: its output may differ by 1e-6, "
    "and is not set to 0 where there is padding."
)


@dataclass(slots=True, eq=False, kw_only=True)
class ScaledProduct(QueryKeyCall):
    """Queries, already scaled, times keys, as with need_weights=True; items and heads are one dimension."""

    items: int
    elsewhere: bool

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:  # noqa: ARG002  it sees where keys come from
        """The call with items and heads apart."""
        query, key = self._apart(self.query), self._apart(self.key)
        rule, bias = None, None
        if self.mask is not None:
            mask = self._apart(self.mask) if self.mask.shape[0] > 1 else self.mask[None]
            rule, bias = masks.read(mask, key.shape[2])
        return Meaning(
            query=query,
            key=key,
            value=None if self.value is None else self._apart(self.value),
            scale=1.0,
            mask=rule,
            bias=bias,
            causal=looks_back_only(rule, (query.shape[2], key.shape[2])),
            elsewhere=self.elsewhere,
            sample=self._sample(),
        )

    def _sample(self) -> Sample | None:
        if self.column is None:
            return None
        value, output = (self._apart(column) for column in self.column)
        return Sample(sampled_rows(self.query.shape[1]), value, output)

    def _apart(self, tensor: Tensor) -> Tensor:
        return tensor.reshape(self.items, -1, *tensor.shape[1:])


class _Inside(TorchFunctionMode):
    """Watches the body: the first product is that of queries and keys, the second that of weights and values."""

    def __init__(self, found: list[tuple[Recording, nn.Module]], items: int, elsewhere: bool) -> None:
        super().__init__()
        self.found, self.items, self.elsewhere = found, items, elsewhere
        self.calls: list[tuple[Recording, ScaledProduct]] = []
        self.dropped = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        output = func(*args, **(kwargs or {}))
        if func is F.scaled_dot_product_attention:
            for recording, module in self.found:
                scaled_dot_product.keep(recording, module, args, kwargs or {}, output, self.elsewhere)
        elif func in (torch.bmm, torch.baddbmm):
            self._product(args, output)
        elif func is F.dropout and self.calls:
            self.dropped = True
            for recording, _ in self.calls:
                recording.note(scaled_dot_product.DROPOUT)
        return output

    def _product(self, args: tuple[Any, ...], output: Tensor) -> None:
        left, right = args[-2], args[-1]
        if self.calls:
            for recording, call in self.calls:
                call.value = kept(right) if recording.options.values else None
                call.column = None if self.dropped else _columns(right, output)
                recording.keep(call)
            return
        mask = args[0] if len(args) == 3 else None
        for recording, module in self.found:
            call = ScaledProduct(
                module=module,
                run=recording.run,
                query=kept(left),
                key=kept(right).mT,
                value=None,
                mask=None if mask is None else kept(mask),
                items=self.items,
                elsewhere=self.elsewhere,
            )
            self.calls.append((recording, call))


def _handle(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = []
    for recording in recordings():
        module = recording.running()
        if module is not None:
            found.append((recording, module))
    if not found:
        return func(*args, **kwargs)
    given = dict(zip(_names(func), args, strict=False)) | kwargs
    query, key = given["query"], given["key"]
    elsewhere = not _same(query, key)
    for recording, module in found:
        if not elsewhere and _would_be_fast(module, given):
            recording.note(FAST_PATH)
    items = query.shape[1] if query.ndim == 3 else 1
    with _Inside(found, items, elsewhere):
        return _body(func)(*args, **kwargs)


HANDLERS = {F.multi_head_attention_forward: _handle}


@cache
def _names(func: Any) -> tuple[str, ...]:
    return tuple(signature(func).parameters)


@cache
def _body(func: Any) -> Any:
    """The function without its question whether a mode is active: under one, it would call itself for ever."""
    inside = dict(func.__globals__, has_torch_function=lambda _: False)
    body = types.FunctionType(func.__code__, inside, func.__name__, func.__defaults__, func.__closure__)
    body.__kwdefaults__ = func.__kwdefaults__
    return body


def _columns(value: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    rows, width = sampled_rows(output.shape[1]), value.shape[2]
    return column_of(value, width), column_of(output[:, rows.start :: rows.step], width)


def _same(query: Tensor, key: Tensor) -> bool:
    """Whether queries and keys are made from one sequence, perhaps through two views or two equal tensors."""
    if query is key:
        return True
    if query.shape != key.shape:
        return False
    return (query.data_ptr() == key.data_ptr() and query.stride() == key.stride()) or (
        not query.is_meta and torch.equal(query, key)
    )


def _would_be_fast(module: nn.Module, given: dict[str, Any]) -> bool:
    """Whether PyTorch could have taken its fast path: inference on one batch-first sequence, and no gradients."""
    if not isinstance(module, nn.MultiheadAttention) or module.training or not module.batch_first:
        return False
    tensors = (given["query"], *module.parameters())
    gradients = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    return torch.backends.mha.get_fastpath_enabled() and not gradients and module.num_heads % 2 == 0
