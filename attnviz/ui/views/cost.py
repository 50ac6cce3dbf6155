"""The state of the page Cost: what somebody has, the layer that is priced, and what is compared."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m, _n
from attnviz.cost.chips import chips
from attnviz.cost.layer import Layer
from attnviz.cost.price import PRICES
from attnviz.cost.tokens import ImageTokens, image_tokens
from attnviz.ui.address import View
from attnviz.ui.views.cost_detector import Detector
from attnviz.ui.views.cost_time import TimeBudget

MOST_TOKENS = 1_000_000
MOST_TEXT = 4_000
WIDTHS = (32, 64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192)
STRIDES = (4, 7, 8, 14, 16, 28, 32, 64)
KERNELS = (3, 5, 7, 9, 11)
SENTENCE = "The black cat crossed the street."

Source = Literal["image", "text", "scene", "number"]
Part = Literal["tokens", "convolution", "detector", "time", "fit"]
Measure = Literal["core", "attention", "block", "plain", "fused", "state"]


class Image(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """An image in pixels, cut into patches or seen through a feature map of this stride. extra: class and register tokens."""

    width: int = Field(default=640, ge=1, le=16_384)
    height: int = Field(default=640, ge=1, le=16_384)
    stride: int = Field(default=8, ge=1, le=256)
    padding: Literal["cut", "pad"] = "cut"
    extra: int = Field(default=0, ge=0, le=64)

    @model_validator(mode="after")
    def _fits(self) -> "Image":
        found = self.tokens().count
        if found > MOST_TOKENS:
            raise InputError(
                _m("The image has {found} tokens; at most {most} were expected."),
                found=grouped(found),
                most=grouped(MOST_TOKENS),
            )
        return self

    def tokens(self) -> ImageTokens:
        """Its tokens."""
        return image_tokens(self.width, self.height, self.stride, self.padding, self.extra)


class Priced(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """The layer that is priced, how many of it there are, and whether a kernel skips what a mask hides."""

    width: int = Field(default=256, ge=1, le=16_384)
    heads: int = Field(default=4, ge=1, le=256)
    kv_heads: int = Field(default=4, ge=1, le=256)
    layers: int = Field(default=1, ge=1, le=512)
    bytes: Literal[1, 2, 4] = 2
    causal: bool = False
    skips: bool = True

    @model_validator(mode="after")
    def _fits(self) -> "Priced":
        self.layer()
        return self

    def layer(self) -> Layer:
        """One layer of it, with the usual feed-forward part, four times as wide."""
        return Layer(self.width, self.heads, self.kv_heads, 4.0, self.bytes, self.causal)


class Compared(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Which kinds are drawn, what of them, on which axes, and their settings."""

    kinds: Annotated[tuple[str, ...], Field(max_length=19)] = ("self", "window", "linear", "deformable")
    measure: Measure = "core"
    log: bool = True
    window: int = Field(default=24, ge=1, le=4_096)
    stride: int = Field(default=32, ge=1, le=4_096)
    block: int = Field(default=49, ge=1, le=4_096)
    points: int = Field(default=16, ge=1, le=256)

    @model_validator(mode="after")
    def _fits(self) -> "Compared":
        for kind in self.kinds:
            if kind not in PRICES:
                raise InputError(
                    _m("There is no kind of attention “{name}”; there are: {known}."),
                    name=kind, known=", ".join(PRICES),
                )  # fmt: skip
        if len(set(self.kinds)) < len(self.kinds):
            raise InputError(_m("A kind of attention is named twice where one was expected."))
        return self


class Filtered(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Attention beside a convolution. distance: between two patches. row, column: the patch that asks."""

    kernel: Literal[3, 5, 7, 9, 11] = 3
    distance: int = Field(default=19, ge=1, le=200)
    row: int = Field(default=3, ge=0, le=7)
    column: int = Field(default=3, ge=0, le=7)
    log: bool = True


class Budget(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """What attention may cost: milliseconds on a chip at the least, billions of operations, or MiB.

    memory: held at once beyond inputs and output; cache: kept for the next query. projections: counted beside the core.
    """

    unit: Literal["time", "operations", "memory", "cache"] = "time"
    milliseconds: float = Field(default=0.5, ge=0.001, le=1000)
    gigaflop: float = Field(default=1.0, ge=0.001, le=1e6)
    mebibytes: float = Field(default=64.0, ge=0.01, le=1e6)
    chip: str = Field(default="orin", max_length=40)
    projections: bool = False

    @model_validator(mode="after")
    def _fits(self) -> "Budget":
        if self.chip not in chips():
            raise InputError(
                _m("No chip “{name}” is in the table; there are: {known}."), name=self.chip, known=", ".join(chips())
            )
        return self


class CostView(View, frozen=True):
    """source: what somebody has. image, text, objects, number: each as it was given."""

    page: Literal["cost"] = "cost"
    part: Part = "tokens"
    source: Source = "image"
    image: Image = Image()
    text: str = Field(default=SENTENCE, max_length=MOST_TEXT)
    objects: int = Field(default=24, ge=1, le=1_000)
    number: int = Field(default=1_000, ge=1, le=MOST_TOKENS)
    priced: Priced = Priced()
    compared: Compared = Compared()
    filtered: Filtered = Filtered()
    time: TimeBudget = TimeBudget()
    detector: Detector = Detector()
    budget: Budget = Budget()

    def inside(self, name: str, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of one of its parts do."""
        part = getattr(self, name)
        return {name: type(part)(**{**dict(part), **fields})}

    def summary(self) -> str:
        """What somebody has."""
        if self.source == "image":
            image = self.image
            return _(
                "{width} × {height} pixels, stride {stride}",
                width=image.width,
                height=image.height,
                stride=image.stride,
            )
        if self.source == "text":
            return self.text[:60]
        count = self.objects if self.source == "scene" else self.number
        return _n("{count} token", "{count} tokens", count)
