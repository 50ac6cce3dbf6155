"""What one `capture` block has seen: the calls, the modules that are running, and what to say about them."""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.call import Call, Meaning, NotRecorded, version
from attnviz.recording.masks import Masks
from attnviz.recording.roles import Part, layer_numbers, part_of, role_of
from attnviz.trace import Note

CHANGED = _m("“{name}” is not shown: its queries, keys or mask were overwritten after they had been used.")
NOTHING = _m("No attention was recorded: nothing that ran within the block attends in a way that is known here.")
SEVERAL_RUNS = _m("The model ran {count} times while it was recorded; the layers of one run follow those of another.")

Versions = tuple[int | None, ...]


@dataclass(frozen=True, eq=False)
class Entry:
    """A call that was understood. `tensors` at `versions` are what the attention was made from."""

    name: str
    run: int
    attention: Attention
    tensors: tuple[Any, ...]
    versions: Versions

    def unchanged(self) -> bool:
        """Whether nothing was written into the tensors since."""
        return _versions(self.tensors) == self.versions


class Recording:
    """Collects calls while the model runs, and makes them into attentions when they are asked for."""

    def __init__(self, model: nn.Module, *, values: bool) -> None:
        self.values = values
        self.model: nn.Module | None = model
        named = [(_without_wrapper(name), module) for name, module in model.named_modules()]
        self.modules = dict(named)
        self.names = {id(module): name for name, module in named}
        # Above 0 while a family records a call whose inside another family would record again.
        self.inside = 0
        self._run = -1
        self._running: list[tuple[nn.Module, Any]] = []
        self._waiting: list[tuple[Call, Versions]] = []
        self._entries: list[Entry] = []
        self._notes: dict[tuple[str, str], Note] = {}
        self._masks = Masks()
        self._causal: set[str] = set()
        self._last_run: dict[tuple[str, int], int] = {}
        self._shown: list[int] = []
        self._attentions: list[Attention] = []

    # While the model runs: as little as possible.

    @property
    def run(self) -> int:
        """Which forward pass of the model is under way, from 0; 0 also where only a part of it was called."""
        return max(self._run, 0)

    def begin_run(self) -> None:
        """The model has started a forward pass."""
        self._run += 1

    def keep(self, call: Call) -> None:
        """Keeps a call, unless it belongs to the backward pass, where checkpointing computes everything again."""
        if torch.is_grad_enabled() and torch._C._current_graph_task_id() != -1:
            return
        self._waiting.append((call, _versions(call.tensors())))

    def note(self, message: str, **fields: str | int | float) -> None:
        """Adds a note, once."""
        self._notes.setdefault((message, repr(sorted(fields.items()))), Note(message, fields))

    def begin(self, module: nn.Module, guard: Any = None) -> None:
        """A module has started to run; the guard is left when it ends."""
        if module is self.model:
            self.begin_run()
        self._running.append((module, guard))

    def end(self, module: nn.Module) -> None:
        """A module has ended, and with it all that started within it and were broken off."""
        while self._running:
            ended, guard = self._running.pop()
            if guard is not None:
                guard.__exit__(None, None, None)
            if ended is module:
                return

    def is_guarded(self) -> bool:
        """Whether a module runs, or one around it, that nothing may watch."""
        return any(guard is not None for _, guard in self._running)

    def running(self) -> nn.Module | None:
        """The innermost module of this model that is running.

        Where no module runs, it is the model, of which a method was called; None where another model runs.
        """
        ours = [module for module, _ in self._running if id(module) in self.names]
        if ours:
            return ours[-1]
        return None if self._running else self.model

    def name_of(self, module: nn.Module) -> str:
        """The model's own name of a module; for the model itself, the name of its class."""
        return self.names[id(module)] or type(module).__name__

    # Afterwards.

    def finish(self) -> None:
        """The block has ended."""
        while self._running:
            self.end(self._running[-1][0])
        if not self._waiting and not self._entries and not self._notes:
            self.note(NOTHING)
        self.model = None

    def notes(self) -> list[Note]:
        """What is to be said about everything up to now."""
        self.attentions()
        runs = len({entry.run for entry in self._entries})
        return [*self._notes.values(), *([Note(SEVERAL_RUNS, {"count": runs})] if runs > 1 else [])]

    def attentions(self) -> list[Attention]:
        """What can be shown of the calls up to now, in order of execution."""
        for call, versions in self._waiting:
            self._understand(call, versions)
        self._waiting.clear()
        if self.model is None:  # The block has ended: the trace need not keep the model alive.
            self.modules, self.names, self._masks = {}, {}, Masks()
        shown = [index for index, entry in enumerate(self._entries) if self._is_as_it_was(entry)]
        if shown != self._shown:
            self._attentions, self._shown = _numbered([self._entries[index] for index in shown]), shown
        return self._attentions

    def _understand(self, call: Call, versions: Versions) -> None:
        tensors = call.tensors()
        if _versions(tensors) != versions:
            self.note(CHANGED, name=call.name)
            return
        part = part_of(call.name, self.modules)
        try:
            meaning = call.meaning(self._masks, part)
            attention = self._attention(call, meaning, part)
            call.check(attention)
        except NotRecorded as reason:
            self.note(reason.note.message, **reason.note.fields)
        except InputError as error:
            self.note(error.message, **{name: str(value) for name, value in error.fields.items()})
        else:
            if attention.role != "cross" and call.key.is_inference():
                self._last_run[call.name, call.key.untyped_storage().data_ptr()] = call.run
            self._entries.append(Entry(call.name, call.run, attention, tensors, versions))

    def _attention(self, call: Call, meaning: Meaning, part: Part | None) -> Attention:
        if meaning.causal:
            self._causal.add(call.name)
        elsewhere = meaning.elsewhere
        if elsewhere is None:
            queries, keys = meaning.query.shape[2], meaning.key.shape[2]
            # A decoder that goes on from a cache also has more keys than queries; it was causal before.
            from_cache = keys > queries and call.name in self._causal
            elsewhere = queries != keys and not meaning.causal and not from_cache
        return Attention.from_qk(
            meaning.query,
            meaning.key,
            value=meaning.value if self.values else None,
            scale=meaning.scale,
            mask=meaning.mask,
            bias=meaning.bias,
            softcap=meaning.softcap,
            sinks=meaning.sinks,
            name=call.name,
            role=role_of(causal=meaning.causal, elsewhere=elsewhere, part=part),
        )

    def _is_as_it_was(self, entry: Entry) -> bool:
        if entry.unchanged() and not self._written_again(entry):
            return True
        self.note(CHANGED, name=entry.name)
        return False

    def _written_again(self, entry: Entry) -> bool:
        """Whether a later run put its keys into the same memory: in inference mode PyTorch counts no changes."""
        key: Tensor = entry.tensors[1]
        last = self._last_run.get((entry.name, key.untyped_storage().data_ptr()))
        return last is not None and last != entry.run


def _without_wrapper(name: str) -> str:
    """The name that a layer has in the model itself, without the wrapper that torch.compile puts around it."""
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def _versions(tensors: tuple[Any, ...]) -> Versions:
    return tuple(version(tensor) for tensor in tensors)


def _numbered(entries: list[Entry]) -> list[Attention]:
    numbers = layer_numbers([(entry.attention.role, entry.name, entry.run) for entry in entries])
    return [replace(entry.attention, layer=number) for entry, number in zip(entries, numbers, strict=True)]
