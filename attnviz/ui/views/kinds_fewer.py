"""How the Kinds page makes tokens fewer: of a picture or of a street, by which method, and how many are kept."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Method = Literal["pool", "merge", "crop"]
METHODS: tuple[Method, ...] = ("pool", "merge", "crop")
ROWS, COLUMNS = 8, 12
"""Of the picture's patches."""
PATCHES = ROWS * COLUMNS
USERS = 13
"""How many road users of the street the ego sees, itself among them."""
HEADS = 2

Row = Annotated[int, Field(ge=0, le=ROWS)]
Column = Annotated[int, Field(ge=0, le=COLUMNS)]


class Fewer(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """side: of a pooled block, in patches. keep: how many patches are left by merging. rows, columns: which are seen,
    from one edge to the other. cell: of the ground, metres. users: how many tokens merging leaves of the street.
    radius: how far the ego sees, metres. head: whose weights are shown.
    """

    source: Literal["picture", "scene"] = "scene"
    method: Method = "merge"
    side: int = Field(default=2, ge=1, le=8)
    keep: int = Field(default=24, ge=1, le=PATCHES)
    rows: tuple[Row, Row] = (2, 8)
    columns: tuple[Column, Column] = (6, 12)
    cell: float = Field(default=8.0, ge=1, le=40)
    users: int = Field(default=8, ge=2, le=USERS)
    radius: float = Field(default=18.0, ge=5, le=60)
    head: int = Field(default=0, ge=0, lt=HEADS)

    @model_validator(mode="after")
    def _fits(self) -> "Fewer":
        if self.rows[0] >= self.rows[1] or self.columns[0] >= self.columns[1]:
            raise InputError(_m("A view of the picture has at least one row and one column of patches."))
        return self

    def but(self, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of mine do."""
        return {"fewer": Fewer(**{**dict(self), **fields})}
