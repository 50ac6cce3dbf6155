"""The Intersection page with a model that learnt: the street, the study, what helps, and a training to watch."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.scenes.simulator.outcome import HORIZON, MARGIN
from attnviz.ui import presenting
from attnviz.ui.intersection.driving import (
    choices,
    exposure,
    live,
    numbers,
    octants,
    over_time,
    own,
    phantoms,
    remedies,
)
from attnviz.ui.intersection.driving.compute import judge
from attnviz.ui.intersection.driving.street import street
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.page import complain, let_paint

T = TypeVar("T")

PARTS = {
    "street": _m("One street"),
    "study": _m("How often must it have seen it?"),
    "remedies": _m("What helps?"),
    "live": _m("Train one yourself"),
}


def driving(store: IntersectionStore) -> None:
    """Choose a part; a model that is chosen in one of them is the model in all."""
    drive = store.view.drive
    presenting.leave_out(lambda: _part(store))
    parts = {"street": _street, "study": exposure.exposure, "remedies": remedies.remedies, "live": live.live}
    with st.container(key=f"intersection-part-{drive.part}"):
        parts[drive.part](store)


def _part(store: IntersectionStore) -> None:
    st.segmented_control(
        _("What to look at"), list(PARTS), required=True, format_func=lambda part: _(PARTS[part]),
        **store.widget("drive part", store.view.drive.part, lambda part: store.view.drive.but(part=part)),
    )  # fmt: skip


def _street(store: IntersectionStore) -> None:
    """A model and a street, the lines and the decision, what each object does to it."""
    judged = tried(store, lambda: judge(store.view.drive))
    drive = store.view.drive
    above = st.container()
    left, right = st.columns([2, 1], gap="medium")
    made = (tried(store, lambda: phantoms.found(drive)) or []) if judged else []
    with left:
        street(store, judged, phantoms.drawn(made, judged) if judged else [], presented=presenting.is_on())
    let_paint()
    with right:
        if judged:
            numbers.decision(drive, judged)
            numbers.controls(store)
            numbers.meaning(drive, judged)
    with above:
        presenting.leave_out(
            lambda: choices.model(store),
            lambda: own.upload(store),
            lambda: choices.scene(store),
            lambda: phantoms.switch(store),
        )
        if presenting.is_on():
            choices.layer_and_head(store)
        complain(store.complaint)
    with left:
        with st.container():
            if drive.moving:
                over_time.clock(store)
            else:
                over_time.stop()
        st.caption(_learnt(drive.moving))
    with st.container():
        if judged:
            phantoms.table(drive, made, judged)
    with st.container():
        if judged and drive.moving:
            try:
                over_time.over_time(store)
            except InputError as error:
                complain(error)
    if judged:
        presenting.leave_out(lambda: numbers.effects(drive, judged))
    with st.container():
        if judged and drive.moving:
            try:
                presenting.leave_out(lambda: octants.questions(drive))
            except InputError as error:
                complain(error)


def tried(store: IntersectionStore, make: Callable[[], T]) -> T | None:
    """What this makes; None, and a complaint, where it cannot: a model of one's own may be gone at any moment."""
    try:
        return make()
    except InputError as error:
        store.complaint = error
        return None


def _learnt(moving: bool) -> str:
    said = [
        _(
            "Learnt weights: a small model trained on simulated scenes, told only whether a conflict followed. It knows this "
            "junction alone and says nothing about real cars. A weight is not a reason: its effect stands beside it."
        ),
        _(
            "A conflict: somebody comes closer than {metres} m to the ego within {seconds} s if it goes on.",
            metres=f"{MARGIN:g}", seconds=f"{HORIZON:g}",
        ),
    ]  # fmt: skip
    if not moving:
        said.append(
            _(
                "Everybody goes on straight ahead at the speed that is set, the ego on its way into the arm on its right."
            )
        )
    return " ".join(said)
