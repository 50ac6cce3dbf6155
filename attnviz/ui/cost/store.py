"""The page's store, and what every part of it works out first: the tokens, and what they cost."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from attnviz.attention.kinds.kind import Settings
from attnviz.cost.layer import Layer
from attnviz.cost.price import Price, price
from attnviz.models import loading
from attnviz.models.text_model import TextModel
from attnviz.ui.state import Store
from attnviz.ui.views.cost import Compared, CostView

CostStore = Store[CostView]


def sets(store: CostStore, part: str, field: str) -> Callable[[Any], dict[str, Any]]:
    """What a widget changes: one field of one part of the view, as it is at the moment of the change."""
    return lambda chosen: store.view.inside(part, **{field: chosen})


def tokens_of(view: CostView) -> int:
    """How many tokens there are in what somebody has. Raises `InputError`."""
    if view.source == "image":
        return view.image.tokens().count
    if view.source == "text":
        return max(1, text_tokens(view.text))
    return view.objects if view.source == "scene" else view.number


@lru_cache(maxsize=64)
def text_tokens(text: str) -> int:
    """The sample model's own tokens of a text, [CLS] and [SEP] included. Raises `InputError` where it is not installed."""
    model = _sample_model()
    with model.running():
        return len(model.tokenizer(text)["input_ids"])


@lru_cache(maxsize=1)
def _sample_model() -> TextModel:
    return loading.load_text_model("minilm", device="cpu")


def settings_of(compared: Compared) -> Settings:
    """The kinds' settings that the page offers."""
    return Settings(
        window=compared.window, stride=compared.stride, block=compared.block, points=compared.points, random_keys=3
    )


@lru_cache(maxsize=20_000)
def priced(
    kind: str, tokens: int, layer: Layer, settings: Settings, skips: bool, grid: tuple[int, int] | None = None
) -> Price:
    """The price of a kind, remembered: curves ask for hundreds."""
    return price(kind, tokens, tokens, layer, settings, skips=skips, grid=grid)


def grid_of(view: CostView) -> tuple[int, int] | None:
    """Rows and columns where the tokens are those of an image."""
    if view.source != "image":
        return None
    found = view.image.tokens()
    return found.rows, found.columns
