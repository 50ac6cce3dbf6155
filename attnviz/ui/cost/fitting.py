"""What would make it fit: a budget, and every way to meet it, ranked by what it gives up."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from attnviz import figures
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m
from attnviz.base.memory import amount
from attnviz.cost import fit
from attnviz.cost.chips import chips
from attnviz.cost.fit import GIVES_UP, Loss, Need, Way, ways
from attnviz.cost.tokens import image_tokens
from attnviz.figures.magnitudes import count_text
from attnviz.ui import panels, presenting
from attnviz.ui.cost import given, names
from attnviz.ui.cost.store import CostStore, grid_of, tokens_of
from attnviz.ui.panels import Picture
from attnviz.ui.views.cost import Budget, CostView

UNITS = {
    "time": _m("Time on a chip"),
    "operations": _m("Operations"),
    "memory": _m("Memory at once"),
    "cache": _m("Cache"),
}
_LOSSES: Mapping[Loss, str] = {
    "nothing": _m("the same numbers"),
    "weights": _m("every pair, other weights"),
    "pairs": _m("fewer pairs"),
    "tokens": _m("fewer tokens"),
}
_WAYS = {
    "plain": _m("As it is, written out"),
    "fused": _m("As it is, fused"),
    "pooled keys": _m("Keys pooled"),
    "stride": _m("Larger patches"),
    "fewer tokens": _m("Fewer tokens"),
}
# Sliders over powers of ten, in steps that a hand can hit.
MILLISECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 33.3, 50.0, 100.0)
GIGAFLOP = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
MEBIBYTES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 4096.0, 16384.0)


def show(store: CostStore) -> None:
    """Choose an input and a budget; see what meets it, and what that gives up."""
    left, right = st.columns([1, 1], gap="large")
    with left:
        given.have(store)
        presenting.leave_out(lambda: given.layer(store, asks_for_skipping=False))
    with right:
        _budget(store)
        presenting.leave_out(lambda: st.markdown(given.tokens_sentence(store.view)))
        found = ways(_need(store.view), *_costing(store.view))
        st.markdown(_verdict(store.view, found))
    _picture(store.view, found)
    st.caption(
        _(
            "Each way at its mildest setting that meets the budget. In order: what meets it; what gives up nothing, then the "
            "softmax of every pair, then pairs, then tokens; then how many pairs are kept. The order is a convention, not a measurement "
            "of quality: all but “as it is” computes something else than before, and most of it must be trained anew. Time is a "
            "lower bound at the chip's rate for 16-bit numbers. Kernels are taken to skip what a mask hides."
        )
    )
    _listed(store.view, found)


def _budget(store: CostStore) -> None:
    budget = store.view.budget
    st.segmented_control(
        _("What must fit"), list(UNITS), required=True, wrap=True, format_func=lambda unit: _(UNITS[unit]),
        **store.widget("unit", budget.unit, lambda unit: store.view.inside("budget", unit=unit)),
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if budget.unit == "time":
            _slider(store, "milliseconds", _("Milliseconds, all layers"), MILLISECONDS)
            st.selectbox(
                _("Chip"), list(chips()), width=260, format_func=lambda name: chips()[name].name,
                **store.widget("chip", budget.chip, lambda chip: store.view.inside("budget", chip=chip)),
            )  # fmt: skip
        elif budget.unit == "operations":
            _slider(store, "gigaflop", _("Billions of operations, all layers"), GIGAFLOP)
        elif budget.unit == "memory":
            _slider(store, "mebibytes", _("MiB, one layer at a time"), MEBIBYTES)
        else:
            _slider(store, "mebibytes", _("MiB, all layers"), MEBIBYTES)
    presenting.leave_out(lambda: _projections(store))


def _projections(store: CostStore) -> None:
    budget = store.view.budget
    if budget.unit in ("time", "operations"):
        st.toggle(
            _("With projections"),
            help=_("W_Q, W_K, W_V and W_O as well as the core; without them, what differs between kinds is hidden in part."),
            **store.widget("projections", budget.projections, lambda on: store.view.inside("budget", projections=on)),
        )  # fmt: skip


def _slider(store: CostStore, name: str, said: str, steps: tuple[float, ...]) -> None:
    value = getattr(store.view.budget, name)
    st.select_slider(
        said, sorted({*steps, value}), width=260,
        **store.widget(name, value, lambda number: store.view.inside("budget", **{name: number})),
    )  # fmt: skip


def _need(view: CostView) -> Need:
    image = view.image
    is_image = view.source == "image"
    return Need(
        tokens_of(view), view.priced.layer(), view.priced.layers, grid_of(view), image.stride if is_image else 1,
        (lambda stride: image_tokens(image.width, image.height, stride, image.padding, image.extra)) if is_image else None,
    )  # fmt: skip


def _costing(view: CostView) -> tuple[fit.Costing, float]:
    budget, need = view.budget, _need(view)
    if budget.unit == "time":
        return fit.seconds(need, chips()[budget.chip], projections=budget.projections), budget.milliseconds / 1000
    if budget.unit == "operations":
        return fit.operations(need, projections=budget.projections), budget.gigaflop * 1e9
    if budget.unit == "memory":
        return fit.held, budget.mebibytes * 2**20
    return fit.kept_for_the_next(need), budget.mebibytes * 2**20


def _verdict(view: CostView, found: tuple[Way, ...]) -> str:
    limit = _written(_costing(view)[1], view.budget)
    plain = next(way for way in found if way.name == "plain")
    cost = _written(plain.cost, view.budget)
    if plain.meets:
        return _("As it is, written out, it costs **{cost}** and **fits** into {limit}.", cost=cost, limit=limit)
    best = found[0]
    if not best.meets:
        cheapest = min(found, key=lambda way: way.cost)
        return _(
            "As it is, written out, it costs **{cost}**. **Nothing here fits** into {limit}; the cheapest, {way}, costs {least}.",
            cost=cost, limit=limit, way=_called(cheapest, view), least=_written(cheapest.cost, view.budget),
        )  # fmt: skip
    return _(
        "As it is, written out, it costs **{cost}** and does not fit into {limit}. First in the order stated below comes **{way}**, {least}.",
        cost=cost, limit=limit, way=_called(best, view), least=_written(best.cost, view.budget),
    )  # fmt: skip


def _picture(view: CostView, found: tuple[Way, ...]) -> None:
    limit = _costing(view)[1]
    # The axis of time is in what the budget is given in.
    scale = 1000.0 if view.budget.unit == "time" else 1.0
    rows = [(_called(way, view), scale * way.cost, _written(way.cost, view.budget), way.meets) for way in found]
    axis = {
        "time": _("milliseconds at the least"),
        "operations": _("operations"),
        "memory": _("bytes held at once"),
        "cache": _("bytes kept"),
    }[view.budget.unit]
    said = _written(limit, view.budget)
    picture = Picture(
        figures.budget_bars(
            rows, limit=scale * limit, limit_label=_("budget: {limit}", limit=said), axis=axis,
            is_bytes=view.budget.unit in ("memory", "cache"),
        ),
        figures.describe_budget_bars(rows, limit_label=said),
        lambda: figures.table_budget_bars(rows, axis=axis),
        height=figures.budget_bars_height(len(rows)),
    )  # fmt: skip
    panels.show("cost-fit", {"fit": picture})


def _listed(view: CostView, found: tuple[Way, ...]) -> None:
    table = pd.DataFrame(
        [
            {
                _("way"): _called(way, view),
                _("cost"): _written(way.cost, view.budget),
                _("fits"): _("yes") if way.meets else _("no"),
                _("tokens, n"): grouped(way.tokens),
                _("pairs kept"): _share(way.kept),
                _("kind of loss"): _(_LOSSES[way.loss]),
                _("gives up"): _(GIVES_UP[way.name]),
            }
            for way in found
        ]
    )
    st.table(table.set_index(_("way")))


def _share(kept: float) -> str:
    return "100 %" if kept > 0.9995 else f"{100 * kept:.3g} %"


def _called(way: Way, view: CostView) -> str:
    said = _(_WAYS[way.name]) if way.name in _WAYS else names.name(way.name)
    side = 2 * way.setting + 1
    settings = {
        "grouped": lambda: _("{count} of {heads}", count=way.setting, heads=view.priced.kv_heads),
        "deformable": lambda: _("{count} points", count=way.setting),
        "window": lambda: f"{side} × {side}" if view.source == "image" else f"w = {grouped(way.setting)}",
        "block": lambda: f"{way.setting} × {way.setting}" if view.source == "image" else f"b = {grouped(way.setting)}",
        "global_window_random": lambda: f"w = {grouped(way.setting)}",
        "pooled keys": lambda: f"{way.setting} × {way.setting}",
        "stride": lambda: _("{count} pixels", count=way.setting),
        "fewer tokens": lambda: grouped(way.tokens),
    }
    return f"{said}, {settings[way.name]()}" if way.name in settings else said


def _written(cost: float, budget: Budget) -> str:
    if budget.unit == "time":
        return _("{count} ms", count=f"{1000 * cost:.3g}")
    return count_text(cost) if budget.unit == "operations" else amount(round(cost))
