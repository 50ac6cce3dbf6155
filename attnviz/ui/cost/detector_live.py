"""The same counted again from the architecture's own file, where its package is installed."""

import pandas as pd
import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.cost import detector_live, detectors
from attnviz.cost.detector_live import Counted
from attnviz.ui.page import complain, is_public
from attnviz.ui.state import Store
from attnviz.ui.views.cost import CostView

_COUNTED = "cost:counted"


def live(store: Store[CostView]) -> None:
    """A button where the package is there, and what it gave beside the table's own numbers; else a sentence."""
    with st.expander(_("Count it again here"), icon=":material/calculate:"):
        if not detector_live.is_installed():
            st.markdown(
                _(
                    "With the package ultralytics installed beside attnviz, a button here builds the chosen network from its own file and "
                    "counts again. It is licensed under AGPL-3.0; attnviz does not bring it."
                )
            )
            return
        if is_public():
            st.markdown(_("Where others may connect, nothing is built here."))
            return
        chosen = store.view.detector
        width, height = chosen.given()
        name = f"{chosen.family}{chosen.scale}.yaml"
        st.button(
            _("Build {name} and count", name=name), icon=":material/calculate:", key="cost:count", on_click=_count,
            args=(name, height, width),
        )  # fmt: skip
        with st.container():
            _found(store, name, width, height)


def _count(name: str, height: int, width: int) -> None:
    try:
        st.session_state[_COUNTED] = (name, width, height, detector_live.count(name, height, width))
    except InputError as error:
        st.session_state[_COUNTED] = (name, width, height, error)


def _found(store: Store[CostView], name: str, width: int, height: int) -> None:
    kept = st.session_state.get(_COUNTED)
    if kept is None or kept[:3] != (name, width, height):
        return
    found: Counted | InputError = kept[3]
    complain(found if isinstance(found, InputError) else None)
    if isinstance(found, Counted):
        chosen = store.view.detector
        family = detectors.families()[chosen.family]
        st.table(_beside(found, family.attention, family.scales[chosen.scale], width, height))
        st.caption(_("Counted here with ultralytics {version}; the shipped table with 8.4.190.", version=found.version))


def _beside(found: Counted, layers: tuple[int, ...], scale: detectors.Scale, width: int, height: int) -> pd.DataFrame:
    table = detectors.shares(scale, width, height)
    positions = detectors.tokens(width, height)
    rows = [
        (_("softmaxes over positions"), f"{len(found.softmaxes)}", f"{scale.calls}"),
        (_("layers with attention"), ", ".join(map(str, found.layers)), ", ".join(map(str, layers))),
        (
            _("shape of each"),
            " · ".join(sorted({" × ".join(map(str, shape)) for shape in found.softmaxes})),
            f"1 × {scale.heads} × {positions} × {positions}",
        ),
        (_("parameters"), grouped(found.parameters), grouped(scale.parameters)),
        (_("of them attention"), grouped(found.attention_parameters), grouped(scale.attention_parameters)),
        (_("operations"), grouped(found.operations), grouped(table.operations)),
        (
            _("of them q kᵀ and weights × values"),
            grouped(found.core_operations),
            grouped(round(table.core * table.operations)),
        ),
    ]
    return pd.DataFrame(rows, columns=["", _("counted here"), _("shipped table")]).set_index("")
