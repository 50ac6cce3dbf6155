"""A model followed on a text, kept for all sessions, and one token's way through the layers of one of its streams."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.summands import SummandKind, cosine, shares
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures.part_colours import NAMES
from attnviz.models import GrammarTranslator, TextModel
from attnviz.models.following import Followed, follow_text
from attnviz.recording.blocks import Layer
from attnviz.tokens import Tokens
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.source import allowed, files, recorded
from attnviz.ui.views.block import BlockView

KINDS: tuple[SummandKind, ...] = tuple(NAMES)


def followed(view: BlockView) -> Followed:
    """The model of the view on its text. Raises `InputError`."""
    model = opened(view)
    with st.spinner(_("Following the vectors through the model …")):
        return _followed(view.model, chosen_device(), allowed.folders(), view.text, model)


def opened(view: BlockView) -> TextModel | GrammarTranslator:
    """The model itself. Raises `InputError` where a file of weights is open instead."""
    if files.opened() is not None:
        raise InputError(
            _m("A file holds weights and no model, so there are no vectors to follow; choose a model instead.")
        )
    return recorded.opened(view.model)


def key(view: BlockView) -> tuple[str, str, str]:
    """What was followed, for caches."""
    return view.model, chosen_device(), view.text


# Every layer keeps a dozen vectors a position: few runs are kept.
@st.cache_resource(max_entries=4, show_spinner=False)
def _followed(
    name: str,  # noqa: ARG001 - names the entry
    device: str,  # noqa: ARG001
    folders: bool,  # noqa: ARG001
    text: str,
    _model: TextModel | GrammarTranslator,
) -> Followed:
    return follow_text(_model, text)


@dataclass(frozen=True, eq=False)
class Way:
    """One token's way: what leaves each layer is what shares, lengths and directions are of."""

    layers: Sequence[Layer]
    tokens: Tokens
    token: int

    @property
    def kinds(self) -> tuple[SummandKind, ...]:
        """The parts that any of the layers has."""
        there = {summand.kind for layer in self.layers for summand in layer.summands}
        return tuple(kind for kind in KINDS if kind in there)

    def shares(self, kind: SummandKind) -> list[float]:
        """Of one part, in every layer; 0 where the layer has no such part."""
        return [
            sum(share for share, one in zip(found, layer.summands, strict=True) if one.kind == kind)
            for found, layer in zip(self._shares, self.layers, strict=True)
        ]

    @cached_property
    def _shares(self) -> list[list[float]]:
        """Of every summand of every layer, for this token alone."""
        return [
            shares([replace(one, vector=one.vector[self.token]) for one in layer.summands]).share.tolist()
            for layer in self.layers
        ]

    def sizes(self, kind: SummandKind) -> list[float]:
        """The length of one part as it is in what leaves; NaN where the layer has no such part."""
        found = []
        for layer in self.layers:
            there = [one.vector[self.token] for one in layer.summands if one.kind == kind]
            found.append(float(torch.stack(there).sum(0).norm()) if there else float("nan"))
        return found

    def directions(self, kind: SummandKind) -> list[float]:
        """The cosine of one part, as it is in what leaves, with what leaves; NaN where the layer has no such part."""
        found = []
        for layer in self.layers:
            there = [one.vector[self.token] for one in layer.summands if one.kind == kind]
            found.append(float(cosine(torch.stack(there).sum(0), layer.left[self.token])) if there else float("nan"))
        return found

    @property
    def lengths(self) -> list[float]:
        """Of what came into the first layer, and of what left each."""
        return [float(vector.norm()) for vector in self.vectors]

    @property
    def vectors(self) -> list[Float[Tensor, " d"]]:
        """What came into the first layer, and what left each."""
        return [self.layers[0].came_in[self.token], *(layer.left[self.token] for layer in self.layers)]

    def towards(self, place: int) -> list[float]:
        """The cosine of each of the vectors with one of them."""
        vectors = self.vectors
        return [float(cosine(one, vectors[place])) for one in vectors]


def stream_of(view: BlockView, found: Followed) -> str:
    """The stream that the view asks for, or the first. Raises `InputError` for one that is not there."""
    names = found.stream.names
    if view.stream >= len(names):
        raise InputError(
            _m("Stream {found} was asked for; the model has {count}, counted from 0."),
            count=len(names),
            found=view.stream,
        )
    return names[view.stream]


def way(view: BlockView, found: Followed) -> Way:
    """The token of the view. Raises `InputError` for a token or a layer that is not there."""
    stream = stream_of(view, found)
    layers, tokens = found.layers(stream), found.tokens[stream]
    if len(tokens) == 1:  # whichever another text had: there is nothing to choose
        return _way(view, layers, tokens, 0)
    if view.token >= len(tokens):
        raise InputError(
            _m("Token {found} was asked for; {count} are followed, counted from 0."),
            count=len(tokens),
            found=view.token,
        )
    return _way(view, layers, tokens, view.token)


def _way(view: BlockView, layers: Sequence[Layer], tokens: Tokens, token: int) -> Way:
    if view.layer >= len(layers):
        raise InputError(
            _m("Layer {found} was asked for; the model has {count}, counted from 0."),
            count=len(layers),
            found=view.layer,
        )
    return Way(layers, tokens, token)
