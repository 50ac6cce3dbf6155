"""Train a small one here: a model that learns in some seconds, and the parked vehicle's weight while it does."""

from collections.abc import Iterator

import streamlit as st

from attnviz import figures
from attnviz.base.language import _
from attnviz.training import turn_live
from attnviz.training.turn_live import Lesson, Plan
from attnviz.ui import going, panels
from attnviz.ui.intersection.driving import choices
from attnviz.ui.intersection.driving.choices import KINDS
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.panels import Picture
from attnviz.ui.views.driving import LIVE_RUNOUTS

_LESSON = "intersection:lesson"


def live(store: IntersectionStore) -> None:
    """Hazard, exposure, a button; progress that can be stopped; the lines as they grow."""
    drive = store.view.drive
    st.markdown(
        _(
            "A small model with few scenes and steps learns here, from nothing. It is told only whether a conflict followed; "
            "nobody tells it where to look."
        )
    )
    choices.kind(store)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            _("Hazard"), 0.05, 1.0, step=0.05, width=220,
            **store.widget("drive live hazard", drive.live_hazard, lambda number: store.view.drive.but(live_hazard=round(number, 2))),
        )  # fmt: skip
        st.select_slider(
            _("Run-outs seen in training"), LIVE_RUNOUTS, width=260,
            **store.widget("drive live runouts", drive.live_runouts, lambda count: store.view.drive.but(live_runouts=count)),
        )  # fmt: skip
        st.number_input(
            _("Seed"), 0, 999, width=110,
            **store.widget("drive live seed", drive.live_seed, lambda seed: store.view.drive.but(live_seed=int(seed))),
        )  # fmt: skip
        plan = Plan(drive.kind, drive.live_hazard, drive.live_runouts, drive.live_seed)
        if not going.is_going(plan):
            st.button(
                _("Train"),
                icon=":material/model_training:",
                type="primary",
                key="intersection:train",
                on_click=_begin,
                args=(plan,),
            )
    going.show(plan, _("Simulating and training …"), lambda: _drawn(plan, "intersection-growing"))
    with st.container():
        if not going.is_going(plan):
            _drawn(plan, "intersection-growth")


def _begin(plan: Plan) -> None:
    """Trains, or goes on where it was stopped: what is drawn is always the lesson whose steps are taken."""

    def fresh() -> Iterator[float]:
        lesson = st.session_state[_LESSON] = Lesson(plan)
        return lesson.run()

    going.begin(plan, fresh)


def _drawn(plan: Plan, key: str) -> None:
    """What the last training gave; another one is said to be another."""
    found: Lesson | None = st.session_state.get(_LESSON)
    with st.container():
        if found is None or not found.looks:
            return
        steps = [look.step for look in found.looks]
        series = {
            _("weight on the parked vehicle"): [look.weight for look in found.looks],
            _("probability with the vehicle"): [look.with_vehicle for look in found.looks],
            _("probability without the vehicle"): [look.without_vehicle for look in found.looks],
        }
        told = _(
            "{kind}, hazard {hazard}, {runouts} run-outs, seed {seed}",
            kind=_(KINDS[found.plan.kind]), hazard=f"{found.plan.hazard:g}", runouts=found.plan.runouts, seed=found.plan.seed,
        )  # fmt: skip
        figure = figures.growth(
            steps, series, last=turn_live.RECIPE.steps, level=(_("hazard"), found.plan.hazard), title=told
        )
        panels.show(
            key,
            {
                "growth": Picture(
                    figure,
                    figures.describe_growth(steps, series),
                    lambda: figures.table_growth(steps, series),
                    int(figure.layout.height),
                )
            },
        )
        if found.plan != plan:
            st.caption(_("The settings have changed since: press Train for a model with the new ones."))
