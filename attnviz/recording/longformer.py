"""Longformer, and the encoder of LED: a window around each position, and positions that see and are seen by all.

The global positions have projections of their own. Source: Beltagy et al. 2020, arXiv 2004.05150, section 3.1,
and `LongformerSelfAttention` in transformers/models/longformer/modeling_longformer.py.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attnviz.attention import Dense, GlobalWindow, Mask, Window
from attnviz.attention.recognise import recognise
from attnviz.recording.call import Call, Meaning
from attnviz.recording.enclosed import Enclosed, tell
from attnviz.recording.masks import Masks
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.sample import Sample, Samples, sampled_rows
from attnviz.recording.scaled_dot_product import DROPOUT
from attnviz.recording.tensors import kept


@dataclass(slots=True, eq=False, kw_only=True)
class LongformerCall(Call):
    """Projections "n items features", the queries scaled already; those of global positions in turn.

    mask: below 0 for padding, above 0 for global positions. side: how far a window reaches. columns: of the values,
    the global values and the output, "items heads n 1".
    """

    query: Tensor
    key: Tensor
    value: Tensor | None
    query_global: Tensor | None
    key_global: Tensor | None
    mask: Tensor
    side: int
    heads: int
    columns: tuple[Tensor, Tensor | None, Tensor] | None

    def tensors(self) -> tuple[Any, ...]:
        """Everything but the columns, which are copies."""
        return (self.query, self.key, self.value, self.query_global, self.key_global, self.mask)

    def large(self) -> tuple[str, ...]:
        """The projections."""
        return ("query", "key", "value", "query_global", "key_global")

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:  # noqa: ARG002  both are the family's own
        """One product for both projections: [q, 0] or [0, q of global] for each query, [k, k of global] for each key."""
        everywhere = self.mask > 0
        query, key = _apart(self.query, self.heads), _apart(self.key, self.heads)
        own = self.query_global is not None and self.key_global is not None
        if self.query_global is not None and self.key_global is not None:
            query = _side_by_side(query, _apart(self.query_global, self.heads), everywhere)
            key = torch.cat([key, _apart(self.key_global, self.heads)], -1)
        return Meaning(
            query=query,
            key=key,
            value=None if self.value is None or own else _apart(self.value, self.heads),
            scale=1.0,
            mask=self._rule(everywhere),
            elsewhere=False,
            sample=self._sample(everywhere),
            own=own,
        )

    def _rule(self, everywhere: Bool[Tensor, "items n"]) -> Mask:
        present = self.mask >= 0
        rule: Mask = GlobalWindow(self.side, everywhere) if everywhere.any() else Window(self.side, self.side)
        if present.all():
            return rule
        of_keys = recognise(present[:, None, None])
        rule = rule if of_keys is None else rule & of_keys
        # What the model computes for padding it sets to 0.
        return rule & Dense(present[:, None, :, None])

    def _sample(self, everywhere: Bool[Tensor, "items n"]) -> Samples | None:
        """Some rows with the values, and some global ones with the values that are theirs."""
        if self.columns is None:
            return None
        value, of_global, output = self.columns
        some = list(sampled_rows(everywhere.shape[1]))
        samples = [_sample(value, output, some, ~everywhere)]
        if of_global is not None:
            far = everywhere.any(0).nonzero().flatten().tolist()
            samples.append(_sample(of_global, output, far[:3], everywhere))
        return Samples(tuple(samples))


def _sample(value: Tensor, output: Tensor, rows: list[int], counted: Bool[Tensor, "items n"]) -> Sample:
    """Rows that do not count are no numbers, and not compared."""
    return Sample(rows, value, output[:, :, rows].where(counted[:, None, rows, None], torch.nan))


def _apart(tensor: Float[Tensor, "n items features"], heads: int) -> Float[Tensor, "items heads n d"]:
    return tensor.reshape(*tensor.shape[:2], heads, -1).permute(1, 2, 0, 3)


def _side_by_side(
    query: Float[Tensor, "items heads n d"],
    of_global: Float[Tensor, "items heads g d"],
    everywhere: Bool[Tensor, "items n"],
) -> Float[Tensor, "items heads n twice_d"]:
    items, heads, length, width = query.shape
    joined = query.new_zeros(items, heads, length, 2 * width)
    joined[..., :width] = query.masked_fill(everywhere[:, None, :, None], 0)
    for item in range(items):
        places = everywhere[item].nonzero().flatten()
        joined[item, :, places, width:] = of_global[item, :, : len(places)]
    return joined


class _Run(Enclosed):
    """One run of `LongformerSelfAttention`."""

    mask: Tensor | None = None

    def saw(self, func: Any, args: tuple[Any, ...]) -> None:  # noqa: ARG002  the family asked for comparisons alone
        """The first comparison with 0 is that of the mask."""
        if self.mask is None and isinstance(args[0], Tensor) and args[0].ndim == 2:
            self.mask = kept(args[0])

    def ended(self, output: Any) -> None:
        """Keeps the call."""
        module, found = self.module, self.projections
        if self.mask is None or not {"query", "key", "value"} <= found.keys():
            return
        dropped = module.training and getattr(module, "dropout", 0) > 0
        if dropped:
            self.recording.note(DROPOUT)
        self.recording.keep(
            LongformerCall(
                module=module,
                run=self.recording.run,
                query=found["query"],
                key=found["key"],
                value=found["value"] if self.recording.options.values else None,
                query_global=found.get("query_global"),
                key_global=found.get("key_global"),
                mask=self.mask,
                side=module.one_sided_attn_window_size,  # type: ignore[arg-type]  # an int, in both families
                heads=module.num_heads,  # type: ignore[arg-type]  # likewise
                columns=None if dropped else self._columns(output),
            )
        )

    def _columns(self, output: Any) -> tuple[Tensor, Tensor | None, Tensor]:
        heads: Any = self.module.num_heads
        result = kept(output[0] if isinstance(output, tuple) else output).transpose(0, 1)
        of_global = self.projections.get("value_global")
        columns = [
            _column(_apart(one, heads)) if one is not None else None
            for one in (self.projections["value"], of_global, result)
        ]
        value, far, out = columns
        if value is None or out is None:
            raise ValueError("value and output were there a moment ago")
        return value, far, out


def _column(tensor: Float[Tensor, "items heads n d"]) -> Float[Tensor, "items heads n 1"]:
    middle = tensor.shape[-1] // 2
    return tensor[..., middle : middle + 1].clone()


def enclose(recording: Recording, module: nn.Module) -> Enclosed | None:
    """Takes over the modules of this family."""
    # Asked of the class, which is fast: every module that starts comes by here.
    return _Run(recording, module) if hasattr(type(module), "_sliding_chunks_query_key_matmul") else None


OBSERVERS = dict.fromkeys((Tensor.__ne__, Tensor.ne, torch.ne), tell)
