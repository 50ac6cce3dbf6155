"""A drawn picture with fewer tokens than patches: how it looks then, and what has become of the child."""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from attnviz import figures
from attnviz.attention import fewer
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _n
from attnviz.figures.patch_map import patch_name
from attnviz.ui import panels
from attnviz.ui.kinds import drawing
from attnviz.ui.panels import Picture
from attnviz.ui.views.kinds_fewer import COLUMNS, ROWS, Fewer

GRID = (ROWS, COLUMNS)
MOST_ROWS = 12
"""Of the table of what is lost."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What a method made of the picture. off: root mean square distance of each patch's colours, 1 from black to white.

    child: the share of each patch that shows the child. left: the same of the token that stands for it.
    """

    kept: fewer.Fewer
    off: Float[Tensor, " patches"]
    child: Float[Tensor, " patches"]
    left: Float[Tensor, " patches"]
    picture: UInt8[np.ndarray, "height width 3"]

    @property
    def shown(self) -> list[int]:
        """The patches that show something of the child."""
        return self.child.nonzero()[:, 0].tolist()

    @property
    def mixed(self) -> list[int]:
        """Those of them that share a token with a patch that shows nothing of it."""
        return [at for at in self.shown if any(self.child[other] == 0 for other in self.kept.company(at))]

    @property
    def gone(self) -> list[int]:
        """Those of them that have no token."""
        return [at for at in self.shown if self.kept.became[at] < 0]


def show(view: Fewer) -> None:
    """Before and after, a sentence, and the patches by what is lost."""
    found = seen(view.model_copy(update={"source": "picture"}))
    st.markdown(sentence(found))
    with st.container():
        warn(found)
    panels.show(
        "kinds-fewer-picture",
        {"before": _before(found), "after": _after(found)},
        columns_min_width=400,
    )
    st.markdown(_("**What is lost**, worst first"))
    table = lost(found)
    if len(table) > 0:
        st.dataframe(table.head(MOST_ROWS), hide_index=True, height="content")
    else:
        st.markdown(_("Nothing: every patch is what it was."))
    st.caption(
        _(
            "Each token is its patch's {numbers} colour values, less the picture's mean colour; nothing was learnt. “Off "
            "by” is the root mean square distance to the token that stands for it, in per cent of black to white.",
            numbers=drawing.PATCH**2 * 3,
        )
    )


@functools.cache
def _vectors() -> Float[Tensor, "patches numbers"]:
    """The colours of every patch, less the mean colour: otherwise all would point in the same direction."""
    pixels = torch.from_numpy(drawing.patches())
    return (pixels - pixels.mean((0, 1, 2))).flatten(1)


@functools.lru_cache(maxsize=128)
def seen(view: Fewer) -> Seen:
    """What the method makes of the picture."""
    vectors = _vectors()
    kept = _kept(view, vectors)
    off = fewer.moved(vectors, kept) / vectors.shape[1] ** 0.5
    shown = drawing.child().reshape(ROWS, drawing.PATCH, COLUMNS, drawing.PATCH).mean((1, 3))
    child = torch.from_numpy(shown.reshape(-1, 1))
    left = kept.stand_in(kept.mean(child))[:, 0]
    return Seen(kept, off, child[:, 0], left, _picture(kept))


def _kept(view: Fewer, vectors: Float[Tensor, "patches numbers"]) -> fewer.Fewer:
    if view.method == "pool":
        return fewer.in_blocks(ROWS, COLUMNS, view.side)
    if view.method == "merge":
        return fewer.similar(vectors, view.keep)
    place = torch.arange(ROWS * COLUMNS)
    row, column = place // COLUMNS, place % COLUMNS
    inside = (row >= view.rows[0]) & (row < view.rows[1]) & (column >= view.columns[0]) & (column < view.columns[1])
    return fewer.left_out(inside)


def _picture(kept: fewer.Fewer) -> UInt8[np.ndarray, "height width 3"]:
    """Every patch drawn as the token that stands for it."""
    pixels = torch.from_numpy(drawing.patches()).flatten(1)
    drawn = kept.stand_in(kept.mean(pixels)).nan_to_num(0.5).numpy()
    patches = drawn.reshape(ROWS, COLUMNS, drawing.PATCH, drawing.PATCH, 3).swapaxes(1, 2)
    picture = patches.reshape(ROWS * drawing.PATCH, COLUMNS * drawing.PATCH, 3)
    return np.asarray(np.round(picture * 255).astype(np.uint8))


def sentence(found: Seen) -> str:
    """How many tokens and pairs are left, and how much of the child its clearest token still shows."""
    patches, tokens = len(found.child), len(found.kept.sizes)
    clearest = int(found.child.argmax())
    said = _n(
        "**{patches}** patches have become **{count}** token, and {before} pairs {after}: {share} % of them.",
        "**{patches}** patches have become **{count}** tokens, and {before} pairs {after}: {share} % of them.",
        tokens, patches=patches, before=grouped(patches**2), after=grouped(tokens**2),
        share=f"{100 * tokens**2 / patches**2:.3g}",
    )  # fmt: skip
    if found.kept.became[clearest] < 0:
        return said
    child = _(
        "The patch that shows most of the child, {patch}, is **{was} %** child; its token **{now} %**.",
        patch=patch_name(clearest, GRID), was=f"{100 * float(found.child[clearest]):.0f}",
        now=f"{100 * float(found.left[clearest]):.0f}",
    )  # fmt: skip
    return f"{said} {child}"


def warn(found: Seen) -> None:
    """A person merged into anything, or cut off, is said in words."""
    if found.mixed:
        st.warning(
            _n(
                "{count} of the {all} patches with the child shares its token with patches that show nothing of it.",
                "{count} of the {all} patches with the child share their tokens with patches that show nothing of it.",
                len(found.mixed), all=len(found.shown),
            ),
            icon=":material/merge:",
        )  # fmt: skip
    if found.gone:
        st.warning(
            _n(
                "{count} of the {all} patches with the child has no token: it is outside the view.",
                "{count} of the {all} patches with the child have no token: they are outside the view.",
                len(found.gone), all=len(found.shown),
            ),
            icon=":material/crop:",
        )  # fmt: skip


def lost(found: Seen) -> pd.DataFrame:
    """One row for each patch that is not what it was, worst first: without a token, then by what they are off; the child first."""
    worst = found.off.nan_to_num(float("inf")).tolist()
    order = sorted(range(len(worst)), key=lambda at: (-worst[at], -float(found.child[at])))
    changed = [at for at in order if float(found.off[at]) != 0]
    return pd.DataFrame(
        {
            _("patch"): [patch_name(at, GRID) for at in changed],
            _("stands with"): [_company(found, at) for at in changed],
            _("off by, %"): [round(100 * float(found.off[at]), 1) for at in changed],
            _("child before, %"): [round(100 * float(found.child[at]), 1) for at in changed],
            _("child after, %"): [round(100 * float(found.left[at]), 1) for at in changed],
        }
    )


def _company(found: Seen, at: int) -> str:
    if found.kept.became[at] < 0:
        return _("no token")
    count = len(found.kept.company(at))
    return _n("{count} other", "{count} others", count)


def _told(found: Seen, at: int) -> str:
    if found.kept.became[at] < 0:
        return _("patch {patch}: no token", patch=patch_name(at, GRID))
    return _(
        "patch {patch}: one of {count}, off by {off} %",
        patch=patch_name(at, GRID), count=len(found.kept.company(at)) + 1, off=f"{100 * float(found.off[at]):.3g}",
    )  # fmt: skip


def _before(found: Seen) -> Picture:
    every = torch.arange(len(found.child))
    told = [
        _("patch {patch}: {share} % child", patch=patch_name(at, GRID), share=f"{100 * float(found.child[at]):.0f}")
        for at in every.tolist()
    ]
    figure = figures.merged_picture(
        drawing.picture(), GRID, every, told, framed=found.shown, title=_("Before"),
        subtitle=_("Framed: patches that show the child."),
    )  # fmt: skip
    return Picture(
        figure, figures.describe_merged_picture(every), lambda: figures.table_merged_picture(GRID, every),
        int(figure.layout.height),
    )  # fmt: skip


def _after(found: Seen) -> Picture:
    became = found.kept.became
    told = [_told(found, at) for at in range(len(became))]
    figure = figures.merged_picture(
        found.picture, GRID, became, told, framed=found.shown, title=_("After"),
        subtitle=_("Every patch as its token has it; lines between tokens."),
    )  # fmt: skip
    return Picture(
        figure, figures.describe_merged_picture(became), lambda: figures.table_merged_picture(GRID, became),
        int(figure.layout.height),
    )  # fmt: skip
