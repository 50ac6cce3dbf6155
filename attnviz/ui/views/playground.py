"""The Playground's state: vectors, tokens and switches."""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models.examples import EXAMPLES, Matrix
from attnviz.ui.address import View

MOST_TOKENS = 16
MOST_DIMENSIONS = 16

Part = Literal["query", "key", "value"]
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

    @model_validator(mode="after")
    def _fits(self) -> Self:
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
    example: str = Field("seed-0", max_length=40)
    query_tokens: Labels
    key_tokens: Labels
    query: Rows
    key: Rows
    value: Rows
    cross: bool = False
    scale: bool = True
    temperature: float = Field(1.0, ge=0.05, le=10.0)
    causal: bool = False
    heads: int = Field(1, ge=1, le=MOST_DIMENSIONS)
    head: int = Field(0, ge=0, lt=MOST_DIMENSIONS)
    selected: int = Field(0, ge=0, lt=MOST_TOKENS)
    part: Part = "query"
    row: int = Field(0, ge=0, lt=MOST_TOKENS)
    limit: float = Field(4.0, gt=0, le=1e6)
    projection: Projection | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        queries, keys, dimensions = len(self.query), len(self.key), len(self.query[0])
        _rectangle(_("query"), self.query, len(self.query_tokens), dimensions)
        _rectangle(_("key"), self.key, len(self.key_tokens), dimensions)
        _rectangle(_("value"), self.value, keys, len(self.value[0]))
        if not self.cross and queries != keys:
            raise InputError(
                _m("Self-attention was asked for with {queries} queries and {keys} keys; as many of each were expected."),
                queries=queries,
                keys=keys,
            )
        if self.heads not in self.possible_heads():
            raise InputError(
                _m("{heads} heads were asked for; a divisor of {dimensions} and of {values} dimensions was expected."),
                heads=self.heads,
                dimensions=dimensions,
                values=len(self.value[0]),
            )
        if self.head >= self.heads or self.selected >= queries or self.row >= len(getattr(self, self.part)):
            raise InputError(_m("The view selects a head or a token that it does not have."))
        if self.projection and (self.cross or len(self.projection.features) != queries):
            raise InputError(_m("The view has features for other tokens than its own."))
        return self

    @classmethod
    def start(cls, example: str = "seed-0") -> Self:
        """The view that an example begins with."""
        made = EXAMPLES[example][1]()
        return cls(
            example=example,
            query_tokens=made.query_tokens,
            key_tokens=made.key_tokens,
            query=made.query,
            key=made.key,
            value=made.value,
            cross=made.cross,
            scale=made.scale,
            limit=made.limit,
        )

    def possible_heads(self) -> tuple[int, ...]:
        """How many heads d and v can be split into."""
        common = math.gcd(len(self.query[0]), len(self.value[0]))
        return tuple(count for count in range(1, common + 1) if common % count == 0)

    def with_component(self, part: Part, row: int, column: int, number: float) -> dict[str, Matrix]:
        """The fields that change when one number of one vector does."""
        rows = [list(vector) for vector in getattr(self, part)]
        rows[row][column] = number
        return {part: tuple(map(tuple, rows))}

    def with_token(self, label: str, side: Literal["both", "query", "key"]) -> dict[str, Any]:
        """The fields that change when a token is added; its vectors are zero."""
        changed: dict[str, Any] = {}
        if side in ("both", "query"):
            changed["query_tokens"] = (*self.query_tokens, label)
            changed["query"] = (*self.query, (0.0,) * len(self.query[0]))
        if side in ("both", "key"):
            changed["key_tokens"] = (*self.key_tokens, label)
            changed["key"] = (*self.key, (0.0,) * len(self.key[0]))
            changed["value"] = (*self.value, (0.0,) * len(self.value[0]))
        return changed

    def without_token(self, side: Literal["both", "query", "key"]) -> dict[str, Any]:
        """The fields that change when the last token is removed."""
        changed: dict[str, Any] = {"selected": self.selected, "row": 0}
        if side in ("both", "query"):
            changed |= {"query_tokens": self.query_tokens[:-1], "query": self.query[:-1]}
            changed["selected"] = min(self.selected, len(self.query) - 2)
        if side in ("both", "key"):
            changed |= {"key_tokens": self.key_tokens[:-1], "key": self.key[:-1], "value": self.value[:-1]}
        return changed

    def with_dimensions(self, count: int, kind: Literal["query and key", "value"]) -> dict[str, Any]:
        """The fields that change when vectors get or lose dimensions; new ones are zero."""
        parts = ("query", "key") if kind == "query and key" else ("value",)
        changed: dict[str, Any] = {"heads": 1, "head": 0}
        for part in parts:
            changed[part] = tuple((*vector, *(0.0,) * count)[:count] for vector in getattr(self, part))
        return changed


def _rectangle(name: str, matrix: Matrix, rows: int, columns: int) -> None:
    if len(matrix) != rows:
        raise InputError(
            _m("“{name}” has {found} rows; {expected} were expected."), name=name, found=len(matrix), expected=rows
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
