"""What helps against rarity, judged by costs: two remedies in training, and a threshold for what each error costs."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m
from attnviz.models.turn import shipped, study
from attnviz.models.turn.shipped import Cell, Remedy
from attnviz.models.turn.study import Measured, Study
from attnviz.ui import panels, presenting
from attnviz.ui.intersection.driving import exposure, numbers
from attnviz.ui.intersection.driving.exposure import QUESTIONS
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.page import complain
from attnviz.ui.panels import Picture
from attnviz.ui.views.driving import Drive

NAMES: dict[Remedy, str] = {
    "none": _m("no remedy"),
    "oversampled": _m("oversampled: three of ten scenes in a batch have such a vehicle"),
    "weighted": _m("re-weighted: a conflict counts five times, corrected afterwards"),
}
PER = 1_000


def remedies(store: IntersectionStore) -> None:
    """Dots for each remedy, and cost curves with the threshold that is set above."""
    try:
        found = study.study()
    except InputError as error:
        complain(error)
        return
    drive = store.view.drive
    presenting.leave_out(_introduction, lambda: exposure.asked(store))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Run-outs seen in training"), shipped.REMEDIED, required=True,
            **store.widget("drive remedied", drive.remedied, lambda count: store.view.drive.but(remedied=count)),
        )  # fmt: skip
        st.select_slider(
            _("A miss costs as much as so many waits for nothing"), study.RATIOS, width=330,
            **store.widget("drive ratio", drive.ratio, lambda ratio: store.view.drive.but(ratio=ratio)),
        )  # fmt: skip
        st.segmented_control(
            _("Counted over"), [True, False], required=True,
            format_func=lambda near: _("scenes with such a vehicle") if near else _("all scenes"),
            **store.widget("drive counted", drive.counted_near, lambda near: store.view.drive.but(counted_near=near)),
        )  # fmt: skip
    numbers.threshold(store)
    panels.show(
        "intersection-remedies", {"costs": _costs(drive, found), "dots": _dots(drive, found)}, columns_min_width=520
    )
    st.caption(
        _(
            "Costs: in waits for nothing, of {per} scenes, over the threshold; thin: one "
            "seed each, thick: their median; upright line: the threshold that is set; dotted: the best one for "
            "calibrated probabilities, 1 / (1 + ratio). Dots: what is chosen above, at hazard 0.5. Fewer misses alone prove nothing: a car that always waits misses nobody.",
            per=grouped(PER),
        )
    )  # fmt: skip


def _introduction() -> None:
    st.markdown(
        _(
            "Where run-outs are rare, training can show them more often, or count them more. Neither brings new children: what was "
            "seen ten times is seen more often, not known better. Compare what an error costs, not misses alone."
        )
    )


def curves(drive: Drive, found: Study) -> dict[str, Float[np.ndarray, "seeds thresholds"]]:
    """The cost of every seed at every edge of the bins, for each remedy."""
    made = {}
    for remedy in shipped.REMEDIES:
        cell = Cell("ego", shipped.REMEDIED_HAZARD, drive.remedied, remedy)
        rows = [cost(one, drive.ratio, near=drive.counted_near) for one in found.of_cell(cell)]
        if rows:
            made[_(NAMES[remedy])] = np.stack(rows)
    return made


def cost(found: Measured, ratio: int, *, near: bool) -> Float[np.ndarray, " thresholds"]:
    """Of `PER` scenes at every threshold between two bins: ratio × misses + waits for nothing.

    Over all scenes, those with a vehicle near the way are one in a hundred (`study.NEAR_SHARE`).
    """
    shares = [_errors(found.log_odds[kind]) for kind in ("ordinary", "near")]
    weights = (0.0, 1.0) if near else (1 - study.NEAR_SHARE, study.NEAR_SHARE)
    total = sum(weight * (ratio * missed + waited) for weight, (missed, waited) in zip(weights, shares, strict=True))
    return PER * np.asarray(total)


def _errors(counts: "study.Counts") -> tuple[Float[np.ndarray, " thresholds"], Float[np.ndarray, " thresholds"]]:
    """At each inner edge of the bins: the share of all scenes that are missed, and that wait for nothing."""
    conflict, none = (np.asarray(side, dtype=np.float64) for side in counts)
    total = conflict.sum() + none.sum()
    return conflict.cumsum()[:-1] / total, (none.sum() - none.cumsum()[:-1]) / total


def _dots(drive: Drive, found: Study) -> Picture:
    question = QUESTIONS[drive.question]
    categories = [grouped(count) for count in shipped.REMEDIED]
    dots = {
        _(NAMES[remedy]): [
            [question.number(one) for one in found.of_cell(Cell("ego", shipped.REMEDIED_HAZARD, count, remedy))]
            for count in shipped.REMEDIED
        ]
        for remedy in shipped.REMEDIES
    }
    axis, factor = _(question.name), _("run-outs seen in training")
    truth = dict.fromkeys(dots, found.truth[shipped.REMEDIED_HAZARD]) if question.truth else None
    figure = figures.seed_dots(
        categories, dots, axis=axis, factor=factor, truth=truth, title=axis, even=exposure.even(found, question)
    )
    return Picture(
        figure, figures.describe_seed_dots(categories, dots, axis=axis, truth=truth),
        lambda: figures.table_seed_dots(categories, dots, axis=axis, factor=factor), int(figure.layout.height),
    )  # fmt: skip


def _costs(drive: Drive, found: Study) -> Picture:
    made = curves(drive, found)
    at = np.asarray(study.LOGIT_EDGES[1:-1])
    axis = _("cost of {per} scenes, in waits", per=grouped(PER))
    best = 1 / (1 + drive.ratio)
    figure = figures.cost_curve(
        at, made, chosen=drive.threshold, best=best, axis=axis, title=_("What the threshold costs")
    )
    return Picture(
        figure, figures.describe_cost_curve(at, made, chosen=drive.threshold, best=best),
        lambda: figures.table_cost_curve(at, made, axis=axis), int(figure.layout.height),
    )  # fmt: skip
