"""A part that adds nothing: what becomes of the token where it leaves the layer, and where it leaves the last one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.changes import Choice, change
from attnviz.attention.summands import PartKind, cosine
from attnviz.base.language import _
from attnviz.models import GrammarTranslator, TextModel
from attnviz.models.following import Followed, follow_text
from attnviz.recording.blocks import Layer, Part
from attnviz.ui.block.followed import key, opened
from attnviz.ui.source import allowed
from attnviz.ui.views.block import BlockView

Key = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Switched:
    """The run with a part switched off: the layer it is in, what left the last layer of its stream, what it writes."""

    layer: Layer
    last: Float[Tensor, "n d"]
    choices: Sequence[Choice] = ()


@dataclass(frozen=True)
class Effect:
    """One part switched off. share: what it is of what leaves its layer; cosine, change: of the last layer's vector.

    change: ‖with − without‖ / ‖with‖.
    """

    layer: int
    kind: PartKind
    share: float
    cosine: float
    change: float


def switched(view: BlockView, found: Followed, stream: str, part: Part) -> Switched:
    """The model run once more without this part. Raises `InputError`."""
    model = opened(view)
    with st.spinner(_("Running the model without this part …")):
        return _run(*key(view), allowed.folders(), stream, view.layer, part.place, found, part, model)


@st.cache_resource(max_entries=48, show_spinner=False)
def _run(
    name: str,  # noqa: ARG001 - names the entry, as do the next
    device: str,  # noqa: ARG001
    text: str,
    folders: bool,  # noqa: ARG001
    stream: str,
    layer: int,
    place: tuple[object, ...],  # noqa: ARG001
    _found: Followed,
    _part: Part,
    _model: TextModel | GrammarTranslator,
) -> Switched:
    run = follow_text(_model, text, off=[_part], written=_found.written)
    layers = run.layers(stream)
    return Switched(layers[layer], layers[-1].left, _found.choices(run))


def effect(layer: Layer, part: Part, token: int, last: Float[Tensor, "n d"], without: Float[Tensor, "n d"]) -> Effect:
    """What one part does to one token."""
    share = layer.shares().share[:, token]
    own = [float(share[at]) for at, one in enumerate(layer.summands) if (one.kind, one.name) == (part.kind, part.name)]
    found = change(last[token : token + 1], without[token : token + 1])
    return Effect(layer.number, part.kind, sum(own), float(found.cosine), float(found.distance))


def neighbours(vectors: Float[Tensor, "n d"], token: int) -> Float[Tensor, " n"]:
    """The cosine of the token's vector with that of every other token; NaN with itself."""
    found = cosine(vectors, vectors[token].expand_as(vectors))
    found[token] = torch.nan
    return found


class Every:
    """Every part of a stream switched off in turn, one run each; keeps what it found for all tokens."""

    def __init__(self, view: BlockView, model: TextModel | GrammarTranslator, found: Followed, stream: str) -> None:
        self.name = name_of(view, stream)
        self._model = model
        self._found, self._stream, self._text = found, stream, view.text
        self.last = found.layers(stream)[-1].left
        self.without: list[tuple[Layer, Part, Tensor]] = []

    def run(self) -> Iterator[float]:
        """The share that is done, after each part."""
        layers = self._found.layers(self._stream)
        parts = [(layer, part) for layer in layers for part in layer.parts]
        for done, (layer, part) in enumerate(parts, start=1):
            run = follow_text(self._model, self._text, off=[part], written=self._found.written)
            self.without.append((layer, part, run.layers(self._stream)[-1].left))
            yield done / len(parts)

    def effects(self, token: int) -> list[Effect]:
        """What is known so far, the largest change first."""
        found = [effect(layer, part, token, self.last, without) for layer, part, without in self.without]
        return sorted(found, key=lambda one: -one.change)


def name_of(view: BlockView, stream: str) -> Key:
    """By what the work is known."""
    return (*key(view), stream)


def neighbour_table(labels: list[str], before: Float[Tensor, " n"], after: Float[Tensor, " n"]) -> pd.DataFrame:
    """Every other token's cosine with and without the part, the nearest first."""
    order = [int(at) for at in before.nan_to_num(-2.0).argsort(descending=True) if not torch.isnan(before[int(at)])]
    return pd.DataFrame(
        {
            _("token"): [labels[at] for at in order],
            _("cosine with the part"): [float(before[at]) for at in order],
            _("cosine without it"): [float(after[at]) for at in order],
        }
    )
