"""The Playground's state: vectors, tokens and switches."""

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch
from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures.numerals import numbers_text
from attnviz.models.examples import EXAMPLES, Matrix
from attnviz.ui.address import View

MOST_TOKENS = 16
MOST_DIMENSIONS = 16
LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.1, 5.0
MOST_SAID = 4
"""Numbers of a vector that are read at a glance."""

Side = Literal["both", "query", "key"]
Vectors = Literal["query and key", "value"]
PARTS = ("query", "key", "value")
PROJECTION_PARTS = ("x", "W_query", "W_key", "W_value", "W_output")

Part = Literal["query", "key", "value", "x", "W_query", "W_key", "W_value", "W_output"]
Number = Annotated[float, Field(ge=-1e6, le=1e6)]
Row = Annotated[tuple[Number, ...], Field(min_length=1, max_length=MOST_DIMENSIONS)]
Rows = Annotated[tuple[Row, ...], Field(min_length=1, max_length=MOST_TOKENS)]
Label = Annotated[str, Field(max_length=60)]
Labels = Annotated[tuple[Label, ...], Field(min_length=1, max_length=MOST_TOKENS)]
Stack = Annotated[tuple[Rows, ...], Field(min_length=1, max_length=MOST_DIMENSIONS)]


class Projection(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """One step further back: features x (n × model) and the matrices that make vectors of them."""

    features: Rows
    query: Stack
    key: Stack
    value: Stack
    output: Rows

    @classmethod
    def start(cls, tokens: int, model: int = 4, heads: int = 2, dimensions: int = 2) -> "Projection":
        """Features and matrices drawn from torch's generator with seed 0; W_O begins as the identity."""
        draw = torch.Generator().manual_seed(0)
        shape = (heads, model, dimensions)
        features = torch.randn(tokens, model, generator=draw)
        query, key, value = (torch.randn(shape, generator=draw) / math.sqrt(model) for _name in range(3))
        return cls.model_validate(
            {
                "features": _rounded(features),
                "query": tuple(map(_rounded, query)),
                "key": tuple(map(_rounded, key)),
                "value": tuple(map(_rounded, value)),
                "output": _rounded(torch.eye(heads * dimensions, model)),
            }
        )

    def with_features(self, features: Matrix) -> "Projection":
        """The same projections of other features."""
        return type(self).model_validate({**dict(self), "features": features})

    @model_validator(mode="after")
    def _fits(self) -> "Projection":
        model, heads = len(self.features[0]), len(self.query)
        _rectangle("x", self.features, len(self.features), model)
        for name, stack in (("W_Q", self.query), ("W_K", self.key), ("W_V", self.value)):
            if len(stack) != heads:
                raise InputError(
                    _m("{name} has matrices for {found} heads; {expected} were expected."),
                    name=name,
                    found=len(stack),
                    expected=heads,
                )
            for matrix in stack:
                _rectangle(name, matrix, model, len(stack[0][0]))
        if len(self.query[0][0]) != len(self.key[0][0]):
            raise InputError(
                _m("W_Q makes queries of {found} dimensions, W_K keys of {expected}; the same was expected."),
                found=len(self.query[0][0]),
                expected=len(self.key[0][0]),
            )
        _rectangle("W_O", self.output, heads * len(self.value[0][0]), len(self.output[0]))
        return self


class PlaygroundView(View, frozen=True):
    """`query` is n × d, `key` m × d, `value` m × v; heads divide d and v."""

    page: Literal["playground"] = "playground"
    example: str = Field(default="seed-0", max_length=40)
    query_tokens: Labels
    key_tokens: Labels
    query: Rows
    key: Rows
    value: Rows
    cross: bool = False
    scale: bool = True
    temperature: float = Field(default=1.0, ge=LEAST_TEMPERATURE, le=MOST_TEMPERATURE)
    causal: bool = False
    heads: int = Field(default=1, ge=1, le=MOST_DIMENSIONS)
    head: int = Field(default=0, ge=0, lt=MOST_DIMENSIONS)
    selected: int = Field(default=0, ge=0, lt=MOST_TOKENS)
    part: Part = "query"
    row: int = Field(default=0, ge=0, lt=MOST_TOKENS)
    limit: float = Field(default=4.0, gt=0, le=1e6)
    projection: Projection | None = None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: Any) -> Any:
        """What names an example and leaves out all vectors has those of the example, called by their names here."""
        vectors = {"query", "key", "value", "query_tokens", "key_tokens"}
        example = given.get("example") if isinstance(given, dict) else None
        if not isinstance(example, str) or example not in EXAMPLES or vectors & given.keys():
            return given
        made = EXAMPLES[example][1]()
        fields = (*vectors, "cross", "scale", "limit")
        return {**{name: getattr(made, name) for name in fields}, **given}

    @model_validator(mode="after")
    def _fits(self) -> "PlaygroundView":
        if self.example not in EXAMPLES:
            raise InputError(
                _m("There is no example “{name}”; there are: {known}."), name=self.example, known=", ".join(EXAMPLES)
            )
        queries, keys, dimensions = len(self.query), len(self.key), len(self.query[0])
        _rectangle(_("query"), self.query, len(self.query_tokens), dimensions)
        _rectangle(_("key"), self.key, len(self.key_tokens), dimensions)
        _rectangle(_("value"), self.value, keys, len(self.value[0]))
        if not self.cross and queries != keys:
            raise InputError(
                _m(
                    "Self-attention was asked for with {queries} queries and {keys} keys; as many of each were expected."
                ),
                queries=queries,
                keys=keys,
            )
        if self.projection is None and self.heads not in self.possible_heads():
            raise InputError(
                _m("{heads} heads were asked for; a divisor of {dimensions} and of {values} dimensions was expected."),
                heads=self.heads,
                dimensions=dimensions,
                values=len(self.value[0]),
            )
        if self.projection and (self.cross or len(self.projection.features) != queries):
            raise InputError(_m("The view has features for other tokens than its own."))
        if self.projection and len(self.projection.query) != self.heads:
            raise InputError(_m("The view has projections for another number of heads than its own."))
        if self.head >= self.heads or self.selected >= queries or not self._has_row():
            raise InputError(_m("The view selects a head, a token or a vector that it does not have."))
        return self

    def _has_row(self) -> bool:
        if self.projection is None:
            return self.part in PARTS and self.row < len(getattr(self, self.part))
        sizes = {
            "x": len(self.projection.features),
            "W_output": len(self.projection.output),
            **dict.fromkeys(("W_query", "W_key", "W_value"), len(self.projection.features[0])),
        }
        return self.part in PROJECTION_PARTS and self.row < sizes[self.part]

    @classmethod
    def start(cls, example: str = "seed-0") -> "PlaygroundView":
        """The view that an example begins with."""
        return cls.model_validate({"example": example})

    def summary(self) -> str:
        """The example, the query that is selected, and what is done to its scores."""
        said = [_(EXAMPLES[self.example][0]), self.query_tokens[self.selected]]
        if self.projection is None and len(self.query[0]) <= MOST_SAID:
            said[-1] += f" ({numbers_text(self.query[self.selected])})"
        if not self.scale:
            said.append(_("not divided"))
        if self.temperature != 1:
            said.append(f"{_('Temperature')} {self.temperature:.2f}")
        if self.causal:
            said.append(_("Causal mask"))
        return " · ".join(said)

    def possible_heads(self) -> tuple[int, ...]:
        """How many heads d and v can be split into."""
        common = math.gcd(len(self.query[0]), len(self.value[0]))
        return tuple(count for count in range(1, common + 1) if common % count == 0)

    def with_tokens(self, count: int, side: Side, label: Callable[[int], str]) -> dict[str, Any]:
        """The fields that change when there are `count` tokens: new ones are zero, the last ones go first."""
        changed: dict[str, Any] = {"row": min(self.row, count - 1)} if self.projection is None else {"row": 0}
        if side != "key":
            changed["query_tokens"] = _resized(self.query_tokens, count, label)
            changed["query"] = _padded(self.query, count)
            changed["selected"] = min(self.selected, count - 1)
        if side != "query":
            changed["key_tokens"] = _resized(self.key_tokens, count, label)
            changed["key"] = _padded(self.key, count)
            changed["value"] = _padded(self.value, count)
        if self.projection:
            changed["projection"] = self.projection.with_features(_padded(self.projection.features, count))
        return changed

    def with_dimensions(self, count: int, kind: Vectors) -> dict[str, Any]:
        """The fields that change when vectors get or lose dimensions; new ones are zero."""
        parts = ("query", "key") if kind == "query and key" else ("value",)
        changed: dict[str, Any] = {"heads": 1, "head": 0}
        for part in parts:
            changed[part] = tuple((*vector, *(0.0,) * count)[:count] for vector in getattr(self, part))
        return changed


def _resized(labels: tuple[str, ...], count: int, label: Callable[[int], str]) -> tuple[str, ...]:
    return (*labels, *map(label, range(len(labels), count)))[:count]


def _padded(matrix: Matrix, count: int) -> Matrix:
    return (*matrix, *((0.0,) * len(matrix[0]) for _new in range(len(matrix), count)))[:count]


def _rounded(tensor: torch.Tensor) -> Matrix:
    # Two decimals: numbers that can be read aloud and checked by hand.
    return tuple(tuple(round(number, 2) for number in row) for row in tensor.tolist())


def _rectangle(name: str, matrix: Matrix, rows: int, columns: int) -> None:
    if len(matrix) != rows:
        raise InputError(
            _m("“{name}” has {found} rows; {expected} were expected."),
            name=name,
            found=len(matrix),
            expected=rows,
        )
    for index, row in enumerate(matrix):
        if len(row) != columns:
            raise InputError(
                _m("Row {row} of “{name}” has {found} numbers; {expected} were expected."),
                row=index,
                name=name,
                found=len(row),
                expected=columns,
            )
