"""`attnviz.follow`: the vectors of a model's residual stream, layer by layer, while it runs unchanged."""

import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.blocks.asked import places_of, positions_of
from attnviz.recording.blocks.graph import Call, Node, Place
from attnviz.recording.blocks.layers import layers_of
from attnviz.recording.blocks.outline import Outline, outline
from attnviz.recording.blocks.rows import rows_of
from attnviz.recording.blocks.stream import Layer, Part, Stream
from attnviz.recording.blocks.watch import Watch
from attnviz.recording.compiled import COMPILED, uncompiled
from attnviz.recording.modules import Modules, modules_of
from attnviz.recording.multi_head import FAST_PATH
from attnviz.trace import Note

NOT_A_SUM = _m(
    "“{name}” could not be followed: what leaves it is not what came in plus what its parts add, as far as that could be seen."
)
NOT_EQUAL = _m(
    "“{name}” could not be followed: what came in and what was added differ from what left by {error} of its length."
)
NOTHING = _m("No layer was found that adds to what it is given, so there is nothing to follow.")

NOT_THERE = _m("“{stream}” has no such positions: {positions}. Its rows are those of the others that were asked for.")
_MOST_LISTED = 8
FAILED = _m("“{name}” could not be followed: something unexpected came up while it ran.")
TOO_MUCH = _m(
    "Following stopped at “{name}”: {size} MiB of vectors are kept. Fewer positions (positions=…) let it go further."
)
MOST_BYTES = 1 << 30


def rounding(dtype: torch.dtype) -> float:
    """The relative difference between a layer's summands and what left it that rounding may explain."""
    return torch.finfo(dtype).eps * (256 if torch.finfo(dtype).bits > 16 else 8)


@contextmanager
def follow(
    model: object,
    *,
    positions: Sequence[int] | None = None,
    item: int = 0,
    off: Collection[Part | Place] = (),
) -> Iterator[Stream]:
    """Records, for each layer that runs within the block, what came in, what each part added, and what left.

        with attnviz.follow(model) as stream:
            model(**inputs)
        for layer in stream:
            layer.came_in, layer.summands, layer.left, layer.error

    Whether a layer normalises before its parts, their output or the sum, is seen as it runs; the summands of what
    leaves are exact, and `layer.error` is what they differ by. A layer that is no such sum is left out, and
    `stream.notes` says so. A further run of the whole model replaces what was recorded.

    positions: the places of the sequence whose vectors are kept, below 0 from its end; None for all. A range is cut to
    the sequence, as a slice is; of places that are listed and not there, `stream.notes` tells, and the rows are those
    of the others. item: of a batch. off: parts from an earlier run of the same model that are to add nothing: zeros
    take their place.
    Raises `InputError` where the model is not a torch module or is TorchScript, and for positions that are no whole
    numbers or parts that are none; while it runs, where the batch has no such item; and, when the block ends, where a
    part that was to be off did not run.
    """
    if not isinstance(model, nn.Module):
        raise InputError(_m("A torch.nn.Module was expected; {found} was given."), found=type(model).__name__)
    modules = modules_of(model)
    if any(isinstance(one, torch.jit.ScriptModule) for one in modules.found):
        raise InputError(_m("A TorchScript model runs on a closed path; its layers cannot be followed."))
    places = places_of(off)
    stream = Stream(positions=positions_of(positions))
    following = _Following(model, modules, stream, item, lists=not isinstance(positions, range))
    watch = Watch(modules, places, following.ended)
    with ExitStack() as stack:
        if modules.compiled:
            stream.notes.append(Note(COMPILED, {}))
            stack.enter_context(uncompiled)
        _hook(stack, watch, modules, following)
        stack.enter_context(watch)
        yield stream
    missing = next((place for place in places if place not in watch.switched), None)
    if missing is not None:
        raise InputError(
            _m("Nothing was switched off in “{name}”: the part did not run as it did before."), name=missing.module
        )
    if not stream.layers and not stream.notes:
        stream.notes.append(Note(NOTHING, {}))


def _hook(stack: ExitStack, watch: Watch, modules: Modules, following: "_Following") -> None:
    """Hooks on every module, for this thread alone; when the block ends they are gone."""
    thread = threading.get_ident()
    listed = {
        id(child)
        for module in modules.found
        if isinstance(module, nn.ModuleList | nn.Sequential | nn.ModuleDict)
        for child in module.children()
    }

    def begin(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if threading.get_ident() == thread:
            with torch._C.DisableTorchFunction():
                if watch.call is None and module is following.model:
                    following.begin()
                if _would_be_fast(module) and all(note.message != FAST_PATH for note in following.notes):
                    following.notes.append(Note(FAST_PATH, {}))
                watch.begin(module, args, kwargs, listed=id(module) in listed)

    def end(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:  # noqa: ARG001  the hook's signature
        if threading.get_ident() == thread:
            with torch._C.DisableTorchFunction(), torch.no_grad():
                try:
                    watch.end(module, output)
                except InputError:
                    raise
                except Exception:
                    # Whatever else happens here, the model goes on.
                    following.notes.append(Note(FAILED, {"name": modules.shown_name(module)}))

    for module in modules.found:
        stack.callback(module.register_forward_pre_hook(begin, with_kwargs=True).remove)
        stack.callback(module.register_forward_hook(end, always_call=True).remove)


def _would_be_fast(module: nn.Module) -> bool:
    """Whether PyTorch may have taken its closed path: inference, batches first."""
    return isinstance(module, nn.MultiheadAttention) and not (
        module.training or not module.batch_first or torch.is_grad_enabled()
    )


@dataclass(frozen=True, eq=False)
class _Incomplete:
    """What adds to what it is given, but is no whole layer: it counts where there is nothing better."""

    outline: Outline
    output: Tensor


_Found = _Incomplete | tuple[Layer, ...]


class _Following:
    """Decides which calls are the layers: the smallest ones with an attention and a feed-forward part.

    lists: whether positions were asked for one by one, so that one that is not there is missed.
    """

    def __init__(self, model: nn.Module, modules: Modules, stream: Stream, item: int, *, lists: bool) -> None:
        self.model, self.notes = model, stream.notes
        self._lists = lists
        self._modules, self._stream, self._item = modules, stream, item
        self._within: dict[Call | None, list[_Found]] = defaultdict(list)
        self._failed: dict[Call | None, list[str]] = defaultdict(list)
        self._numbers: Counter[str] = Counter()
        self._bytes = 0

    def begin(self) -> None:
        """The whole model starts again."""
        self._stream.layers.clear()
        self._stream.notes[:] = [note for note in self._stream.notes if note.message == COMPILED]
        self._numbers.clear()
        self._bytes = 0
        self._within.clear()  # of a run that an error ended
        self._failed.clear()

    def ended(self, call: Call, output: Tensor, node: Node | None) -> bool:
        """Called when a module has ended; whether what it was made of is not needed any more."""
        inner, failed = self._within.pop(call, []), self._failed.pop(call, [])
        incomplete = [found for found in inner if isinstance(found, _Incomplete)]
        way = outline(call, node) if len(incomplete) == len(inner) else None
        complete = way is not None and way.complete
        if way is not None and complete:
            inner, failed = [self._layers(way, output)], []
        elif (
            way is not None and way.mixes and len(way.additions) > sum(len(one.outline.additions) for one in incomplete)
        ):
            inner = [_Incomplete(way, output)]
        elif call.listed and call.attended and not inner and not failed:
            failed = [call.name]
        if call.parent is None:
            self._finish(call, output, inner, failed)
            return True
        self._within[call.parent] += inner
        self._failed[call.parent] += failed
        return complete

    def _finish(self, call: Call, output: Tensor, found: list[_Found], failed: list[str]) -> None:
        whole = any(isinstance(one, tuple) for one in found)
        for one in found:
            if isinstance(one, tuple):
                self._stream.layers += one
            elif not whole or one.outline.kinds - {"other"}:
                # Beside whole layers, what convolves alone, as in a backbone, is none.
                self._stream.layers += self._layers(one.outline, one.output)
        self._stream.notes += [Note(NOT_A_SUM, {"name": name}) for name in failed]
        if call.module is self.model:
            self._stream.output = self._output(call, output)

    def _output(self, call: Call, output: Tensor) -> Tensor:
        """What the model gave: a row for each position, or one for the whole item."""
        rows = rows_of(call.module, output, self._item, self._stream.positions)
        if output.ndim > 2 or any(one.ndim == 2 and len(one) == len(output) for one, _ in call.given):
            return rows(output)
        return output[self._item : self._item + 1].detach().cpu().clone()

    def _layers(self, way: Outline, output: Tensor) -> tuple[Layer, ...]:
        name = way.call.name
        stream = name.rpartition(".")[0] if way.call.listed else name
        stream = stream or type(way.call.module).__name__
        rows = rows_of(way.call.module, output, self._item, self._stream.positions)
        gone = rows.lacking(output) if self._lists and not self._numbers[stream] else ()
        if gone:
            listed = ", ".join(map(str, gone[:_MOST_LISTED])) + (" …" if len(gone) > _MOST_LISTED else "")
            self.notes.append(Note(NOT_THERE, {"stream": stream, "positions": listed}))
        layers = layers_of(way, output, rows, stream, self._numbers[stream])
        self._numbers[stream] += len(layers)
        return tuple(layer for layer in layers if self._holds(layer, output.dtype))

    def _holds(self, layer: Layer, dtype: torch.dtype) -> bool:
        """Whether the sums come out, and there is room; else a note says why the layer is not there."""
        notes = self._stream.notes
        if not layer.error <= rounding(dtype):
            notes.append(Note(NOT_EQUAL, {"name": layer.name, "error": f"{layer.error:.1e}"}))
            return False
        self._bytes += layer.bytes
        if self._bytes <= MOST_BYTES:
            return True
        if all(note.message != TOO_MUCH for note in notes):
            notes.append(Note(TOO_MUCH, {"name": layer.name, "size": MOST_BYTES >> 20}))
        return False
