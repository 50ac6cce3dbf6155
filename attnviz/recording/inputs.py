"""What the model was given: which tokens the positions stand for, and which of them are padding."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature, unwrap
from typing import Any, Literal

from jaxtyping import Bool, Int, Shaped
from torch import Tensor, nn

from attnviz.attention import All, Attention, Lengths, Mask
from attnviz.tokens import Tokens

Side = Literal["text", "written"]

# The names under which models of transformers and of torch.nn take ids and masks; a mask says what is there.
_IDS: dict[Side, str] = {"text": "input_ids", "written": "decoder_input_ids"}
_PRESENT: dict[Side, str] = {"text": "attention_mask", "written": "decoder_attention_mask"}
_NAMES = frozenset((*_IDS.values(), *_PRESENT.values()))


@dataclass(frozen=True, eq=False)
class Inputs:
    """The arguments of one forward pass that say what its positions are; references, no copies."""

    given: Mapping[str, Shaped[Tensor, "items n"]] = field(default_factory=dict)

    @classmethod
    def of(cls, module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> "Inputs":
        """What a model was called with."""
        kind: Any = type(module)
        named = dict(zip(_parameters(kind), args, strict=False)) if args else {}
        found = {**named, **kwargs}
        return cls(
            {
                name: found[name].detach()
                for name in _NAMES & found.keys()
                if isinstance(found[name], Tensor) and found[name].ndim == 2 and not found[name].is_meta
            }
        )

    def ids(self, side: Side, length: int) -> Int[Tensor, "items n"] | None:
        """The ids, where there are so many."""
        found = self.given.get(_IDS[side])
        return found if found is not None and found.shape[1] == length and not found.is_floating_point() else None

    def present(self, side: Side, length: int) -> Bool[Tensor, "items n"] | None:
        """What is there, where it is said of so many positions."""
        found = self.given.get(_PRESENT[side])
        return found != 0 if found is not None and found.shape[1] == length else None

    def items(self) -> set[int]:
        """How many sequences the model was given; more than one number where sides differ."""
        return {len(found) for found in self.given.values()}

    def has(self, side: Side) -> bool:
        """Whether anything is known of this side."""
        return _IDS[side] in self.given or _PRESENT[side] in self.given


def with_tokens(attention: Attention, inputs: Inputs, tokenizer: Any) -> Attention:
    """The attention with what is known of its queries and keys: ids, padding and, with a tokenizer, texts."""
    written: Side = "written" if inputs.has("written") else "text"
    queries: Side = "text" if attention.role == "encoder" else written
    keys: Side = written if attention.role == "decoder" else "text"
    count, length = attention.shape
    known = _padding_of(attention.mask, attention.items, length)
    same = attention.role != "cross" and count == length
    return replace(
        attention,
        query_tokens_by_item=_tokens(
            attention.query_tokens_by_item, inputs, queries, tokenizer, known if same else None
        ),
        key_tokens_by_item=_tokens(attention.key_tokens_by_item, inputs, keys, tokenizer, known),
    )


def _tokens(
    known: tuple[Tokens, ...],
    inputs: Inputs,
    side: Side,
    tokenizer: Any,
    padding: tuple[tuple[bool, ...], ...] | None,
) -> tuple[Tokens, ...]:
    if known[0].kind != "vector":
        return known  # a family knew more
    length = len(known[0])
    ids, present = inputs.ids(side, length), inputs.present(side, length)
    if ids is not None and len(ids) != len(known):
        ids = None
    if present is not None and len(present) == len(known):
        padding = tuple(tuple(row) for row in (~present).tolist())
    if ids is None:
        return known if padding is None else tuple(map(_padded, known, padding))
    rows = ids.tolist()
    if tokenizer is not None:
        found = tuple(Tokens.from_ids(tokenizer, row) for row in rows)
    else:
        found = tuple(replace(one, kind="text", ids=tuple(row)) for one, row in zip(known, rows, strict=True))
    return found if padding is None else tuple(map(_padded, found, padding))


def _padded(tokens: Tokens, padding: tuple[bool, ...]) -> Tokens:
    return replace(tokens, padding=padding) if any(padding) else tokens


def _padding_of(mask: Mask | None, items: int, keys: int) -> tuple[tuple[bool, ...], ...] | None:
    """Keys that do not exist, as far as a rule of lengths says so."""
    rules = mask.rules if isinstance(mask, All) else () if mask is None else (mask,)
    lengths = next((rule for rule in rules if isinstance(rule, Lengths)), None)
    if lengths is None:
        return None
    ranges = list(zip(lengths.starts, lengths.stops, strict=True)) * (items if len(lengths.starts) == 1 else 1)
    return tuple(tuple(not start <= key < stop for key in range(keys)) for start, stop in ranges)


@cache
def _parameters(kind: Any) -> tuple[str, ...]:
    """The names of forward's arguments in their order, without self."""
    forward: Callable[..., Any] = unwrap(kind.forward)
    try:
        return tuple(signature(forward).parameters)[1:]
    except (TypeError, ValueError):  # TorchScript's forward has none
        return ()
