"""Beside the street: the decision, each object's weight beside its effect, and what really happens."""

import math

import pandas as pd
import streamlit as st

from attnviz.base.language import _
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.ui.components import SliderGroup, SliderNumber, sliders
from attnviz.ui.intersection.driving.compute import Judged, played_truth, probability_of
from attnviz.ui.intersection.driving.street import chosen, hidden_ids
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.page import plain
from attnviz.ui.views.driving import FASTEST, Drive
from attnviz.ui.views.street import EGO


def decision(drive: Drive, judged: Judged) -> None:
    """The probability, and what the ego would do at the threshold."""
    waits = judged.probability >= drive.threshold
    st.metric(
        _("Conflict if the ego turns now, says the model"), f"{judged.probability:.3f}",
        _("log-odds {number}", number=signed_text(float(judged.found.log_odds[0]), 3)), delta_color="off", delta_arrow="off",
    )  # fmt: skip
    st.markdown(
        _("At the threshold {threshold} the ego **waits**.", threshold=f"{drive.threshold:g}")
        if waits
        else _("At the threshold {threshold} the ego **goes**.", threshold=f"{drive.threshold:g}")
    )


def controls(store: IntersectionStore) -> None:
    """The speeds of the ego and of whoever is chosen, and the threshold."""
    drive = store.view.drive
    speeds = []
    if not drive.moving:
        speeds.append(
            SliderNumber(
                "ego", _("ego car"), _("speed of the ego car"), drive.ego_speed, 0.0, FASTEST, 0.1, 0.0, FASTEST
            )
        )
        user = drive.user(drive.selected)
        if user is not None:
            spoken = _("speed of {name}", name=user.label())
            speeds.append(SliderNumber("user", user.label(), spoken, user.speed, 0.0, FASTEST, 0.1, 0.0, FASTEST))
    groups = [SliderGroup(_("Speed, m/s"), speeds)] if speeds else []
    groups.append(_threshold(drive))
    sliders(
        "intersection-speeds",
        groups,
        description=_("Speeds and threshold"),
        on_number=lambda name, value: moved(store, name, value),
    )


def threshold(store: IntersectionStore) -> None:
    """The threshold alone."""
    sliders(
        "intersection-threshold", [_threshold(store.view.drive)], description=_("Threshold"),
        on_number=lambda name, value: moved(store, name, value),
    )  # fmt: skip


def _threshold(drive: Drive) -> SliderGroup:
    number = SliderNumber("threshold", _("waits from"), _("threshold"), drive.threshold, 0.01, 0.99, 0.01, 0.001, 0.999)
    return SliderGroup(_("Probability from which on the ego waits"), [number])


def moved(store: IntersectionStore, name: str, value: float) -> None:
    """Change the view as a moved number wants it."""
    drive = store.view.drive
    user = drive.user(drive.selected)
    if name == "threshold":
        store.change(name, drive.but(threshold=value))
    elif name == "ego":
        store.change("ego speed", drive.but(ego_speed=value))
    elif user is not None:
        store.change(f"speed {user.id}", drive.but(users=drive.with_user(user.model_copy(update={"speed": value}))))


def meaning(drive: Drive, judged: Judged) -> None:
    """What the chosen object's weight says, beside what taking it away does."""
    name = chosen(drive, judged)
    with st.container():
        if name in hidden_ids(judged):
            st.info(
                _(
                    "**{name}** is hidden. It is no token: the model cannot look at it, and no weight, low or high, says "
                    "anything about it.", name=plain(judged.labels.get(name, name)),
                ), icon=":material/visibility_off:",
            )  # fmt: skip
        elif name in judged.found.ids and name != EGO:
            st.markdown(_sentence(drive, judged, name))


def _sentence(drive: Drive, judged: Judged, name: str) -> str:
    place = judged.found.ids.index(name)
    weight, count = judged.weights(drive)[name], judged.tokens
    without = float(judged.found.without[0, place])
    change = float(judged.found.effect[0, place])
    said = _(
        "**{name}** has the weight **{weight}**, {times} × the even share 1/{count}. Taken away everywhere, the "
        "probability is **{without}** instead of {probability}: {change} in log-odds.",
        name=plain(judged.labels[name]), weight=weight_text(weight), times=f"{weight * count:.3g}", count=count,
        without=f"{probability_of(without):.3f}", probability=f"{judged.probability:.3f}", change=signed_text(-change, 3),
    )  # fmt: skip
    if bool(judged.found.flips(drive.threshold)[0, place]):
        return said + " " + _("The decision would be another one.")
    return said + " " + _("The decision would stay.")


def table(drive: Drive, judged: Judged) -> pd.DataFrame:
    """One row for each token but the ego: weight, its multiple of an even share, and the decision without it."""
    weights, count = judged.weights(drive), judged.tokens
    flips = judged.found.flips(drive.threshold)[0]
    rows = []
    truth = (
        played_truth(drive.scene, near=drive.near, child=drive.child, t=_truth_time(drive)) if drive.moving else None
    )
    for place, name in enumerate(judged.found.ids):
        own = name == EGO
        without = float(judged.found.without[0, place])
        row = {
            _("object"): judged.labels.get(name, name),
            _("weight"): weights[name],
            _("× 1/N"): weights[name] * count,
            _("probability without it"): math.nan if own else probability_of(without),
            _("change of log-odds"): math.nan if own else without - float(judged.found.log_odds[0]),
            _("decision"): "" if own else _("another") if bool(flips[place]) else _("the same"),
        }
        if truth is not None:
            row[_("in truth")] = "" if own else _in_truth(name, truth)
        rows.append(row)
    return pd.DataFrame(rows)


def _truth_time(drive: Drive) -> float:
    return round(drive.t * 10) / 10


def _in_truth(name: str, truth: tuple[bool, dict[str, bool], dict[str, bool]]) -> str:
    conflict, without, alone = truth
    if without[name] != conflict:
        return _("decides")
    return _("would be enough alone") if alone[name] else _("changes nothing")


def effects(drive: Drive, judged: Judged) -> None:
    """The table, its captions, and what happens in truth."""
    shown = table(drive, judged)
    formats = {name: st.column_config.NumberColumn(format="%.4g") for name in shown.columns[1:5]}
    st.dataframe(shown, hide_index=True, column_config=formats, key="intersection:drive-effects", placeholder="—")
    said = _(
        "N counts every token, the ego and signs too. Without it: the object is taken away everywhere, so that nobody "
        "sees it; that is another question than its weight in one layer."
    )
    if drive.moving:
        conflict, _without, _alone = played_truth(drive.scene, near=drive.near, child=drive.child, t=_truth_time(drive))
        said += " " + _(
            "In truth: from now on the simulator runs the scene again without the object, and with it and the signs alone. A parked "
            "vehicle takes with it whoever would run out from behind it."
        )
        happens = (
            _("In truth there is a conflict if the ego goes on.")
            if conflict
            else _("In truth there is no conflict if the ego goes on.")
        )
        st.markdown(f"**{happens}**")
    st.caption(said)
