"""The translation models that come with attnviz: which there are, how they are read, and what was measured on them."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from torch import Tensor, nn

from attnviz.base import device as devices
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models.card import Card
from attnviz.models.translation.recurrent import Recurrent
from attnviz.models.translation.transformer import Transformer
from attnviz.models.translation.translator import GrammarTranslator, Kind
from attnviz.models.translation.vocabulary import SPECIAL, Vocabulary

WEIGHTS = Path(__file__).parent / "weights"
PREFIX = "translation/"
MOST_LAYERS = 64
PAIRS = ("en-fr", "en-ja", "en-ru")
KINDS: tuple[Kind, ...] = ("gru", "transformer")
NAMES = (*(f"{PREFIX}{pair}/{kind}" for pair in PAIRS for kind in KINDS), f"{PREFIX}en-fr/bottleneck")

_PAIR_TITLES = {"en-fr": _m("English → French"), "en-ja": _m("English → Japanese"), "en-ru": _m("English → Russian")}
_KIND_TITLES = {
    "gru": _m("recurrent (GRU) with additive attention"),
    "transformer": _m("Transformer, encoder and decoder"),
    "bottleneck": _m("recurrent (GRU) without attention"),
}
_NOT_OURS = _m("{file} is no translation model of attnviz: {reason}.")


@dataclass(frozen=True)
class Measured:
    """What was measured after training, for one seed.

    exact: share of sentences whose translation is word for word that of the grammar, by split. by_length: source
    words → (sentences, exactly translated). aer: alignment error rate of the mean over all layers and heads on
    `test`, rows that predict, end of the sentence hidden; heads: the same of each "layer.head". noir: how
    much of its weight the word for "black" puts on "black" in "the black cat": the mean over all layers and heads.
    """

    seed: int
    seconds: float
    exact: Mapping[str, float]
    by_length: Mapping[int, tuple[int, int]]
    aer: float | None
    heads: Mapping[str, float]
    noir: float | None


@dataclass(frozen=True)
class Facts:
    """A model card's numbers: how it was made, and what came of every seed. The first seed is the one that is shipped."""

    name: str
    command: str
    date: str
    torch: str
    parameters: int
    sizes: Mapping[str, int]
    training_sentences: int
    epochs: int
    held_out_sentences: int
    seeds: tuple[Measured, ...]

    @property
    def shipped(self) -> Measured:
        """What was measured on the weights that are shipped: the first seed's, whatever the others gave."""
        return self.seeds[0]


def cards() -> tuple[Card, ...]:
    """What the catalogue says about each."""
    return tuple(_card(name) for name in NAMES)


def kinds_of(pair: str) -> tuple[Kind, ...]:
    """The kinds of models that there are for a pair of languages."""
    return (*KINDS, "bottleneck") if pair == "en-fr" else KINDS


def load(name: str, device: str | None = None) -> GrammarTranslator | None:
    """The shipped translator of this name; None for other names. Raises `InputError` where its file is not what it should be."""
    if name not in NAMES:
        return None
    return read(weights_of(name), name, card=_card(name), device=device)


def weights_of(name: str, folder: Path = WEIGHTS) -> Path:
    """The file of a model's weights."""
    return folder / f"{name.removeprefix(PREFIX).replace('/', '-')}.safetensors"


def facts_of(name: str, folder: Path = WEIGHTS) -> Path:
    """The file of a model's numbers."""
    return weights_of(name, folder).with_suffix(".json")


@functools.cache
def facts(name: str) -> Facts:
    """What was measured on a shipped model. Raises `InputError` where the file is missing or not what it should be."""
    path = facts_of(name)
    try:
        return facts_from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as reason:
        raise InputError(_NOT_OURS, file=path.name, reason=str(reason)[:100]) from reason


def facts_from_json(data: Mapping[str, Any]) -> Facts:
    """The facts that a model card holds."""
    seeds = tuple(
        Measured(
            **{
                **one,
                "by_length": {int(length): (int(n), int(exact)) for length, (n, exact) in one["by_length"].items()},
            }
        )
        for one in data["seeds"]
    )
    return Facts(**{**data, "seeds": seeds})


def build(kind: Kind, source: Vocabulary, target: Vocabulary, sizes: Mapping[str, int]) -> nn.Module:
    """A model of this kind and size whose weights are drawn at random."""
    if kind == "transformer":
        return Transformer(len(source), len(target), **sizes)
    return Recurrent(len(source), len(target), attention=kind == "gru", **sizes)


def read(path: Path, name: str, *, card: Card | None = None, device: str | None = None) -> GrammarTranslator:
    """The translator in this file. Raises `InputError` where the file is not what it should be."""
    from safetensors import SafetensorError, safe_open

    place = devices.choose(device)
    try:
        with safe_open(path, framework="pt") as file:
            told = {key: json.loads(text) for key, text in (file.metadata() or {}).items()}
            weights: dict[str, Tensor] = {key: file.get_tensor(key).float() for key in file.keys()}  # noqa: SIM118 - no dict
        kind, sizes = told["kind"], {str(key): int(size) for key, size in told["sizes"].items()}
        if kind not in get_args(Kind) or any(not 0 < size <= 4096 for size in sizes.values()):
            raise ValueError(f"kind {kind!r}, sizes {sizes}")
        _check_sizes(sizes)
        source, target = (Vocabulary(tuple(map(str, told[side]))) for side in ("source", "target"))
        if any(side.words[: len(SPECIAL)] != SPECIAL for side in (source, target)):
            raise ValueError("special words")
        if any(len(set(side.words)) != len(side) for side in (source, target)):
            raise ValueError("a word twice")
        if not all(bool(weight.isfinite().all()) for weight in weights.values()):
            raise ValueError("weights that are no finite numbers")
        module = build(kind, source, target, sizes)
        module.load_state_dict(weights)
    except (
        OSError,
        SafetensorError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RuntimeError,
        OverflowError,
    ) as reason:
        said = " ".join(str(reason).split())[:100]
        raise InputError(_NOT_OURS, file=path.name, reason=said) from reason
    return GrammarTranslator(name, card, kind, module.to(place), source, target)


def _check_sizes(sizes: Mapping[str, int]) -> None:
    """Before anything of these sizes is made: layers are few, and heads part the width evenly."""
    if sizes.get("layers", 1) > MOST_LAYERS or sizes.get("width", 1) % sizes.get("heads", 1):
        raise ValueError(f"sizes {dict(sizes)}")


def write(path: Path, translator: GrammarTranslator, sizes: Mapping[str, int]) -> None:
    """Writes the weights as float16 beside the path and moves them into place."""
    from safetensors.torch import save_file

    told = {
        "kind": translator.kind,
        "sizes": dict(sizes),
        "source": list(translator.source.words),
        "target": list(translator.target.words),
    }
    weights = {key: value.detach().half().cpu().contiguous() for key, value in translator.module.state_dict().items()}
    unfinished = path.with_suffix(".unfinished")
    save_file(weights, unfinished, metadata={key: json.dumps(value, ensure_ascii=False) for key, value in told.items()})
    unfinished.replace(path)


def _card(name: str) -> Card:
    pair, kind = name.removeprefix(PREFIX).split("/")
    installed = weights_of(name).is_file()
    layers, heads = _layers_and_heads(name) if installed else (0, 0)
    return Card(
        name=name,
        title=f"{_(_PAIR_TITLES[pair])} · {_(_KIND_TITLES[kind])}",
        description=_("Trained on sentences of a generated grammar; the gold alignment of each is known."),
        licence="MIT",
        source="https://arxiv.org/abs/1706.03762" if kind == "transformer" else "https://arxiv.org/abs/1409.0473",
        layers=layers,
        heads=heads,
        installed=installed,
        how_to_get=_("Make it with: python -m attnviz train translation --pair {pair}", pair=pair),
    )


def _layers_and_heads(name: str) -> tuple[int, int]:
    sizes = facts(name).sizes if facts_of(name).is_file() else {}
    kind = name.rsplit("/", 1)[-1]
    if kind == "transformer":
        return int(sizes.get("layers", 0)), int(sizes.get("heads", 0))
    return (1, 1) if kind == "gru" else (0, 0)
