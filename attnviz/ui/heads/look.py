"""What of the trace is looked at: one attention, one head or a mean, the positions shown."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import Attention
from attnviz.attention.combine import combine, hide
from attnviz.figures.tile import Head, Tile, cut
from attnviz.tokens import Tokens
from attnviz.trace import Trace
from attnviz.ui.views.heads import HeadsView

# A matrix of more tokens than this is drawn on a canvas, cell by cell from bytes.
MOST_IN_FIGURE = 128
# Rows worked out together, so that no n × n is held.
ROWS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Look:
    """One head of one attention as the view shows it. `rows` and `columns` are the positions shown."""

    attention: Attention
    head: Head
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    renormalise: bool
    query: int | None
    key: int | None

    @property
    def queries(self) -> Tokens:
        return self.attention.query_tokens

    @property
    def keys(self) -> Tokens:
        return self.attention.key_tokens

    @property
    def is_small(self) -> bool:
        """Whether a figure shows it; larger ones need a canvas."""
        return max(len(self.rows), len(self.columns)) <= MOST_IN_FIGURE

    @property
    def hides(self) -> bool:
        """Whether keys are left out that hold mass."""
        return len(self.columns) < len(self.keys.shown())

    def weights(self, rows: tuple[int, ...]) -> tuple[Float[Tensor, "n m"], Float[Tensor, " n"]]:
        """The weights of these queries on the keys shown, and the mass on those hidden."""
        one = self.head if isinstance(self.head, int) else None
        whole = self.attention.weights(one, rows=rows)
        if one is None:
            whole = combine(whole, "mean" if self.head == "mean" else "maximum")
        return hide(whole, range(len(rows)), self.columns, renormalise=self.renormalise)

    def tile(self, rows: tuple[int, ...] | None = None) -> Tile:
        """Some or all of the rows shown, for the figures."""
        wanted = self.rows if rows is None else rows
        if not self.renormalise:
            return cut(self.attention, head=self.head, rows=wanted, cols=self.columns)
        shown, _hidden = self.weights(wanted)
        whole = cut(self.attention, head=self.head, rows=wanted, cols=self.columns)
        # The baseline of what is left: an even share of the keys shown.
        return replace(whole, weights=shown.cpu().numpy(), counts=whole.allowed.sum(-1))


def look(trace: Trace, view: HeadsView) -> Look:
    """What the view shows of the trace. Raises `InputError` where the trace has no such layer, head or token."""
    attention = trace.select(view.selection())
    rows = attention.query_tokens.shown(view.hide_special)
    columns = attention.key_tokens.shown(view.hide_special)
    return Look(
        attention=attention,
        head=view.head,
        rows=rows,
        columns=columns,
        renormalise=view.renormalise and view.hide_special,
        # A token that is hidden is not looked at.
        query=view.query if view.query in rows else None,
        key=view.key if view.key in columns else None,
    )


def mean_received(look: Look) -> Float[Tensor, " columns"]:
    """The mean weight that each key shown gets over the queries shown that have weights; in strips of rows."""
    total, count = torch.zeros(len(look.columns)), torch.zeros(len(look.columns))
    for start in range(0, len(look.rows), ROWS_AT_ONCE):
        shown, _hidden = look.weights(look.rows[start : start + ROWS_AT_ONCE])
        there = shown.isfinite()
        total += shown.where(there, 0).sum(0).cpu()
        count += there.sum(0).cpu()
    return total / count
