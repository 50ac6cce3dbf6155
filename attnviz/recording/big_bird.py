"""BigBird's block sparse attention: the first and last block, three around the query's own, and some at random.

Source: Zaheer et al. 2020, arXiv 2007.14062, section 2, and `BigBirdBlockSparseAttention` in
transformers/models/big_bird/modeling_big_bird.py. A block that is chosen twice counts twice in the softmax.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attnviz.attention import BlockBias, Blocks, Dense, Mask
from attnviz.attention.recognise import recognise
from attnviz.recording.call import Call, Meaning
from attnviz.recording.enclosed import Enclosed, tell
from attnviz.recording.masks import Masks
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.sample import Sample, sampled_rows
from attnviz.recording.tensors import kept


@dataclass(slots=True, eq=False, kw_only=True)
class BigBirdCall(Call):
    """Projections "items n features". chosen: the blocks at random, for each block of queries but the first and last.

    present: 1 for tokens and 0 for padding. size: of a block. column: of the values and of some rows of the output.
    """

    query: Tensor
    key: Tensor
    value: Tensor | None
    chosen: Int[Tensor, "items heads blocks random"]
    present: Tensor
    size: int
    column: tuple[Tensor, Tensor]

    def tensors(self) -> tuple[Any, ...]:
        """Everything but the column, which is a copy."""
        return (self.query, self.key, self.value, self.chosen, self.present)

    def large(self) -> tuple[str, ...]:
        """The projections."""
        return ("query", "key", "value")

    def meaning(self, masks: Masks, part: Part | None) -> Meaning:  # noqa: ARG002  both are the family's own
        """Blocks as they were chosen in this run; log 2 is added where one was chosen twice."""
        heads = self.chosen.shape[1]
        query = _apart(self.query, heads)
        counts = times_chosen(self.chosen)
        pairs = (counts > 0)[:1] if bool((counts == counts[:1]).all()) else counts > 0
        rule: Mask = Blocks(pairs, self.size)
        present = self.present.bool()
        if not present.all():
            of_keys = recognise(present[:, None, None])
            # What the model computes for padding it sets to 0.
            rule = rule & Dense(present[:, None, :, None])
            rule = rule if of_keys is None else rule & of_keys
        bias = None
        if counts.max() > 1:
            bias = BlockBias(counts[: len(pairs)].clamp(min=1).to(query.dtype).log(), self.size)
        return Meaning(
            query=query,
            key=_apart(self.key, heads),
            value=None if self.value is None else _apart(self.value, heads),
            scale=query.shape[-1] ** -0.5,
            mask=rule,
            bias=bias,
            elsewhere=False,
            sample=Sample(sampled_rows(query.shape[2]), *self.column),
        )


def times_chosen(chosen: Int[Tensor, "items heads blocks random"]) -> Int[Tensor, "items heads all all"]:
    """How often each block of queries looks at each block of keys."""
    blocks = chosen.shape[2] + 2
    counts = torch.zeros(*chosen.shape[:2], blocks, blocks, dtype=torch.long, device=chosen.device)
    counts[:, :, 0] = counts[:, :, -1] = 1
    for row in range(1, blocks - 1):
        # The second block and the last but one look at the three at their end, which hold the global one.
        near = (0, 1, 2, -1) if row == 1 else (0, -3, -2, -1) if row == blocks - 2 else (0, row - 1, row, row + 1, -1)
        for column in near:
            counts[:, :, row, column] += 1
    counts[:, :, 1:-1].scatter_add_(3, chosen, torch.ones_like(chosen))
    return counts


def _apart(tensor: Tensor, heads: int) -> Tensor:
    return tensor.reshape(*tensor.shape[:2], heads, -1).transpose(1, 2)


class _Run(Enclosed):
    """One run of `BigBirdBlockSparseAttention`."""

    found: tuple[Tensor, Tensor] | None = None

    def saw(self, func: Any, args: tuple[Any, ...]) -> None:  # noqa: ARG002  the family asked for `gather` alone
        """The first `gather` takes the padding of the blocks that were chosen."""
        if self.found is None and len(args) > 2 and args[0].ndim == args[2].ndim == 3:
            self.found = kept(args[0]), args[2][..., 0]

    def ended(self, output: Any) -> None:
        """Keeps the call."""
        module: Any = self.module
        projected = self.projections
        if self.found is None or not {"query", "key", "value"} <= projected.keys():
            return
        blocked, chosen = self.found
        items, blocks, size = blocked.shape
        heads = module.num_attention_heads
        result = kept(output[0] if isinstance(output, tuple) else output)
        length = result.shape[1]
        rows = sampled_rows(length)
        self.recording.keep(
            BigBirdCall(
                module=module,
                run=self.recording.run,
                query=projected["query"],
                key=projected["key"],
                value=projected["value"] if self.recording.options.values else None,
                chosen=chosen.reshape(items, heads, blocks - 2, -1).clone(),
                present=blocked.reshape(items, length),
                size=size,
                column=(
                    _column(_apart(projected["value"], heads)),
                    _column(_apart(result, heads)[:, :, rows.start :: rows.step]),
                ),
            )
        )


def _column(tensor: Tensor) -> Tensor:
    middle = tensor.shape[-1] // 2
    return tensor[..., middle : middle + 1].clone()


def enclose(recording: Recording, module: nn.Module) -> Enclosed | None:
    """Takes over the modules of this family."""
    return _Run(recording, module) if hasattr(type(module), "bigbird_block_sparse_attention") else None


OBSERVERS = {torch.gather: tell}
