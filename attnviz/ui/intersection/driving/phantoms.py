"""The phantom probe: a child behind every occluder, on the street and as a table."""

import math

import pandas as pd
import streamlit as st
import torch

from attnviz.base.language import _
from attnviz.safety.probe import Probe, probes
from attnviz.scenes import SIZES
from attnviz.scenes.simulator.street import Street
from attnviz.scenes.simulator.tables import road
from attnviz.ui.components import SceneUser
from attnviz.ui.intersection.driving.compute import SCENE, Judged, model, moment, played, probability_of
from attnviz.ui.intersection.driving.street import PHANTOM
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.views.driving import Drive


def switch(store: IntersectionStore) -> None:
    """Whether children are put behind whoever can hide one."""
    st.toggle(
        _("Phantom probe: a child behind every occluder"),
        **store.widget("drive probe", store.view.drive.probe, lambda on: store.view.drive.but(probe=on)),
        help=_(
            "At the earliest moment at which a child that walks at 5 km/h and is hidden now could be in the ego's way. The model is "
            "asked when the child would first be seen, everybody going on as now."
        ),
    )  # fmt: skip


def found(drive: Drive) -> list[Probe]:
    """The probes of the moment that is shown; none where the switch is off."""
    if not drive.probe:
        return []
    scenes, t = moment(drive)
    return probes(model(drive.name), scenes, SCENE, t, way(drive))


def way(drive: Drive) -> torch.Tensor:
    """The ego's way as points: that of the simulated street, in a mirror for right-hand traffic."""
    if drive.moving:
        centre = played(drive.scene, near=drive.near, child=drive.child).road.lanes[0].centre
    else:
        centre = road(Street()).lanes[0].centre
        if drive.traffic == "right":
            centre = centre * [-1.0, 1.0]
    return torch.from_numpy(centre.copy())


def drawn(made: list[Probe], judged: Judged) -> list[SceneUser]:
    """The children where they would enter the ego's way."""
    size = SIZES["child"]
    return [
        SceneUser(
            id=f"{PHANTOM}{probe.occluder}", kind="child", x=round(probe.entry[0], 2), y=round(probe.entry[1], 2),
            heading=math.degrees(math.atan2(probe.entry[1] - probe.hiding[1], probe.entry[0] - probe.hiding[0])),
            length=size.length, width=size.width,
            label=_(
                "phantom: seen for {seconds} s, the model says {probability}",
                seconds=f"{probe.warning:.2f}", probability=f"{probability_of(probe.with_child):.3f}",
            ),
            said=_(
                "Phantom from behind {name}: in the way after {meeting} s, in view {warning} s before; the model then says {probability}.",
                name=judged.labels.get(probe.occluder, probe.occluder), meeting=f"{probe.meeting:.1f}",
                warning=f"{probe.warning:.2f}", probability=f"{probability_of(probe.with_child):.3f}",
            ),
        )
        for probe in made
    ]  # fmt: skip


def table(drive: Drive, made: list[Probe], judged: Judged) -> None:
    """One row for each occluder behind whom a child could be in time."""
    with st.container():
        if not drive.probe:
            return
        st.subheader(_("Phantom probe"))
        if not made:
            st.markdown(_("Behind nobody who is here could a hidden child be in the ego's way in time."))
            return
        limit = math.log(drive.threshold / (1 - drive.threshold))
        rows = [
            {
                _("hidden by"): judged.labels.get(probe.occluder, probe.occluder),
                _("in the way after, s"): probe.meeting,
                _("warning time, s"): probe.warning,
                _("probability, child in view"): probability_of(probe.with_child),
                _("probability without the child"): probability_of(probe.without_child),
                _("margin of the decision, log-odds"): probe.with_child - limit,
                _("the ego then"): _("waits") if probe.with_child >= limit else _("goes"),
            }
            for probe in made
        ]
        shown = pd.DataFrame(rows)
        formats = {name: st.column_config.NumberColumn(format="%.3f") for name in shown.columns[1:6]}
        st.dataframe(shown, hide_index=True, column_config=formats, key="intersection:probes")
        st.caption(
            _(
                "The shortest warning first. A margin below 0: the model lets the ego go although the child is in view. A warning "
                "time shorter than reaction and braking is nothing that a look could mend: only driving more slowly could."
            )
        )
