"""A whole simulated scene asked three questions about each object: does it matter, does it decide, is it looked at?"""

import functools

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Bool, Float

from attnviz.base.language import _
from attnviz.safety.influence import OCTANTS, Octant, octants
from attnviz.scenes.simulator.cast import OBJECTS
from attnviz.scenes.simulator.drawing import draw
from attnviz.scenes.simulator.later import later
from attnviz.scenes.simulator.outcome import relevance
from attnviz.ui.intersection.driving.compute import RISK_EVERY, SCENES_SEED, labels, played, weights_of, whole
from attnviz.ui.views.driving import Drive
from attnviz.ui.views.street import EGO

LEAST_EFFECT = 0.5
"""Log-odds from which on, either way, an object is said to have an effect."""


def table(drive: Drive) -> pd.DataFrame:
    """One row for each octant: how many objects at moments are in it, and the first of them. An object is looked at
    from an even share 1/N of the weight on."""
    found = whole(drive.scene, near=drive.near, child=drive.child, name=drive.name)
    every = round(RISK_EVERY / (found.times[1] - found.times[0]))
    times = found.times[::every]
    ids = [name for name in found.found.ids if name != EGO]
    places = [found.found.ids.index(name) for name in ids]
    relevant = relevant_over(drive.scene, tuple(times.tolist()), near=drive.near, child=drive.child)
    weights = weights_of(found.found, drive)[::every]
    shares = weights * found.present[::every].sum(dim=1, keepdim=True)
    made = octants(
        relevant[:, [OBJECTS.index(name) for name in ids]], found.found.effect[::every][:, places], shares[:, places],
        least_effect=LEAST_EFFECT, least_weight=1.0,
    )  # fmt: skip
    called = labels(drive, played(drive.scene, near=drive.near, child=drive.child))
    names = [called.get(name, name) for name in ids]
    return pd.DataFrame([_row(one, made[one], times, names) for one in reversed(OCTANTS)])


def _row(
    octant: Octant, inside: Bool[torch.Tensor, "times objects"], times: Float[np.ndarray, " times"], names: list[str]
) -> dict[str, object]:
    where = inside.nonzero()
    first = (
        "" if not len(where) else _("{name}, {t} s", name=names[int(where[0, 1])], t=f"{times[int(where[0, 0])]:.1f}")
    )
    return {
        _("in truth"): _("matters") if octant.relevant else _("does not matter"),
        _("for the decision"): _("has an effect") if octant.effect else _("hardly any effect"),
        _("weight"): _("an even share or more") if octant.weight else _("less than an even share"),
        _("objects × moments"): len(where),
        _("the first of them"): first,
    }


@functools.lru_cache(maxsize=32)
def relevant_over(
    number: int, times: tuple[float, ...], *, near: bool, child: bool
) -> Bool[torch.Tensor, "times objects"]:
    """Whether each object matters to what happens from each moment on (`Relevance.relevant`)."""
    count = len(times)
    cast = draw(
        SCENES_SEED, torch.full((count,), number), near=torch.full((count,), near), hazard=float(child)
    )  # fmt: skip
    return relevance(later(cast, torch.tensor(times, dtype=torch.float64))).relevant


def questions(drive: Drive) -> None:
    """The table and what to look for in it."""
    st.subheader(_("Three questions about each object"))
    st.dataframe(table(drive), hide_index=True, key="intersection:octants")
    st.caption(
        _(
            "Over the whole scene, twice a second, for every object that is a token. It matters in truth if without it the outcome "
            "is another, or if it is enough for a conflict alone; it has an effect from {effect} log-odds on. What matters "
            "and has hardly any effect is the danger, whatever its weight; an effect without weight, or a weight without "
            "effect, shows that a weight is not a reason.",
            effect=f"{LEAST_EFFECT:g}",
        )
    )  # fmt: skip
