"""What would make it fit: a budget, and every way to meet it, ranked by what it gives up."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from attnviz import figures
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m, _n
from attnviz.base.memory import amount
from attnviz.cost import fit
from attnviz.cost.chips import chips
from attnviz.cost.fit import GIVES_UP, Loss, Need, Way, ways
from attnviz.cost.tokens import image_tokens
from attnviz.figures.magnitudes import count_text
from attnviz.figures.numerals import three_digits
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
        found = ways(need_of(store.view), *costing(store.view))
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


def need_of(view: CostView) -> Need:
    """What has to fit."""
    image = view.image
    is_image = view.source == "image"
    return Need(
        tokens_of(view), view.priced.layer(), view.priced.layers, grid_of(view), image.stride if is_image else 1,
        (lambda stride: image_tokens(image.width, image.height, stride, image.padding, image.extra)) if is_image else None,
    )  # fmt: skip


def costing(view: CostView) -> tuple[fit.Costing, float]:
    """What is counted, and how much of it there may be."""
    budget, need = view.budget, need_of(view)
    if budget.unit == "time":
        return fit.seconds(need, chips()[budget.chip], projections=budget.projections), budget.milliseconds / 1000
    if budget.unit == "operations":
        return fit.operations(need, projections=budget.projections), budget.gigaflop * 1e9
    if budget.unit == "memory":
        return fit.held, budget.mebibytes * 2**20
    return fit.kept_for_the_next(need), budget.mebibytes * 2**20


def _verdict(view: CostView, found: tuple[Way, ...]) -> str:
    limit = written(costing(view)[1], view.budget)
    plain = next(way for way in found if way.name == "plain")
    cost = written(plain.cost, view.budget)
    if plain.meets:
        return _("As it is, written out, it costs **{cost}** and **fits** into {limit}.", cost=cost, limit=limit)
    best = found[0]
    if not best.meets:
        cheapest = min(found, key=lambda way: way.cost)
        return _(
            "As it is, written out, it costs **{cost}**. **Nothing here fits** into {limit}; the cheapest, {way}, costs {least}.",
            cost=cost, limit=limit, way=called(cheapest, view), least=written(cheapest.cost, view.budget),
        )  # fmt: skip
    return _(
        "As it is, written out, it costs **{cost}** and does not fit into {limit}. First in the order stated below comes **{way}**, {least}.",
        cost=cost, limit=limit, way=called(best, view), least=written(best.cost, view.budget),
    )  # fmt: skip


def _picture(view: CostView, found: tuple[Way, ...]) -> None:
    limit = costing(view)[1]
    # The axis of time is in what the budget is given in.
    scale = 1000.0 if view.budget.unit == "time" else 1.0
    rows = [
        (called(way, view), scale * way.cost, written(way.cost, view.budget, unit=False), way.meets) for way in found
    ]
    axis = {
        "time": _("milliseconds at the least"),
        "operations": _("operations"),
        "memory": _("bytes held at once"),
        "cache": _("bytes kept"),
    }[view.budget.unit]
    said = written(limit, view.budget)
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
    cost = _("operations") if view.budget.unit == "operations" else _("cost")
    table = pd.DataFrame(
        [
            {
                _("way"): called(way, view),
                cost: written(way.cost, view.budget, unit=False),
                _("fits"): _("yes") if way.meets else _("no"),
                _("tokens, n"): grouped(way.tokens),
                _("pairs kept"): share(way.kept),
                _("kind of loss"): _(_LOSSES[way.loss]),
                _("gives up"): _(GIVES_UP[way.name]),
            }
            for way in found
        ]
    )
    st.table(table.set_index(_("way")))


def share(kept: float) -> str:
    """100 %, 99.97 %, 1.2·10⁻⁵ %: all alone is written as all."""
    if 0.9995 < kept < 1:
        return f"{min(100 * kept, 99.99):.2f} %"
    return f"{three_digits(100 * kept)} %"


def called(way: Way, view: CostView) -> str:
    """A way with its setting, as it is called in sentence, picture and table."""
    said = _(_WAYS[way.name]) if way.name in _WAYS else names.name(way.name)
    side, pixels = 2 * way.setting + 1, view.source == "image"
    settings = {
        "grouped": lambda: _("{count} of {heads}", count=way.setting, heads=view.priced.kv_heads),
        "deformable": lambda: _n("{count} point", "{count} points", way.setting),
        "window": lambda: _cells(view, side, reaching=True) if pixels else f"w = {grouped(way.setting)}",
        "block": lambda: _cells(view, way.setting) if pixels else f"b = {grouped(way.setting)}",
        "global_window_random": lambda: f"w = {grouped(way.setting)}",
        "pooled keys": lambda: _cells(view, way.setting),
        "stride": lambda: _("{count} pixels", count=way.setting),
        "fewer tokens": lambda: grouped(way.tokens),
    }
    return f"{said}, {settings[way.name]()}" if way.name in settings else said


def _cells(view: CostView, side: int, *, reaching: bool = False) -> str:
    """Columns × rows of a square of the image, as much of it as an image so flat or narrow can hold.

    reaching: around a cell, so that it ends on the far side of the image from either edge.
    """
    rows, columns = grid_of(view) or (side, side)
    across, down = (min(side, 2 * most - 1 if reaching else most) for most in (columns, rows))
    return f"{across} × {down}"


def written(cost: float, budget: Budget, *, unit: bool = True) -> str:
    """A cost in the budget's unit. unit: whether operations are said to be some; an axis says it once for all."""
    if budget.unit == "time":
        return _("{count} ms", count=three_digits(1000 * cost))
    if budget.unit == "operations":
        return _("{count} operations", count=count_text(cost)) if unit else count_text(cost)
    return amount(round(cost))
