"""Which vectors of a stream are kept: of one item, at the positions asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnviz.base.errors import InputError
from attnviz.base.language import _m


@dataclass(frozen=True)
class Rows:
    """item: which sequence of a batch. positions: which places in it, None for all; those it has not are left out.

    sequence_first: the model has its sequences along the first dimension, as torch.nn does by default.
    channels_first: pictures are "items channels height width".
    """

    item: int
    positions: tuple[int, ...] | None
    sequence_first: bool = False
    channels_first: bool = False

    def __call__(self, tensor: Tensor) -> Float[Tensor, "n d"]:
        """The vectors, copied out into the computer's memory. Raises `InputError` where there is no such item."""
        tensor = self._of_item(tensor)
        if self.positions is not None:
            there = [one for one in self.positions if _is_in(one, tensor)]
            tensor = tensor[torch.tensor(there, dtype=torch.long, device=tensor.device)]
        return tensor.detach().cpu().clone()

    def lacking(self, tensor: Tensor) -> tuple[int, ...]:
        """The positions that were asked for and are not there. Raises `InputError` as the call does."""
        tensor = self._of_item(tensor)
        return tuple(one for one in self.positions or () if not _is_in(one, tensor))

    def _of_item(self, tensor: Tensor) -> Float[Tensor, "n d"]:
        if tensor.ndim > 2:
            if self.channels_first:
                tensor = tensor.movedim(1, -1)
            items = tensor.shape[1 if self.sequence_first else 0]
            if not 0 <= self.item < items:
                raise InputError(
                    _m("Item {item} was asked for; the model was given {items}."), item=self.item, items=items
                )
            tensor = tensor.select(1 if self.sequence_first else 0, self.item)
        return tensor.flatten(0, -2)


def _is_in(position: int, tensor: Tensor) -> bool:
    return -len(tensor) <= position < len(tensor)


def rows_of(module: nn.Module, given: Tensor, item: int, positions: Sequence[int] | None) -> Rows:
    """How the vectors of this module's stream lie."""
    attentions = [one for one in module.modules() if isinstance(getattr(one, "batch_first", None), bool)]
    convolves = any(isinstance(one, nn.Conv2d) for one in module.modules())
    return Rows(
        item,
        None if positions is None else tuple(positions),
        sequence_first=given.ndim == 3 and any(not one.batch_first for one in attentions),
        channels_first=given.ndim == 4 and convolves,
    )
