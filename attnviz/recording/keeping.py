"""What a recording holds on to: no more memory than queries and keys take, and never the last of it."""

from collections import Counter

import torch
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.base.memory import amount, free_bytes
from attnviz.recording.call import Call
from attnviz.recording.nested import nbytes
from attnviz.recording.options import Options

# A view keeps all of the memory that it is a view of; up to this much more than the views need is accepted.
_MOST_IDLE = 1.05
# To ask the system takes some microseconds, so it is asked again after so many bytes.
_ASK_EVERY = 64 << 20
# What is left to the model itself.
_RESERVE = 256 << 20

FULL = _m(
    "Recording stopped before memory ran out, at attention number {count}: it holds {held}, and {free} are free. "
    "Fewer tokens or items at a time need less, and offload=True keeps the recording in the computer's own memory."
)


class Keeping:
    """Takes over the tensors of calls."""

    def __init__(self, options: Options) -> None:
        self._offload = options.offload
        self._held: Counter[torch.device] = Counter()
        self._asked: Counter[torch.device] = Counter()
        self._count = 0

    def take(self, call: Call) -> None:
        """Makes the call hold just what it needs. Raises `InputError` where memory would run out."""
        tensors = {name: tensor for name in call.large() if isinstance(tensor := getattr(call, name), Tensor)}
        for name, tensor in _compact(tensors).items():
            place = tensor.cpu() if self._offload and tensor.device.type != "cpu" else tensor
            if place is not tensors[name]:
                setattr(call, name, place)
            self._held[place.device] += nbytes(place)
        self._count += 1
        for device, held in self._held.items():
            if held - self._asked[device] >= _ASK_EVERY:
                self._asked[device] = held
                self._check(device, held)

    def _check(self, device: torch.device, held: int) -> None:
        free = free_bytes(device)
        # The next layer takes as much as those up to now did on average.
        if free is not None and free < _RESERVE + held // self._count:
            raise InputError(FULL, count=self._count, held=amount(held), free=amount(free))


def _compact(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors, copied where they are views of much more than themselves."""
    needed: dict[int, int] = {}
    storages: dict[str, tuple[int, int]] = {}
    for name, tensor in tensors.items():
        if not tensor.is_nested and not tensor.is_meta:
            storage = tensor.untyped_storage()
            place = storage.data_ptr()
            storages[name] = (place, storage.nbytes())
            needed[place] = needed.get(place, 0) + tensor.nbytes
    idle = {name for name, (place, size) in storages.items() if size > _MOST_IDLE * needed[place]}
    return {name: tensor.clone() if name in idle else tensor for name, tensor in tensors.items()} if idle else tensors
