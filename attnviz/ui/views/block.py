"""The Block page's state: whose vector is followed through which layers, which stack is drawn, and how far a mask reaches."""

import textwrap
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.trace import Trace
from attnviz.ui.views.source import SourceView

MOST_SAID = 50
MOST_LAYERS = 1_000
MOST_TOKEN = 100_000

Part = Literal["follow", "norm", "reach"]
Off = Literal["none", "attention", "cross-attention", "feed-forward"]
Kind = Literal["window", "dilated", "blocks", "shifted", "strided", "fixed", "global", "full", "convolution"]


class Stack(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """An untrained stack of blocks. depth: layers; width: numbers in a vector. place: whose shares are drawn."""

    depth: int = Field(default=12, ge=1, le=48)
    width: Literal[32, 64, 128] = 64
    seed: int = Field(default=0, ge=0, le=9999)
    place: Literal["before", "after", "none"] = "before"

    def but(self, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of mine do."""
        return {"stack": Stack(**{**dict(self), **fields})}


class Depth(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """How far stacked layers reach. one: the position that asks; other: the one that it should come to know of.

    window: positions on each side; block: positions in one; stride: of the strided and the fixed pattern;
    dilation: positions between two that are looked at; tokens: how many global ones; random_keys: more of them for each query; causal: nobody looks ahead.
    """

    kind: Kind = "window"
    positions: int = Field(default=64, ge=8, le=256)
    depth: int = Field(default=12, ge=1, le=32)
    window: int = Field(default=4, ge=1, le=64)
    block: int = Field(default=8, ge=2, le=64)
    stride: int = Field(default=8, ge=2, le=64)
    dilation: int = Field(default=4, ge=1, le=32)
    tokens: int = Field(default=1, ge=1, le=8)
    random_keys: int = Field(default=0, ge=0, le=8)
    causal: bool = False
    one: int = Field(default=32, ge=0, le=255)
    other: int = Field(default=0, ge=0, le=255)

    @model_validator(mode="after")
    def _fits(self) -> "Depth":
        if max(self.one, self.other) >= self.positions:
            raise InputError(
                _m("There are {count} positions, counted from 0; position {found} was asked for."),
                count=self.positions,
                found=max(self.one, self.other),
            )
        return self

    def but(self, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of mine do; a position that is gone is the last one."""
        changed = {**dict(self), **fields}
        last = int(changed["positions"]) - 1
        return {"reach": Depth(**changed | {name: min(int(changed[name]), last) for name in ("one", "other")})}


class BlockView(SourceView, frozen=True):
    """part: what of the page is open. token: whose vector is followed; stream: through the encoder's or
    the decoder's layers, where a model has both; layer: which layer is looked into.

    off: which part of that layer is switched off. stack, reach: what the other two parts of the page show.
    """

    page: Literal["block"] = "block"
    part: Part = "follow"
    stream: int = Field(default=0, ge=0, le=7)
    token: int = Field(default=3, ge=0, le=MOST_TOKEN)
    layer: int = Field(default=0, ge=0, le=MOST_LAYERS)
    off: Off = "none"
    stack: Stack = Stack()
    reach: Depth = Depth()

    @classmethod
    def start(cls) -> "BlockView":
        """A token in the middle of the sentence, in the first layer because it is the first."""
        return cls()

    def beginning(self, trace: Trace | None) -> dict[str, Any]:  # noqa: ARG002 - the same for every model
        """The first layer, with nothing switched off."""
        return {"stream": 0, "token": 1, "layer": 0, "off": "none"}

    def other_text(self) -> dict[str, Any]:
        """Other tokens: the first that is no special one."""
        return {"token": 1}

    def summary(self) -> str:
        """What part is open, and of what."""
        if self.part == "reach":
            return _("reach over {depth} layers", depth=self.reach.depth)
        if self.part == "norm":
            return _("norm before or after, {depth} layers", depth=self.stack.depth)
        beginning = textwrap.shorten(self.text, MOST_SAID, placeholder=" …")
        return f"{self.model} · {_('Layer {layer}', layer=self.layer)} · {beginning}"
