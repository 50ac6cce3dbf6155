"""A trace from weights that something else computed: arrays, lists of them, what Hugging Face models return."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import Attention, Causal, Role
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.tokens import Tokens
from attnviz.trace.parts import MOST_LAYER_NUMBER
from attnviz.trace.trace import Note, Origin, Trace

MOST_LAYERS = 4096
# A list of layers in a dict in a dict: nobody writes more.
MOST_DEPTH = 3
# Numbers in one note.
MOST_NUMBERS = 40

TokenLike = Tokens | Sequence[str] | Sequence[Tokens] | Sequence[Sequence[str]] | None
TOKEN_NAMES = {"tokens": "tokens", "encoder_tokens": "tokens", "decoder_tokens": "decoder_tokens"}

SHAPE = _m(
    "{file}: the array “{name}” has shape {found}; weights have 2 to 5 dimensions: layers, items, heads, queries, keys."
)
EMPTY = _m("{file}: the array “{name}” of shape {found} is empty; at least one weight was expected.")
DENSE = _m("{file}: “{name}” is {found}; a dense array with numbers of its own was expected.")
TYPE = _m("{file}: the array “{name}” holds {found}; floating-point numbers were expected.")
KIND = _m("{file}: “{name}” is {found}; an array, None, or a list of these was expected.")
NOTHING_GIVEN = _m(
    "What was given holds no weights; a model of transformers returns them when it is loaded with "
    "attn_implementation='eager' and called with output_attentions=True."
)
STEPS = _m(
    "{file}: “{name}” is a list of lists, as generate() returns one for each step; the weights of one pass were expected."
)
NOTHING = _m("{file} is not a trace file and holds no weights; at least one array of them was expected.")
TEXT = _m("{file}: “{name}” is {found}; a list of strings, or one such list for each item, was expected.")
TOKENS = _m(
    "{file}: “{name}” has {items} × {expected} positions (items × positions), but the tokens are {found}; one for "
    "each position was expected."
)

ALONE = _m("There are weights alone: without queries and keys there are no scores, without values no output.")
NAMELESS = _m("No tokens came with the weights: positions are shown by their numbers.")
NO_SOFTMAX = _m("Rows that do not sum to 1, or negative weights: not called a softmax ({names}).")
CAUSAL = _m("No weight lies on a later position, so the mask is taken as causal ({names}).")
GUESSED = _m("No name says which part of the model the weights belong to; their shape was asked ({names}).")
COUNTED = _m("Layers are counted in the order of their names, because a number is missing or there twice ({names}).")
GAPS = _m("Layers without attention keep their number: {numbers}.")
ASIDE = _m("Left aside, because it is not called attention: {names}.")


@dataclass(frozen=True, eq=False)
class Layer:
    """The weights of one layer as they were found. role, number: None where no name tells."""

    name: str
    role: Role | None
    number: int | None
    weights: Float[Tensor, "..."]


class Given:
    """What the weights are called in a sentence when they came from no file, in the language of whoever asks."""

    def __str__(self) -> str:
        return _("What was given")


def from_arrays(
    arrays: Any,
    *,
    tokens: TokenLike = None,
    decoder_tokens: TokenLike = None,
    model: str = "",
    text: str = "",
    place: object = None,
) -> Trace:
    """A trace of weights that are there already, for example `model(..., output_attentions=True)`.

    arrays: what a Hugging Face model returned, or its `attentions`; an array of torch or numpy, "items heads n m",
    "heads n m" or "n m"; five dimensions are a stack of layers; a list of such arrays, one a layer, None for a
    layer without attention; a dict of all these, whose names tell the roles and the numbers of the layers.
    tokens: of the text, for one item or for each. decoder_tokens: of what a model with encoder and decoder writes;
    cross-attention has these as queries and the others as keys. model, text: what the origin should say.
    Raises `InputError` for anything else.
    """
    file = place or Given()
    contents, aside = _contents(arrays)
    written = {TOKEN_NAMES[name]: value for name, value in contents.items() if name in TOKEN_NAMES}
    gaps: list[int] = []
    layers = [
        layer
        for name in sorted(contents, key=_natural)
        if name not in TOKEN_NAMES
        for layer in _layers(name, contents[name], file, gaps)
    ]
    if not layers:
        raise InputError(NOTHING, file=place) if place else InputError(NOTHING_GIVEN)
    if len(layers) > MOST_LAYERS:
        raise InputError(
            _m("{file} has {found} layers; at most {most} are read."), file=file, found=len(layers), most=MOST_LAYERS
        )
    sides = _Sides(
        _tokens(tokens if tokens is not None else written.get("tokens"), file),
        _tokens(decoder_tokens if decoder_tokens is not None else written.get("decoder_tokens"), file),
    )
    return _trace(layers, sides, file, gaps, aside, Origin(kind="file", model=model, text=text))


def _trace(
    layers: list[Layer], sides: "_Sides", file: object, gaps: list[int], aside: list[str], origin: Origin
) -> Trace:
    causal = [_is_causal(layer.weights) for layer in layers]
    roles = _roles(layers, causal)
    numbers, counted = _numbers(layers, roles)
    absent = _absent(numbers, roles) | set(gaps)
    attentions, no_softmax, masked = [], [], []
    for layer, role, number, looks_back in zip(layers, roles, numbers, causal, strict=True):
        normalised = _is_softmax(layer.weights)
        queries, keys = sides.of(role, layer, file)
        attentions.append(
            Attention.from_weights(
                layer.weights, mask=Causal() if looks_back else None, normalised=normalised, name=layer.name,
                role=role, layer=number, query_tokens=queries, key_tokens=keys,
            )
        )  # fmt: skip
        if looks_back:
            masked.append(layer.name)
        if not normalised:
            no_softmax.append(layer.name)
    notes = [
        Note(ALONE),
        *([] if sides.known else [Note(NAMELESS)]),
        *_note(GUESSED, [layer.name for layer in layers if _fitting_role(layer) is None]),
        *_note(CAUSAL, masked),
        *_note(NO_SOFTMAX, no_softmax),
        *_note(COUNTED, counted),
        *([Note(GAPS, {"numbers": _listed(absent)})] if absent else []),
        *_note(ASIDE, aside),
    ]
    return Trace(attentions, origin=origin, notes=notes)


def _note(message: str, names: Sequence[str]) -> list[Note]:
    if not names:
        return []
    shown = ", ".join(name[:60] for name in names[:3])
    return [Note(message, {"names": shown + (" …" if len(names) > 3 else "")})]


def _contents(arrays: Any) -> tuple[dict[str, Any], list[str]]:
    """What is to be read, by name, and the names of what is not: a model returns more than attention."""
    if not isinstance(arrays, Mapping):
        return {"attentions": arrays}, []
    named = {str(name): value for name, value in arrays.items() if value is not None}
    attentions = {name: value for name, value in named.items() if name.endswith("attentions") or name in TOKEN_NAMES}
    if not set(attentions) - set(TOKEN_NAMES):
        if any(name == "logits" or name.endswith(("hidden_state", "hidden_states")) for name in named):
            # What a model returns without its attentions has the shape of weights at times, and is none.
            return {}, list(named)
        attentions = _called_attention(named)
    return attentions, [name for name in named if name not in attentions]


def _called_attention(named: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that are called attention, a layer or a part of the model; all, where none is called attention."""
    if not any(_ATTENTION.search(name) for name in named):
        return dict(named)
    return {
        name: value
        for name, value in named.items()
        if name in TOKEN_NAMES or _ATTENTION.search(name) or _role_named(name) or _NUMBER.search(name)
    }


def _layers(name: str, value: Any, file: object, gaps: list[int], depth: int = 0) -> Iterator[Layer]:
    """The layers in one entry, in their order."""
    role, found = _role_named(name), _array(value)
    if found is not None:
        if found.ndim == 5 and len(found):
            for number, weights in enumerate(found):
                yield Layer(f"{name}[{number}]", role, number, _checked(weights, f"{name}[{number}]", file))
        else:
            yield Layer(name, role, _number_named(name), _checked(found, name, file))
    elif isinstance(value, Mapping) and depth < MOST_DEPTH:
        for inner in sorted(map(str, value), key=_natural):
            yield from _layers(f"{name}.{inner}", value[inner], file, gaps, depth + 1)
    elif isinstance(value, list | tuple):
        for number, entry in enumerate(value):
            if entry is None:
                gaps.append(number)
                continue
            weights = _array(entry)
            if weights is None:
                nested = isinstance(entry, list | tuple)
                raise InputError(STEPS if nested else KIND, file=file, name=f"{name}[{number}]", found=_kind(entry))
            yield Layer(f"{name}[{number}]", role, number, _checked(weights, f"{name}[{number}]", file))
    elif value is not None:
        raise InputError(KIND, file=file, name=name, found=_kind(value))


def _array(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return torch.from_numpy(np.ascontiguousarray(value))
    return None


def _checked(weights: Tensor, name: str, file: object) -> Float[Tensor, "..."]:
    if weights.layout != torch.strided or weights.is_nested or weights.device.type == "meta":
        kind = "meta" if weights.device.type == "meta" else str(weights.layout).removeprefix("torch.")
        raise InputError(DENSE, file=file, name=name, found=kind)
    if weights.dtype not in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        raise InputError(TYPE, file=file, name=name, found=str(weights.dtype).removeprefix("torch."))
    if 0 in weights.shape:
        raise InputError(EMPTY, file=file, name=name, found=str(tuple(weights.shape))[:80])
    if not 2 <= weights.ndim <= 4:
        raise InputError(SHAPE, file=file, name=name, found=str(tuple(weights.shape))[:80])
    if weights.numel() * weights.element_size() > weights.untyped_storage().nbytes():
        # A few numbers that claim to be a large array: they would take its memory as soon as they are looked at.
        raise InputError(
            _m("{file}: the array “{name}” of shape {found} repeats a few numbers; an array of its own was expected."),
            file=file, name=name, found=str(tuple(weights.shape))[:80],
        )  # fmt: skip
    return weights.detach().reshape((1,) * (4 - weights.ndim) + tuple(weights.shape))


def _kind(value: Any) -> str:
    return type(value).__name__[:60]


# What the names tell.

# An attention mask is none.
_ATTENTION = re.compile(r"att(entio)?n(?!.*mask)", re.IGNORECASE)
_CROSS = {"cross", "crossattention", "crossattentions", "crossattn", "xattn", "encdec"}
_ENCODER, _DECODER = {"encoder", "enc"}, {"decoder", "dec"}
# Where a word begins inside of another, as in "EncDecAttention".
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORDS = re.compile(r"[^a-z]+")
_NUMBER = re.compile(r"(?:layers?|blocks?|attentions?|attn|arr|(?:^|[._])h)[._\-\s\[]*(\d+)", re.IGNORECASE)


def _role_named(name: str) -> Role | None:
    """The role that the words of a name tell, "EncDecAttention" and "crossattn" among them."""
    words = set(_WORDS.split(_HUMP.sub("_", name).lower()))
    if words & _CROSS or (words & _ENCODER and words & _DECODER):
        return "cross"
    if words & (_DECODER | {"causal"}):
        return "decoder"
    if words & _ENCODER:
        return "encoder"
    return "ego" if "ego" in words else None


def _number_named(name: str) -> int | None:
    """The layer's number in a name: the one after a word such as “layer”, else the only one there is."""
    found = _NUMBER.search(name)
    digits = [found.group(1)] if found else re.findall(r"[0-9]+", name)
    number = int(digits[0][:20]) if len(digits) == 1 else None
    return number if number is not None and number <= MOST_LAYER_NUMBER else None


def _natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts layer 10 after layer 2."""
    return tuple(
        (0, int(part[:20]), part) if part.isdecimal() and part.isascii() else (1, 0, part)
        for part in re.split(r"([0-9]+)", name)
    )


def _numbers(layers: list[Layer], roles: list[Role]) -> tuple[list[int], list[str]]:
    """The number of each layer among those of its role: its own where names give each another one, else its place.

    And the names of those whose own number is not used.
    """
    numbers, counted = [0] * len(layers), []
    for role in dict.fromkeys(roles):
        of_role = [at for at, found in enumerate(roles) if found == role]
        own = [layers[at].number for at in of_role]
        told = None not in own and len(set(own)) == len(own)
        for place, at in enumerate(of_role):
            numbers[at] = cast(int, layers[at].number) if told else place
            if layers[at].number not in (None, numbers[at]):
                counted.append(layers[at].name)
    return numbers, counted


def _absent(numbers: list[int], roles: list[Role]) -> set[int]:
    """The numbers between those of the layers, and before them, that no layer has."""
    return {
        number
        for role in set(roles)
        for own in [{number for number, found in zip(numbers, roles, strict=True) if found == role}]
        for number in range(max(own))
        if number not in own
    }


def _listed(numbers: set[int]) -> str:
    shown = ", ".join(map(str, sorted(numbers)[:MOST_NUMBERS]))
    return shown + (" …" if len(numbers) > MOST_NUMBERS else "")


# What the numbers tell.


def _roles(layers: list[Layer], causal: list[bool]) -> list[Role]:
    """The role that a name tells; without one, what the shape allows to say."""
    nameless = [at for at, layer in enumerate(layers) if layer.role is None]
    looking_back = all(causal[at] for at in nameless)
    return [_fitting_role(layer) or _role_of_shape(layer.weights, looking_back) for layer in layers]


def _fitting_role(layer: Layer) -> Role | None:
    """The role that the name tells, unless the shape says otherwise.

    An encoder looks at its own positions; a decoder at its own and at those before them, which a cache may hold.
    """
    queries, keys = layer.weights.shape[2:]
    fits = {"encoder": queries == keys, "decoder": queries <= keys}
    return layer.role if layer.role is not None and fits.get(layer.role, True) else None


def _role_of_shape(weights: Float[Tensor, "items heads n m"], looking_back: bool) -> Role:
    if weights.shape[2] != weights.shape[3]:
        return "cross"
    return "decoder" if looking_back else "encoder"


def _is_causal(weights: Float[Tensor, "items heads n m"]) -> bool:
    queries, keys = weights.shape[2:]
    return queries == keys > 1 and not any(bool(torch.triu(item, 1).any()) for item in weights)


def _is_softmax(weights: Float[Tensor, "items heads n m"]) -> bool:
    """Whether every row that has weights sums to 1, as nearly as their precision allows, and none is negative."""
    slack = 2e-2 if weights.element_size() == 2 else 1e-3
    some = False
    for item in weights:
        sums = item.sum(-1, dtype=torch.float64)
        counted = ~sums.isnan() & (item != 0).any(-1)
        some |= bool(counted.any())
        if bool((item < 0).any()) or bool(((sums - 1).abs() > slack)[counted].any()):
            return False
    return some


# Tokens.


class _Sides:
    """Which tokens stand at the queries and at the keys."""

    def __init__(self, text: list[Tokens] | None, written: list[Tokens] | None) -> None:
        self._text, self._written = text, written
        self.known = text is not None or written is not None

    def of(self, role: Role, layer: Layer, file: object) -> tuple[list[Tokens] | None, list[Tokens] | None]:
        """Of one layer: a decoder reads what was written, cross-attention looks from it to the text."""
        written = self._text if self._written is None and role == "decoder" else self._written
        queries = written if role in ("decoder", "cross") else self._text
        keys = written if role == "decoder" else self._text
        items, _heads, n, m = layer.weights.shape
        return self._fitting(queries, items, n, layer, file), self._fitting(keys, items, m, layer, file)

    def _fitting(
        self, tokens: list[Tokens] | None, items: int, length: int, layer: Layer, file: object
    ) -> list[Tokens] | None:
        if tokens is None:
            return None
        found = tokens * items if len(tokens) == 1 else tokens
        if len(found) != items or any(len(one) != length for one in found):
            shape = " + ".join(str(len(one)) for one in found[:8])
            raise InputError(TOKENS, file=file, name=layer.name, found=shape, items=items, expected=length)
        return found


def _tokens(given: Any, file: object) -> list[Tokens] | None:
    """One `Tokens` an item, however they were given."""
    if given is None:
        return None
    if isinstance(given, Tokens):
        return [given]
    listed = given.tolist() if isinstance(given, np.ndarray) else given
    entries = list(listed) if isinstance(listed, list | tuple) else None
    if not entries:
        raise InputError(TEXT, file=file, name="tokens", found=_kind(listed))
    if all(isinstance(entry, str) for entry in entries):
        return [Tokens(tuple(entries))]
    found = []
    for entry in entries:
        if isinstance(entry, Tokens):
            found.append(entry)
        elif isinstance(entry, list | tuple) and all(isinstance(text, str) for text in entry):
            found.append(Tokens(tuple(entry)))
        else:
            raise InputError(TEXT, file=file, name="tokens", found=_kind(entry))
    return found
