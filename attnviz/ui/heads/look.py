"""What of the trace is looked at: one attention, one head or a mean, the positions shown."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int8
from torch import Tensor

from attnviz.attention import Attention, Role
from attnviz.attention.combine import combine, hide
from attnviz.base.errors import InputError
from attnviz.base.language import _m
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
    """One head of one item of an attention as the view shows it. `rows` and `columns` are the positions shown."""

    attention: Attention
    head: Head
    item: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    renormalise: bool
    query: int | None
    key: int | None

    @property
    def queries(self) -> Tokens:
        return self.attention.query_tokens_of(self.item)

    @property
    def keys(self) -> Tokens:
        return self.attention.key_tokens_of(self.item)

    @property
    def is_small(self) -> bool:
        """Whether a figure shows it; larger ones need a canvas."""
        return max(len(self.rows), len(self.columns)) <= MOST_IN_FIGURE

    @property
    def hides(self) -> bool:
        """Whether keys are left out that hold mass."""
        return bool(self._hidden())

    def weights(self, rows: tuple[int, ...]) -> tuple[Float[Tensor, "n m"], Float[Tensor, " n"]]:
        """The weights of these queries on the keys shown, and the mass on those hidden; padding is not one of these."""
        whole = self._whole(rows)
        shown, _beside = hide(whole, range(len(rows)), self.columns, renormalise=self.renormalise)
        return shown, whole[:, self._hidden()].sum(-1)

    def _hidden(self) -> list[int]:
        columns = set(self.columns)
        return [position for position in self.keys.shown() if position not in columns]

    def _whole(self, rows: tuple[int, ...]) -> Float[Tensor, "n m"]:
        """These queries' weights on all keys, hidden or not."""
        one = self.head if isinstance(self.head, int) else None
        whole = self.attention.weights(one, self.item, rows=rows)
        return whole if one is not None else combine(whole, "mean" if self.head == "mean" else "maximum")

    def on_padding(self, rows: tuple[int, ...]) -> float | None:
        """The mean over these queries of what lies on padding; None where the keys have none."""
        padding = [position for position in range(len(self.keys)) if self.keys.is_padding(position)]
        if not padding:
            return None
        parts = [
            self._whole(rows[start : start + ROWS_AT_ONCE])[:, padding].sum(-1)
            for start in range(0, len(rows), ROWS_AT_ONCE)
        ]
        return float(torch.cat(parts).nanmean()) if parts else float("nan")

    def beyond(self) -> bool:
        """Whether some weight shown lies below 0 or above 1, as no share does."""
        starts = range(0, len(self.rows), ROWS_AT_ONCE)
        return not self.attention.normalised and any(
            self.tile(self.rows[start : start + ROWS_AT_ONCE]).beyond for start in starts
        )

    def states(self) -> Int8[Tensor, " rows"]:
        """Why a query shown has no weights; of several heads together, where none has any."""
        one = self.head if isinstance(self.head, int) else None
        found = self.attention.row_state(one, self.item)
        return (found if one is not None else found.amin(0))[list(self.rows)]

    def tile(self, rows: tuple[int, ...] | None = None) -> Tile:
        """Some or all of the rows shown, for the figures."""
        wanted = self.rows if rows is None else rows
        if not self.renormalise:
            return cut(self.attention, head=self.head, item=self.item, rows=wanted, cols=self.columns)
        shown, _hidden = self.weights(wanted)
        whole = cut(self.attention, head=self.head, item=self.item, rows=wanted, cols=self.columns)
        # The baseline of what is left: an even share of the keys shown.
        return replace(whole, weights=shown.cpu().numpy(), counts=whole.allowed.sum(-1))


def runs(trace: Trace, role: Role) -> list[list[Attention]]:
    """The attentions of a role, pass by pass: where a layer comes again, the model ran again."""
    found: list[list[Attention]] = []
    seen: dict[int, int] = {}
    for attention in trace.of_role(role):
        run = seen[attention.layer] = seen.get(attention.layer, -1) + 1
        found += [[]] * (run == len(found))
        found[run] = [*found[run], attention]
    return [sorted(run, key=lambda attention: attention.layer) for run in found]


def of_run(trace: Trace, role: Role, run: int) -> list[Attention]:
    """The layers of one run, in ascending order. Raises `InputError` where there is no such run."""
    found = runs(trace, role)
    if found and run >= len(found):
        raise InputError(
            _m("The trace has {count} runs; run {found} was asked for, counted from 0."), count=len(found), found=run
        )
    return found[run] if found else []


def look(trace: Trace, view: HeadsView) -> Look:
    """What the view shows of the trace. Raises `InputError` where the trace has no such layer, head or token."""
    attention = Trace(of_run(trace, view.role, view.run), origin=trace.origin).select(view.selection())
    rows = _shown(attention.query_tokens_of(view.item), view)
    columns = _shown(attention.key_tokens_of(view.item), view)
    return Look(
        attention=attention,
        head=view.head,
        item=view.item,
        rows=rows,
        columns=columns,
        renormalise=view.renormalise and view.hide_special,
        # A token that is hidden is not looked at.
        query=view.query if view.query in rows else None,
        key=view.key if view.key in columns else None,
    )


def _shown(tokens: Tokens, view: HeadsView) -> tuple[int, ...]:
    if not view.show_padding:
        return tokens.shown(view.hide_special)
    return tuple(
        position
        for position in range(len(tokens))
        if not (view.hide_special and tokens.is_special(position) and not tokens.is_padding(position))
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
