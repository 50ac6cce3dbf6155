"""What a recording means: its calls as attentions, with the model's own names, in order of execution."""

import threading
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor, nn

from attnviz.attention import Attention, DotProduct, FunctionScores
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.call import Call, Meaning, NotRecorded, Weights
from attnviz.recording.inputs import Inputs, with_tokens
from attnviz.recording.masks import Masks
from attnviz.recording.modules import Modules
from attnviz.recording.needs import still_needs
from attnviz.recording.origin import origin_of
from attnviz.recording.patches import picture_tokens
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part, layer_numbers, part_of, role_of, says_cross
from attnviz.recording.tensors import Versions, versions_of
from attnviz.recording.windows.absolute import UNPLACED, in_positions, layout_of_call
from attnviz.trace import LookAlike, Note, Origin

CHANGED = _m("“{name}” is not shown: its queries, keys or mask were overwritten after they had been used.")
DIFFERENT = _m(
    "“{name}”: its weights × v differ from the model's own output by {difference}; "
    "it does more here than is shown, or something else."
)
FOREIGN = _m("“{name}” attended within the block, but is not part of the model; it was not recorded.")
META = _m("“{name}” was not recorded: its tensors are on the meta device, where they have no numbers.")
NOTHING = _m("No attention was recorded: nothing that ran within the block attends in a way that is known here.")
REBUILT = _m(
    "The model was rebuilt since it was last recorded; attention may be missing here, but not when it runs again."
)
SEVERAL_RUNS = _m("The model ran {count} times while it was recorded; the layers of one run follow those of another.")


@dataclass(frozen=True, eq=False)
class Entry:
    """A call that was understood.

    `tensors` at `versions` are what the attention was made from. memory: where keys lie whose changes nobody counts.
    """

    name: str
    run: int
    attention: Attention
    tensors: tuple[Any, ...]
    versions: Versions
    memory: int | None


class Reading:
    """Reads a recording as far as it has come; each time it looks again whether anything was overwritten."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._lock = threading.RLock()
        self._entries: list[Entry] = []
        self._origin: Origin | None = None
        self._masks = Masks()
        self._names: tuple[str, ...] = ()
        self._causal: set[str] = set()
        self._last_run: dict[tuple[str, int], int] = {}
        self._shown: list[int] = []
        self._attentions: list[Attention] = []

    def origin(self) -> Origin:
        """Where the numbers come from."""
        with self._lock:
            model = self._recording.model
            if self._origin is None and model is not None:
                self._origin = origin_of(model)
            return self._origin or Origin(kind="recorded")

    def attentions(self) -> list[Attention]:
        """What can be shown of the calls up to now, in order of execution."""
        with self._lock:
            self._read()
            shown = [index for index, entry in enumerate(self._entries) if self._is_as_it_was(entry)]
            if shown != self._shown:
                self._attentions, self._shown = self._numbered([self._entries[index] for index in shown]), shown
            return self._attentions

    def notes(self) -> list[Note]:
        """What is to be said about everything up to now."""
        with self._lock:
            self.attentions()
            notes = list(self._recording.notes.values())
            runs = len({entry.run for entry in self._entries})
            if runs > 1:
                notes.append(Note(SEVERAL_RUNS, {"count": runs}))
            if self._recording.ended and not self._entries and not notes:
                notes.append(Note(NOTHING))
            return notes

    def lookalikes(self) -> list[LookAlike]:
        """What ran that only looks like attention, or cannot be told from what does."""
        with self._lock:
            self._read()
            return list(self._recording.lookalikes.values())

    def _read(self) -> None:
        calls = self._recording.calls
        if not calls:
            return
        modules = self._recording.modules
        by_name = modules.by_name()
        self._names = tuple(by_name)
        while calls:
            call, versions = calls.popleft()
            if call.module in modules:
                self._understand(call, versions, modules, by_name)
            else:
                self._recording.note(FOREIGN, name=type(call.module).__name__)
        if self._recording.ended:
            self._note_changed_needs(modules)
            self.origin()
            self._masks = Masks()
            self._recording.forget_model()

    def _note_changed_needs(self, modules: Modules) -> None:
        """What a model needs is remembered from its last recording; here it is seen whether that still held."""
        model = self._recording.model
        if model is not None and not still_needs(model, modules):
            self._recording.note(REBUILT)

    def _understand(self, call: Call, versions: Versions, modules: Modules, by_name: dict[str, nn.Module]) -> None:
        name, tensors = call.name or modules.shown_name(call.module), call.tensors()
        if any(isinstance(tensor, Tensor) and tensor.is_meta for tensor in tensors):
            self._recording.note(META, name=name)
            return
        if versions_of(tensors) != versions:
            self._recording.note(CHANGED, name=name)
            return
        part = part_of(call.name or modules.name(call.module), by_name)
        try:
            meaning = call.meaning(self._masks, part)
            if isinstance(meaning, Meaning):
                layout = layout_of_call(meaning, call.trail)
                if layout is not None:
                    meaning = in_positions(meaning, layout)
                elif call.trail is not None and call.trail.regrouped:
                    self._recording.note(UNPLACED, name=name)
                if meaning.own:
                    tensors, versions = (), ()
            attention = self._with_patches(self._attention(name, meaning, part), meaning, call.picture)
            inputs = self._recording.inputs.get(call.run, Inputs())
            attention = with_tokens(attention, inputs, self._recording.options.tokenizer)
            known = inputs.items()
            if known and attention.items not in known | ({call.picture[0]} if call.picture is not None else set()):
                self._recording.note(UNPLACED, name=name)
                # Where windows look is no sign of what the layer belongs to; its name is.
                attention = replace(attention, role=part or attention.role)
        except NotRecorded as reason:
            self._recording.note(reason.message, name=name, **reason.fields)
        except InputError as error:
            self._recording.note(error.message, **{field: str(value) for field, value in error.fields.items()})
        else:
            keys = call.keys() if tensors else None
            memory = None
            if keys is not None and not meaning.elsewhere and keys.is_inference():
                memory = keys.untyped_storage().data_ptr()
                self._last_run[name, memory] = call.run
            generated = self._recording.generated.get(call.run)
            if generated is not None:
                attention = generated.mark(attention, self._recording.options.tokenizer)
            self._entries.append(Entry(name, call.run, self._checked(attention, meaning), tensors, versions, memory))

    def _with_patches(
        self, attention: Attention, meaning: Meaning | Weights, picture: tuple[int, int, int] | None
    ) -> Attention:
        """The patches of the picture as tokens, on the sides that look at it and have none."""
        config = getattr(self._recording.model, "config", None)
        # Other items than pictures are windows or groups, whose positions are not those of a picture.
        if picture is None or attention.role not in ("encoder", "cross") or attention.items != picture[0]:
            return attention
        queries, keys = (picture_tokens(count, picture[1:], config, attention.name) for count in attention.shape)
        if queries is not None and meaning.query_tokens is None and attention.role == "encoder":
            attention = replace(attention, query_tokens_by_item=(queries,) * attention.items)
        if keys is not None and meaning.key_tokens is None:
            attention = replace(attention, key_tokens_by_item=(keys,) * attention.items)
        return attention

    def _checked(self, attention: Attention, meaning: Meaning | Weights) -> Attention:
        if meaning.sample is None:
            return attention
        check = meaning.sample.check(attention)
        if not check.agrees:
            self._recording.note(DIFFERENT, name=attention.name, difference=f"{check.difference:.1e}")
        return replace(attention, check=check)

    def _attention(self, name: str, meaning: Meaning | Weights, part: Part | None) -> Attention:
        if meaning.causal:
            self._causal.add(name)
        queries, keys = meaning.shape
        # A decoder that goes on from a cache also has more keys than queries; it was causal before.
        causal = meaning.causal or (keys > queries and name in self._causal)
        elsewhere = queries != keys and not causal if meaning.elsewhere is None else meaning.elsewhere
        # Two sequences may happen to be equally long: the model's own name for the layer tells.
        elsewhere = elsewhere or (says_cross(name) and not meaning.causal)
        role = role_of(causal=causal, elsewhere=elsewhere, part=part)
        if isinstance(meaning, Weights):
            return Attention.from_scores(
                meaning.scores,
                form=meaning.form,
                mask=meaning.mask,
                value=meaning.value if self._recording.options.values else None,
                normalised=meaning.normalised,
                note=meaning.note,
                name=name,
                role=role,
                query_tokens=meaning.query_tokens,
                key_tokens=meaning.key_tokens,
            )
        attention = Attention.from_qk(
            meaning.query,
            meaning.key,
            value=meaning.value if self._recording.options.values else None,
            scale=meaning.scale,
            mask=meaning.mask,
            bias=meaning.bias,
            softcap=meaning.softcap,
            sinks=meaning.sinks,
            note=meaning.note,
            name=name,
            role=role,
            query_tokens=meaning.query_tokens,
            key_tokens=meaning.key_tokens,
        )
        if meaning.modify is not None and isinstance(attention.scores, DotProduct):
            scores = attention.scores
            modified = FunctionScores(
                scores.query,
                scores.key,
                scores.scale,
                softcap=scores.softcap,
                modify=meaning.modify,
                adds=meaning.adds,
            )
            return replace(attention, scores=modified)
        if meaning.bias is None or not isinstance(attention.scores, DotProduct):
            return attention
        # Layers that share a bias, as T5's do, keep sharing it.
        return replace(attention, scores=replace(attention.scores, bias=meaning.bias))

    def _numbered(self, entries: list[Entry]) -> list[Attention]:
        calls = [(entry.attention.role, entry.name, entry.run) for entry in entries]
        numbers = layer_numbers(calls, self._names)
        return [replace(entry.attention, layer=number) for entry, number in zip(entries, numbers, strict=True)]

    def _is_as_it_was(self, entry: Entry) -> bool:
        if versions_of(entry.tensors) == entry.versions and not self._written_again(entry):
            return True
        self._recording.note(CHANGED, name=entry.name)
        return False

    def _written_again(self, entry: Entry) -> bool:
        """Whether a later run put its keys into the same memory: in inference mode PyTorch counts no changes."""
        return entry.memory is not None and self._last_run[entry.name, entry.memory] != entry.run
