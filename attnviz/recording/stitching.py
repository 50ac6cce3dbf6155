"""The steps of `generate()` put together: the queries of every step, and the keys in the order in which they came.

Exact where the cache only ever appends. Of each step only what is new is kept, so n steps take the memory of n tokens.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.attention import Lengths, Mask, Ranges
from attnviz.attention.recognise import recognise
from attnviz.base.language import _m
from attnviz.recording.call import Call, Meaning, NotRecorded, QueryKeyCall, Weights
from attnviz.recording.masks import Masks, looks_back_only
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.sample import Sample

STITCHED = _m("The steps of generate() were put together; the last token was written, but never read.")
SEARCH = _m(
    "generate() was not recorded: with beams or an assistant model its steps do not follow one another; "
    'generation="replay" records it.'
)
CACHE = _m(
    "generate() was not recorded: its steps can be put together with a DynamicCache; this was {found}. "
    'generation="replay" records it.'
)
MECHANISM = _m("“{name}” was not recorded: the steps of its kind of attention cannot be put together.")
BIAS = _m('“{name}” was not recorded: its bias was made for each step; generation="replay" records it.')
GAPS = _m('“{name}” was not recorded: its cache did not keep the keys in order; generation="replay" records it.')


@dataclass(slots=True, eq=False)
class _Step:
    """One step as it was called, without the keys that were there before; `keys` is how many there were then."""

    call: QueryKeyCall
    queries: int
    keys: int


@dataclass(slots=True, eq=False)
class _Layer:
    """The steps of one module in one place of a step. cross: its keys are the same in every step."""

    steps: list[_Step] = field(default_factory=list)
    cross: bool = False
    gaps: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class StitchedCall(QueryKeyCall):
    """All steps of a layer. parts: each step's call, for its mask, with its numbers of queries and keys."""

    parts: tuple[_Step, ...]
    cross: bool

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys and every mask."""
        return (self.query, self.key, self.value, *(part.call.mask for part in self.parts))

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:
        """The steps as one attention."""
        first = self._meaning_of(self.parts[0], masks, part)
        if first.bias is not None:
            raise NotRecorded(BIAS)
        if first.scale == 1.0 and first.query is not self.parts[0].call.query:
            # A learnt scale for each head, which was multiplied into the queries.
            raise NotRecorded(MECHANISM)
        found = replace(
            first,
            query=self.query.to(first.query.dtype),
            key=self.key.to(first.key.dtype),
            value=None if self.value is None else self.value.to(first.key.dtype),
            sample=self._sample(),
        )
        if self.cross and isinstance(first.mask, Lengths | None):
            return found
        rules = [self._rows(one, masks, part) for one in self.parts]
        rule = _joined(rules, self.key.shape[2], cross=self.cross)
        causal = not self.cross and looks_back_only(rule, (self.query.shape[2], self.key.shape[2]))
        return replace(found, mask=rule, causal=causal)

    def _meaning_of(self, step: _Step, masks: Masks, part: Part | None) -> Meaning:
        found = step.call.meaning(masks, part)
        if isinstance(found, Weights):
            raise NotRecorded(MECHANISM)
        return found

    def _rows(self, step: _Step, masks: Masks, part: Part | None) -> tuple[_Step, Mask | None, int]:
        """A step, its mask, and how many items that tells apart."""
        found = self._meaning_of(step, masks, part)
        if found.bias is not None:
            raise NotRecorded(BIAS)
        return step, found.mask, len(found.query)

    def _sample(self) -> Sample | None:
        """The last query's, whose keys are all of them unless a window has cut them off."""
        last = self.parts[-1]
        if last.call.column is None or last.keys != self.key.shape[2] or last.queries != 1:
            return None
        return Sample(range(self.query.shape[2] - 1, self.query.shape[2]), *last.call.column)


class Stitching:
    """Collects the calls of one generate()."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._layers: dict[int, _Layer] = {}
        self._unknown: list[nn.Module] = []

    def take(self, call: Call) -> None:
        """Keeps what is new in a call."""
        if not isinstance(call, QueryKeyCall) or call.query.ndim != 4 or not hasattr(call, "implementation"):
            self._unknown.append(call.module)
            return
        layer = self._layers.setdefault(id(call.module), _Layer())
        queries, keys = call.query.shape[2], call.key.shape[2]
        if not layer.steps:
            layer.steps.append(_Step(call, queries, keys))
            return
        first = layer.steps[0]
        if len(layer.steps) == 1 and call.key.data_ptr() == first.call.key.data_ptr():
            layer.cross = True
        if layer.cross:
            layer.gaps = layer.gaps or call.key.data_ptr() != first.call.key.data_ptr() or keys != first.keys
        else:
            total = first.keys + sum(step.queries for step in layer.steps[1:]) + queries
            # A window's cache lets old keys go.
            layer.gaps = layer.gaps or keys > total or keys <= queries
            call.key = call.key[:, :, -queries:].clone()
            call.value = None if call.value is None else call.value[:, :, -queries:].clone()
        last = layer.steps[-1]
        if last is not first:
            last.call.column = None
        layer.steps.append(_Step(call, queries, keys))

    def finish(self, cache: Any, *, alone: bool) -> None:
        """generate() has ended: what its layers did goes to the recording, or a note says why it does not."""
        reason: tuple[str, dict[str, str]] | None = None if alone else (SEARCH, {})
        if reason is None and not _only_appends(cache):
            reason = (CACHE, {"found": _kind(cache)})
        if reason is not None:
            self._recording.note(reason[0], **reason[1])
            return
        for module in self._unknown:
            if module in self._recording.modules:
                self._recording.note(MECHANISM, name=self._recording.modules.shown_name(module))
        for layer in self._layers.values():
            self._keep(layer)
        if self._layers:
            self._recording.note(STITCHED)

    def _keep(self, layer: _Layer) -> None:
        first, *others = layer.steps
        first.call.run = self._recording.run
        if not others:
            self._recording.keep(first.call)
            return
        if layer.gaps:
            self._recording.note(GAPS, name=self._recording.modules.shown_name(first.call.module))
            return
        calls = [step.call for step in layer.steps]
        values = [call.value for call in calls if call.value is not None]
        whole = calls[:1] if layer.cross else calls
        self._recording.keep(
            StitchedCall(
                module=first.call.module,
                run=self._recording.run,
                query=torch.cat([call.query for call in calls], 2),
                key=torch.cat([call.key for call in whole], 2),
                value=torch.cat(values[: len(whole)], 2) if values else None,
                mask=None,
                autocast=first.call.autocast,
                parts=tuple(_light(layer.steps)),
                cross=layer.cross,
            )
        )


def _light(steps: list[_Step]) -> Iterator[_Step]:
    """The steps without their queries and keys, of which only the sizes still matter."""
    for step in steps:
        query, key = step.call.query, step.call.key
        step.call.query = query.new_zeros(1).expand(query.shape)
        step.call.key = key.new_zeros(1).expand(*key.shape[:2], step.keys, key.shape[3])
        step.call.value = None
        yield step


def _only_appends(cache: Any) -> bool:
    """Whether what is in a cache stays as it is and where it is: a DynamicCache, alone or for each side."""
    kind = type(cache).__name__
    if kind == "EncoderDecoderCache":
        return _only_appends(cache.self_attention_cache) and _only_appends(cache.cross_attention_cache)
    return kind == "DynamicCache"


def _kind(cache: Any) -> str:
    inner = getattr(cache, "self_attention_cache", None)
    return _kind(inner) if inner is not None else type(cache).__name__


def _joined(rows: list[tuple[_Step, Mask | None, int]], keys: int, *, cross: bool) -> Mask | None:
    """One mask from those of the steps, each of which saw the last so many of the keys up to then."""
    items = rows[0][2]
    starts: list[Tensor] = []
    stops: list[Tensor] = []
    seen = rows[0][0].keys
    for number, (step, mask, _) in enumerate(rows):
        seen += 0 if cross or not number else step.queries
        pairs = _pairs(step, mask, items)
        as_bytes = pairs.view(torch.uint8)
        first = as_bytes.argmax(2)
        last = step.keys - as_bytes.flip(2).argmax(2)
        any_seen = pairs.any(2)
        if not bool((pairs.sum(2) == (last - first).where(any_seen, 0)).all()):
            return _pair_by_pair(rows, keys, cross=cross)
        offset = seen - step.keys
        starts.append((first + offset).where(any_seen, 0))
        stops.append((last + offset).where(any_seen, 0))
    ranges = Ranges(torch.cat(starts, 1)[:, None], torch.cat(stops, 1)[:, None])
    whole = bool((ranges.starts == 0).all() & (ranges.stops == keys).all())
    return None if whole else ranges


def _pair_by_pair(rows: list[tuple[_Step, Mask | None, int]], keys: int, *, cross: bool) -> Mask | None:
    items, seen, parts = rows[0][2], rows[0][0].keys, []
    for number, (step, mask, _) in enumerate(rows):
        seen += 0 if cross or not number else step.queries
        offset = seen - step.keys
        parts.append(torch.nn.functional.pad(_pairs(step, mask, items), (offset, keys - seen)))
    return recognise(torch.cat(parts, 1)[:, None])


def _pairs(step: _Step, mask: Mask | None, items: int) -> Tensor:
    """Items, queries, keys of a step; heads that differ are told apart by no implementation."""
    device = step.call.query.device
    rows, cols = torch.arange(step.queries, device=device), torch.arange(step.keys, device=device)
    if mask is None:
        return torch.ones(items, step.queries, step.keys, dtype=torch.bool, device=device)
    found = [mask.allowed(item, rows, cols) for item in range(items)]
    if any(len(one) > 1 for one in found):
        raise NotRecorded(MECHANISM)
    return torch.stack([one[0] for one in found]).contiguous()
