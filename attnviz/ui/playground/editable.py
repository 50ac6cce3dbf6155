"""Which matrices of a Playground view can be edited, and what a changed one means for the view."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attnviz.base.language import _
from attnviz.models.examples import Matrix
from attnviz.ui.views.playground import PlaygroundView, Projection


@dataclass(frozen=True)
class Editable:
    """One matrix: its identifier, what it is called, its rows' names, its numbers, and what a change does."""

    name: str
    title: str
    rows: tuple[str, ...]
    matrix: Matrix
    fields: Callable[[Matrix], dict[str, Any]]

    def with_number(self, row: int, column: int, number: float) -> dict[str, Any]:
        """The view's fields when one number becomes another."""
        rows = [list(vector) for vector in self.matrix]
        rows[row][column] = number
        return self.fields(tuple(map(tuple, rows)))


def editables(view: PlaygroundView) -> dict[str, Editable]:
    """The matrices of this view: query, key and value, or what they are made from."""
    listed = _vectors(view) if view.projection is None else _projection(view, view.projection)
    return {editable.name: editable for editable in listed}


def _vectors(view: PlaygroundView) -> list[Editable]:
    return [
        Editable("query", _("query"), view.query_tokens, view.query, lambda rows: {"query": rows}),
        Editable("key", _("key"), view.key_tokens, view.key, lambda rows: {"key": rows}),
        Editable("value", _("value"), view.key_tokens, view.value, lambda rows: {"value": rows}),
    ]


def _projection(view: PlaygroundView, projection: Projection) -> list[Editable]:
    head = view.head

    def change(**fields: Any) -> dict[str, Any]:
        return {"projection": Projection(**{**dict(projection), **fields})}

    def stack(name: str, title: str) -> Editable:
        matrices: tuple[Matrix, ...] = getattr(projection, name)
        rows = _numbered(_("feature {number}"), len(matrices[head]))
        return Editable(
            f"W_{name}",
            title,
            rows,
            matrices[head],
            lambda matrix: change(**{name: (*matrices[:head], matrix, *matrices[head + 1 :])}),
        )

    return [
        Editable("x", "x", view.query_tokens, projection.features, lambda rows: change(features=rows)),
        stack("query", "W_Q"),
        stack("key", "W_K"),
        stack("value", "W_V"),
        Editable(
            "W_output",
            "W_O",
            _numbered(_("component {number}"), len(projection.output)),
            projection.output,
            lambda rows: change(output=rows),
        ),
    ]


def _numbered(pattern: str, count: int) -> tuple[str, ...]:
    return tuple(pattern.format(number=number + 1) for number in range(count))
