"""What is looked at: queries, keys and values of a sentence, of a picture or of a crossing, and what they stand for."""

import functools
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from attnviz.attention import Attention, DotProduct
from attnviz.attention.kinds import Inputs
from attnviz.attention.kinds.kind import Memory
from attnviz.base import language
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures.patch_map import Grid, patch_name
from attnviz.figures.street_lines import Body
from attnviz.models import load
from attnviz.models.text_model import TextModel
from attnviz.models.turn.turn_model import TurnModel
from attnviz.scenes.kinds import SIZES
from attnviz.tokens import Tokens
from attnviz.ui.intersection.driving.compute import SCENE, moment
from attnviz.ui.kinds import drawing
from attnviz.ui.views.driving import LESSON_MOVERS, Drive, Mover
from attnviz.ui.views.kinds import MOST_TOKENS, KindsView
from attnviz.ui.views.street import EGO, KNOWN, Place

OTHER_SENTENCE = "A dog barked at the door."
"""What cross-attention looks at beside the sentence: its keys and values, of the same layer of the same model."""
BRIGHTNESS = 1
"""The head that compares brightness."""
SHARPNESS = 3.0
"""How much unlike patches are kept apart: scores are −|difference|²·sharpness/2 before ÷ √d."""

STREET = (
    LESSON_MOVERS[0].model_copy(update={"place": Place(x=1.7, y=17.0, heading=-90)}),
    *LESSON_MOVERS[1:],
    Mover(id="van", kind="van", place=Place(x=-12.5, y=4.5, heading=0)),
    Mover(id="child", kind="child", place=Place(x=-6.2, y=6.4, heading=-90), speed=1.0),
    Mover(id="cyclist", kind="cyclist", place=Place(x=-9.5, y=-4.6, heading=0), speed=4.0),
    Mover(id="waiting", kind="car", place=Place(x=16.5, y=-1.7, heading=180)),
)


@dataclass(frozen=True, eq=False)
class Looked:
    """The same queries, keys and values for every kind. picture, grid: of patches. bodies: of road users."""

    inputs: Inputs
    labels: tuple[str, ...]
    picture: UInt8[np.ndarray, "height width 3"] | None = None
    grid: Grid | None = None
    bodies: tuple[Body, ...] = ()

    @property
    def tokens(self) -> int:
        """How many positions ask."""
        return self.inputs.shape[0]


def look(view: KindsView) -> Looked:
    """What the view looks at. Raises `InputError` where a model is missing or does not take the text."""
    if view.source == "sentence":
        return _sentence(view.text, view.layer)
    if view.source == "picture":
        return _patches()
    return _street(view.layer, language.current())


@functools.lru_cache(maxsize=16)
def _sentence(text: str, layer: int) -> Looked:
    found, other = _of_minilm(text, layer), _of_minilm(OTHER_SENTENCE, layer)
    query, key, value = _vectors(found)
    if query.shape[1] > MOST_TOKENS:
        raise InputError(
            _m("The text has {found} tokens; this page shows at most {most}."), found=query.shape[1], most=MOST_TOKENS
        )
    _query, other_key, other_value = _vectors(other)
    memory = Memory(other_key, other_value, other.key_tokens)
    inputs = Inputs(query, key, value, other=memory, tokens=found.query_tokens)
    return Looked(inputs, found.query_tokens.labels())


def _of_minilm(text: str, layer: int) -> Attention:
    model = _loaded("minilm")
    assert isinstance(model, TextModel)  # noqa: S101 - the catalogue says so
    return model.trace(text, values=True).of_role("encoder")[layer]


@functools.lru_cache(maxsize=4)
def _loaded(name: str) -> object:
    return load(name)


def _vectors(
    found: Attention,
) -> tuple[Float[Tensor, "heads n d"], Float[Tensor, "heads m d"], Float[Tensor, "heads m dv"]]:
    scores = found.scores
    assert isinstance(scores, DotProduct)  # noqa: S101 - so these models are recorded
    assert found.value is not None  # noqa: S101 - values were asked for
    query, key, value = (each[0].float().cpu() for each in (scores.query, scores.key, found.value))
    return query, key, value


@functools.cache
def _patches() -> Looked:
    grid = (drawing.ROWS, drawing.COLUMNS)
    features = patch_features()
    query, key = (torch.stack([_alike(each)[side] for each in features]) for side in (0, 1))
    # How bright a patch is its colour tells already.
    value = torch.cat([each[:, 1:] if at == BRIGHTNESS else each for at, each in enumerate(features)], 1)
    # From 0 to 1: from means of 0 every gate of Squeeze-and-Excitation would be 0.5, whatever the picture.
    value = (value - value.amin(0)) / (value.amax(0) - value.amin(0))
    names = tuple(patch_name(position, grid) for position in range(len(value)))
    inputs = Inputs(
        query, key, value.expand(len(features), -1, -1).contiguous(), grid, tokens=Tokens(texts=names, kind="patch")
    )
    return Looked(inputs, names, drawing.picture(), grid)


def patch_features() -> tuple[Float[Tensor, "patches numbers"], ...]:
    """Of every patch: its mean colour; how bright it is and how much that varies; its edges; its place. Mean 0, deviation 1."""
    pixels = torch.from_numpy(drawing.patches()).float()
    bright = pixels.mean(-1)
    across, down = bright.diff(dim=2).abs().mean((1, 2)), bright.diff(dim=1).abs().mean((1, 2))
    cells = torch.arange(drawing.ROWS * drawing.COLUMNS)
    place = torch.stack([cells // drawing.COLUMNS, cells % drawing.COLUMNS], 1).float()
    found = (
        pixels.mean((1, 2)),
        torch.stack([bright.mean((1, 2)), bright.std((1, 2))], 1),
        torch.stack([across, down], 1),
        place,
    )
    return tuple((each - each.mean(0)) / each.std(0) for each in found)


def _alike(features: Float[Tensor, "n numbers"]) -> tuple[Float[Tensor, "n 8"], Float[Tensor, "n 8"]]:
    """Queries and keys whose dot product is −|f − f'|²·sharpness/2: the more alike two patches, the larger."""
    scaled = features * SHARPNESS**0.5
    half = -scaled.square().sum(-1, keepdim=True) / 2
    one, rest = torch.ones_like(half), torch.zeros(len(features), 6 - features.shape[1])
    return torch.cat([scaled, one, half, rest], 1), torch.cat([scaled, half, one, rest], 1)


@functools.lru_cache(maxsize=8)
def _street(layer: int, _code: str) -> Looked:
    drive = Drive(kind="self", users=STREET)
    scenes, t = moment(drive)
    model = _loaded(drive.name)
    assert isinstance(model, TurnModel)  # noqa: S101 - the catalogue says so
    labels = {EGO: _(KNOWN["ego car"])} | {user.id: user.label() for user in STREET}
    seen = model.seen(scenes, SCENE, (t,))
    trace = model.trace_of(seen, [labels[name] for name in seen.ids])
    found = trace.of_role("encoder")[layer]
    query, key, value = _vectors(found)
    places = {user.id: user for user in STREET}
    bodies = tuple(
        _body(
            labels[name], places[name].kind if name != EGO else "car", places[name].place if name != EGO else drive.ego
        )
        for name in map(str, found.query_tokens.ids or ())
    )
    return Looked(Inputs(query, key, value, tokens=found.query_tokens), found.query_tokens.labels(), bodies=bodies)


def _body(label: str, kind: str, place: Place) -> Body:
    size = SIZES[kind]  # type: ignore[index]  # kinds are checked
    return Body(label, place.x, place.y, float(np.radians(place.heading)), size.length, size.width)


def other(view: KindsView) -> str:
    """What cross-attention looks at, where it is not drawn at random."""
    if view.source != "sentence":
        return ""
    return _("The other sequence is “{text}”: its keys and values in the same layer.", text=OTHER_SENTENCE)


def said(view: KindsView) -> str:
    """Where the queries, keys and values come from."""
    if view.source == "sentence":
        return _(
            "q, k and v are those of layer {layer} of MiniLM on this sentence, recorded while it ran with its 12 heads.",
            layer=view.layer,
        )
    if view.source == "picture":
        return _(
            "A drawn street, cut into {rows} × {columns} patches. Nothing was learnt: each head compares what a patch is "
            "like – its colour, its brightness, its edges, its place – and alike patches get high scores.",
            rows=drawing.ROWS, columns=drawing.COLUMNS,
        )  # fmt: skip
    return _(
        "q, k and v are those of layer {layer} of the trained turn model in which everybody looks at everybody. "
        "Road users are a set: their order is that of a table, and a window over it follows nothing on the street.",
        layer=view.layer + 1,
    )
