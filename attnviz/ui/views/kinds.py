"""The Kinds page's state: what is looked at, by which two kinds of attention, and with which settings."""

import textwrap
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from attnviz.attention import kinds
from attnviz.attention.kinds import Settings
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.ui.address import View
from attnviz.ui.views.kinds_fewer import Fewer
from attnviz.ui.views.kinds_positions import Positions

Part = Literal["side", "positions", "fewer", "fused"]
Source = Literal["sentence", "picture", "scene"]

SENTENCE = "The cat ate because it was hungry."
MOST_TEXT = 200
MOST_TOKENS = 256
MOST_HEADS = 12
MOST_SAID = 40
MOST_SEED = 20
LENGTHS = (128, 256, 512, 1024, 2048, 4096)
"""How many positions the fused kernels are tried with."""
REDUCTIONS = (1, 2, 4, 8, 16)
"""Divisors of the width of every source."""
LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.1, 5.0

NATIVE_HEADS: dict[Source, int] = {"sentence": 12, "picture": 4, "scene": 2}
"""How many heads the queries and keys of each source come in."""
LAYERS: dict[Source, int] = {"sentence": 6, "picture": 1, "scene": 2}
WIDTHS: dict[Source, int] = {"sentence": 384, "picture": 32, "scene": 32}
"""Numbers of a query, all heads together."""

Count = Annotated[int, Field(ge=1, le=16)]


class KindsView(View, frozen=True):
    """left, right: the two kinds. head: whose weights are drawn. query: whose row is followed.

    heads: 0 for as many as the vectors come in; other numbers cut the same vectors anew. The settings are those of
    `attnviz.attention.kinds.Settings`, by the same names. as_map: whether all weights are drawn as a matrix, or
    those of the query alone where they belong: between words, on the picture, on the street.
    length, causal_fused: what the fused kernels are tried with. positions: what is shuffled. fewer: how tokens become fewer.
    """

    page: Literal["kinds"] = "kinds"
    part: Part = "side"
    source: Source = "sentence"
    text: str = Field(default=SENTENCE, min_length=1, max_length=MOST_TEXT)
    layer: int = Field(default=0, ge=0, le=5)
    head: int = Field(default=0, ge=0, lt=MOST_HEADS)
    left: str = Field(default="self", max_length=30)
    right: str = Field(default="window", max_length=30)
    query: int = Field(default=5, ge=0, lt=MOST_TOKENS)
    as_map: bool = True
    heads: int = Field(default=0, ge=0, le=MOST_HEADS)
    kv_heads: int = Field(default=1, ge=1, le=MOST_HEADS)
    window: int = Field(default=2, ge=0, le=16)
    stride: Count = 3
    block: Count = 4
    global_tokens: int = Field(default=1, ge=0, le=8)
    random_keys: int = Field(default=1, ge=0, le=8)
    seed: int = Field(default=0, ge=0, le=MOST_SEED)
    temperature: float = Field(default=1.0, ge=LEAST_TEMPERATURE, le=MOST_TEMPERATURE)
    softcap: float = Field(default=3.0, ge=0.5, le=20.0)
    sink: float = Field(default=1.0, ge=-5.0, le=10.0)
    slope: float = Field(default=1.0, ge=0.0, le=4.0)
    lambda_: float = Field(default=0.5, ge=0.0, le=1.0)
    points: int = Field(default=4, ge=1, le=8)
    reduction: int = Field(default=4, ge=1, le=16)
    causal: bool = False
    length: int = 1024
    causal_fused: bool = False
    positions: Positions = Positions()
    fewer: Fewer = Fewer()

    @model_validator(mode="after")
    def _fits(self) -> "KindsView":
        known = [one.id for one in kinds.KINDS]
        for name in (self.left, self.right):
            if name not in known:
                raise InputError(
                    _m("There is no kind of attention called “{name}”; there are: {known}."),
                    name=name, known=", ".join(known),
                )  # fmt: skip
        if self.head_count not in self.possible_heads() or self.head >= self.head_count:
            raise InputError(_m("The view selects a head that it does not have."))
        if self.layer >= LAYERS[self.source]:
            raise InputError(_m("The view selects a layer that it does not have."))
        if self.head_count % self.kv_heads:
            raise InputError(
                _m("{kv_heads} key heads were asked for with {heads} query heads; a divisor was expected."),
                kv_heads=self.kv_heads, heads=self.head_count,
            )  # fmt: skip
        if self.reduction not in REDUCTIONS:
            raise InputError(
                _m("A reduction of {found} is not offered; there are: {known}."),
                found=self.reduction, known=", ".join(map(str, REDUCTIONS)),
            )  # fmt: skip
        if self.length not in LENGTHS:
            raise InputError(
                _m("{found} positions cannot be tried; there are: {known}."),
                found=self.length, known=", ".join(map(str, LENGTHS)),
            )  # fmt: skip
        return self

    @property
    def head_count(self) -> int:
        """How many heads there are."""
        return self.heads or NATIVE_HEADS[self.source]

    def possible_heads(self) -> tuple[int, ...]:
        """Into how many heads the vectors can be cut, each of at least four numbers."""
        return heads_of(self.source)

    def settings(self) -> Settings:
        """What the kinds are computed with."""
        names = Settings.__dataclass_fields__
        return Settings(**{name: getattr(self, name) for name in names} | {"heads": self.head_count})

    def with_source(self, source: Source) -> dict[str, Any]:
        """The fields that change when something else is looked at."""
        start = KindsView()
        fields: dict[str, Any] = {"source": source, "heads": 0, "kv_heads": 1, "as_map": source == "sentence"}
        if source == "sentence":
            return fields | {"layer": start.layer, "head": start.head, "query": start.query}
        # The child behind the van; the ego.
        return fields | {"layer": 0, "head": 0, "query": CHILD if source == "picture" else 0}

    def with_heads(self, heads: int) -> dict[str, Any]:
        """The fields that change when the vectors are cut into so many heads."""
        shared = max(count for count in range(1, self.kv_heads + 1) if heads % count == 0)
        native = heads == NATIVE_HEADS[self.source]
        return {"heads": 0 if native else heads, "head": min(self.head, heads - 1), "kv_heads": shared}

    def summary(self) -> str:
        """The two kinds, and what they look at."""
        names = [_(kinds.kind(name).name) for name in (self.left, self.right)]
        looked = {
            "sentence": textwrap.shorten(self.text, MOST_SAID, placeholder=" …"),
            "picture": _("a picture"),
            "scene": _("a crossing"),
        }
        return " · ".join([" / ".join(names), looked[self.source]])


CHILD = 41
"""The patch of the picture that holds the child's coat, counted row by row from 0."""


def heads_of(source: Source) -> tuple[int, ...]:
    """The divisors of a source's width that leave a head at least four numbers, a multiple of four."""
    return tuple(count for count in range(1, MOST_HEADS + 1) if WIDTHS[source] % (4 * count) == 0)
