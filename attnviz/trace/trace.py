"""The attentions of one or more forward passes, in order of execution, under the model's own layer names."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from string import Formatter
from typing import Any, Literal, get_args

from torch import Tensor

from attnviz.attention import Attention, Role
from attnviz.base.errors import InputError
from attnviz.base.language import _m, translate
from attnviz.selection import Selection
from attnviz.tokens import Tokens
from attnviz.trace.container import Collected, pack, read_back, unpack, write
from attnviz.trace.parts import (
    MOST_LETTERS,
    MOST_TEXT_LETTERS,
    TokenTable,
    attention_from_json,
    attention_to_json,
    choice,
    text,
    unexpected,
    whole,
)

OriginKind = Literal["typed", "learnt", "recorded", "file"]
ORIGINS: tuple[OriginKind, ...] = get_args(OriginKind)

# A hundred layers that ran three hundred times; they are read in a few seconds.
MOST_ATTENTIONS = 32_768
MOST_LEFT_OUT = 2**31 - 1


@dataclass(frozen=True)
class Origin:
    """Where the numbers come from; what is not known is "".

    kind: typed in, learnt in training, recorded from a model that ran, or read from a file of unknown origin.
    """

    kind: OriginKind
    model: str = ""
    text: str = ""
    device: str = ""
    dtype: str = ""
    attention_implementation: str = ""
    torch_version: str = ""
    transformers_version: str = ""


@dataclass(frozen=True)
class Note:
    """Something a person should know about a trace: a message id, marked where it is written, and its fields."""

    message: str
    fields: Mapping[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        return translate(self.message, **self.fields)


@dataclass(frozen=True)
class LookAlike:
    """What looks like attention but is not, or not as far as can be seen: a router's softmax, a classifier's.

    name: the model's own name of the module. shape: of what it computed. reason: why it is not shown as attention.
    """

    name: str
    shape: tuple[int, ...]
    reason: Note


class Trace:
    """What was recorded: iterate over it, index it, or `select` from it.

    left_out: how many tokens at the end of a text were more than the model takes.
    claimed: whether origin, notes, checks and look-alikes are a file's own word, which nobody has verified.
    """

    def __init__(
        self,
        attentions: Iterable[Attention] = (),
        *,
        origin: Origin,
        notes: Iterable[Note] = (),
        lookalikes: Iterable[LookAlike] = (),
        left_out: int = 0,
        claimed: bool = False,
    ) -> None:
        self._attentions = list(attentions)
        self._notes = list(notes)
        self._lookalikes = list(lookalikes)
        self._origin = origin
        self.left_out = left_out
        self.claimed = claimed

    @property
    def origin(self) -> Origin:
        """Where the numbers come from."""
        return self._origin

    @property
    def attentions(self) -> list[Attention]:
        """The attentions in order of execution."""
        return self._attentions

    @property
    def notes(self) -> list[Note]:
        """What could not be recorded, and what differs from a run without recording."""
        return self._notes

    @property
    def lookalikes(self) -> list[LookAlike]:
        """What ran beside the attentions and only looks like one."""
        return self._lookalikes

    def __len__(self) -> int:
        return len(self.attentions)

    def __iter__(self) -> Iterator[Attention]:
        return iter(self.attentions)

    def __getitem__(self, index: int) -> Attention:
        return self.attentions[index]

    def __repr__(self) -> str:
        return f"Trace({self.origin.model or self.origin.kind}, {len(self)} attentions)"

    @property
    def items(self) -> int:
        """How many sequences were computed together: the most that any attention has, 0 in an empty trace."""
        return max((attention.items for attention in self.attentions), default=0)

    def roles(self) -> tuple[Role, ...]:
        """The roles that occur: encoder, decoder, cross, ego, in this order."""
        found = {attention.role for attention in self.attentions}
        return tuple(attention_role for attention_role in get_args(Role) if attention_role in found)

    def of_role(self, role: Role) -> list[Attention]:
        """The attentions of one role, in order of execution."""
        return [attention for attention in self.attentions if attention.role == role]

    def layers(self, role: Role) -> tuple[int, ...]:
        """The numbers of the layers that have an attention of this role, in ascending order."""
        return tuple(sorted({attention.layer for attention in self.of_role(role)}))

    def select(self, selection: Selection) -> Attention:
        """The attention of this role and layer; where the model ran several times, that of the first run.

        Raises `InputError` where there is none, or where it has no such head, item, query or key.
        """
        attention = self._find(selection.role, selection.layer)
        queries, keys = attention.shape
        head = selection.head if isinstance(selection.head, int) else 0
        _check(
            _m("“{name}” has {count} heads; head {found} was asked for, counted from 0."),
            attention,
            head,
            attention.heads,
        )
        _check(
            _m("“{name}” has {count} items; item {found} was asked for, counted from 0."),
            attention,
            selection.item,
            attention.items,
        )
        _check(
            _m("“{name}” has {count} queries; query {found} was asked for, counted from 0."),
            attention,
            selection.query or 0,
            queries,
        )
        _check(
            _m("“{name}” has {count} keys; key {found} was asked for, counted from 0."),
            attention,
            selection.key or 0,
            keys,
        )
        return attention

    def _find(self, role: Role, layer: int) -> Attention:
        for attention in self.attentions:
            if attention.role == role and attention.layer == layer:
                return attention
        raise InputError(
            _m("The trace has no attention of role “{role}” in layer {layer}, counted from 0."), role=role, layer=layer
        )

    def to_bytes(self) -> bytes:
        """The trace as the content of a trace file. Raises `InputError` where it would be too large."""
        return pack(*self._document())

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a trace file, beside its place first and then moved, so there is never half of one.

        Raises `InputError` where it cannot be written or would be too large.
        """
        write(*self._document(), path)

    def _document(self) -> tuple[dict[str, Any], Collected]:
        tensors, tokens = Collected(), TokenTable()
        attentions = [attention_to_json(attention, tensors, tokens) for attention in self.attentions]
        document = {
            "origin": asdict(self.origin),
            "notes": [_note_to_json(note) for note in self.notes],
            "lookalikes": [
                {"name": one.name, "shape": list(one.shape), "reason": _note_to_json(one.reason)}
                for one in self.lookalikes
            ],
            "left_out": self.left_out,
            "attentions": attentions,
            "tokens": [one.to_json() for one in tokens.entries],
        }
        # What could not be read again is refused before it is written.
        from_document(read_back(document), tensors.tensors)
        return document, tensors


def load(source: str | PathLike[str] | bytes) -> Trace:
    """The trace in a file, or in the content of one.

    Nothing in it is executed. Raises `InputError` for anything but a complete trace file of a known version.
    """
    return from_document(*unpack(source))


def from_document(document: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Trace:
    """The trace that a file's document and tensors make. Raises `InputError` where they make none."""
    listed = _list(document, "attentions")
    if len(listed) > MOST_ATTENTIONS:
        raise InputError(
            _m("The trace has {found} attentions; at most {most} are written and read."),
            found=len(listed),
            most=MOST_ATTENTIONS,
        )
    tokens = [Tokens.from_json(one) for one in _list(document, "tokens")]
    return Trace(
        [attention_from_json(one, tensors, tokens) for one in listed],
        origin=_origin(document.get("origin")),
        notes=[_note(one) for one in _list(document, "notes")],
        # Files of before these were listed have none.
        lookalikes=[_lookalike(one) for one in _list({"lookalikes": [], **document}, "lookalikes")],
        left_out=whole(document, "left_out", MOST_LEFT_OUT),
        claimed=True,
    )


def _list(document: Mapping[str, Any], field: str) -> list[Any]:
    found = document.get(field)
    if not isinstance(found, list):
        raise unexpected(field, found)
    return found


def _origin(data: Any) -> Origin:
    if not isinstance(data, Mapping) or set(data) != {field.name for field in fields(Origin)}:
        raise unexpected("origin", data)
    kind: OriginKind = choice(data, "kind", ORIGINS)
    most = {"text": MOST_TEXT_LETTERS}
    said = {name: text(data, name, most.get(name, MOST_LETTERS)) for name in data if name != "kind"}
    return Origin(kind=kind, **said)


def _note_to_json(note: Note) -> dict[str, Any]:
    return {"message": note.message, "fields": dict(note.fields)}


def _lookalike(data: Any) -> LookAlike:
    if not isinstance(data, Mapping) or not isinstance(data.get("shape"), list):
        raise unexpected("lookalikes", data)
    shape = tuple(whole({"shape": size}, "shape", MOST_LEFT_OUT) for size in data["shape"])
    return LookAlike(text(data, "name"), shape, _note(data.get("reason")))


def _note(data: Any) -> Note:
    """A note, once filling in its fields can do nothing but fill them in: no formats, no attributes."""
    if not isinstance(data, Mapping) or not isinstance(data.get("fields"), Mapping):
        raise unexpected("notes", data)
    message, found = text(data, "message"), data["fields"]
    try:
        parts = list(Formatter().parse(message))
    except ValueError as error:
        raise unexpected("notes", message) from error
    known = all(
        wanted is None or (wanted in found and wanted.isidentifier() and not form and not change)
        for _, wanted, form, change in parts
    )
    if not known or not all(isinstance(value, str | int | float) for value in found.values()):
        raise unexpected("notes", message)
    return Note(message, dict(found))


def _check(complaint: str, attention: Attention, found: int, count: int) -> None:
    if not 0 <= found < count:
        raise InputError(complaint, name=attention.name, found=found, count=count)
