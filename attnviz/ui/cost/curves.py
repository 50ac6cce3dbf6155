"""The kinds of attention as curves over the number of tokens, with the places where their costs cross."""

import itertools
from functools import lru_cache, partial

import streamlit as st

from attnviz import figures
from attnviz.attention.kinds.kind import Settings
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m, _n
from attnviz.cost.crossings import crossings, evenly_apart
from attnviz.cost.layer import Layer
from attnviz.cost.price import Price
from attnviz.figures import Crossing
from attnviz.ui import panels, presenting
from attnviz.ui.cost import names
from attnviz.ui.cost.store import CostStore, priced, sets, settings_of, tokens_of
from attnviz.ui.page import plain
from attnviz.ui.panels import Picture
from attnviz.ui.views.cost import CostView, Measure

MOST_SAID = 4
LEAST, MOST = 16, 131_072
_POINTS = 90
MEASURES: dict[Measure, str] = {
    "core": _m("Core"),
    "attention": _m("Core and projections"),
    "block": _m("Whole block"),
    "plain": _m("Memory, plain"),
    "fused": _m("Memory, fused"),
    "state": _m("State"),
}
_AXES: dict[Measure, str] = {
    "core": _m("operations of one layer's core"),
    "attention": _m("operations of one layer's attention"),
    "block": _m("operations of one block"),
    "plain": _m("bytes held beyond inputs and output, plain"),
    "fused": _m("bytes held beyond inputs and output, fused"),
    "state": _m("bytes kept for one more query, one layer"),
}
BYTES = ("plain", "fused", "state")


def show(store: CostStore) -> None:
    """Choose kinds and what of them; see the curves."""
    st.subheader(_("How it grows"))
    _choices(store)
    view = store.view
    chosen, layer = view.compared, view.priced.layer()
    count, settings = tokens_of(view), settings_of(chosen)
    tokens = _tokens(count, chosen.log)
    made = _curves(chosen.kinds, chosen.measure, tokens, layer, settings, view.priced.skips)
    curves = {names.name(kind): costs for kind, costs in made.items()}
    crossed = _crossed(tuple(made), chosen.measure, tokens, layer, settings, view.priced.skips)
    unit: figures.CostUnit = "bytes" if chosen.measure in BYTES else "operations"
    axis = _(_AXES[chosen.measure])
    with st.container():
        if not curves:
            st.info(_("None of the kinds that are chosen has this. Choose others."))
            return
        picture = Picture(
            figures.cost_over_tokens(
                tokens, curves, unit=unit, axis=axis, log=chosen.log, at=count,
                at_label=_("yours: {tokens}", tokens=grouped(count)), crossings=crossed,
            ),
            figures.describe_cost_over_tokens(tokens, curves, unit=unit, axis=axis, at=count, crossings=crossed),
            lambda: figures.table_cost_over_tokens(tokens, curves),
            height=430,
        )  # fmt: skip
        panels.show("cost-curves", {"curves": picture})
        st.markdown(_said(crossed))
    _notes(store, [kind for kind in chosen.kinds if kind not in made])


def _said(crossed: list[Crossing]) -> str:
    """The crossings in words, the first few."""
    said = [
        _("From **{tokens}** tokens on {first} costs at least as much as {second}.", tokens=grouped(one.tokens),
          first=plain(one.first), second=plain(one.second))
        for one in sorted(crossed, key=lambda one: one.tokens)[:MOST_SAID]
    ]  # fmt: skip
    return " ".join(said) or " "


def _choices(store: CostStore) -> None:
    compared = store.view.compared
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("What is counted"), list(MEASURES), required=True, wrap=True, format_func=lambda one: _(MEASURES[one]),
            **store.widget("measure", compared.measure, lambda one: store.view.inside("compared", measure=one)),
        )  # fmt: skip
        st.toggle(
            _("Logarithmic axes"), **store.widget("log", compared.log, lambda on: store.view.inside("compared", log=on))
        )
    offered = [*names.OFFERED, *(kind for kind in compared.kinds if kind not in names.OFFERED)]
    st.pills(
        _("Kinds"), offered, selection_mode="multi", wrap=True, format_func=names.name,
        **store.widget(
            "kinds", list(compared.kinds),
            lambda kinds: store.view.inside("compared", kinds=tuple(one for one in offered if one in kinds)),
        ),
    )  # fmt: skip
    presenting.leave_out(lambda: _settings(store))


def _settings(store: CostStore) -> None:
    compared = store.view.compared
    shown = {
        "window": (_("Window w on each side"), 512, {"window", "global_window_random"}),
        "stride": (_("Stride l"), 512, {"strided", "fixed"}),
        "block": (_("Block b"), 512, {"block"}),
        "points": (_("Points a head"), 64, {"deformable"}),
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, (said, most, users) in shown.items():
            if users & set(compared.kinds):
                value = getattr(compared, name)
                st.slider(
                    said, 1, max(most, value), width=220,
                    **store.widget(f"kind {name}", value, sets(store, "compared", name)),
                )  # fmt: skip


def _notes(store: CostStore, missing: list[str]) -> None:
    said = [
        _(
            "Worked out, not measured: two operations for a multiplication and its addition; softmax, norms and biases are "
            "left out."
        ),
        *windows(store.view),
        _("{kinds} cost what self-attention does, give or take a bias.", kinds=", ".join(map(names.name, names.SAME_AS_SELF))),
    ]  # fmt: skip
    if store.view.source == "image" and {"window", "block"} & set(store.view.compared.kinds):
        said.append(
            _("Windows and blocks lie along the sequence here; in “What would fit” those of an image are squares.")
        )
    if store.view.compared.measure == "core" and "deformable" in store.view.compared.kinds:
        said.insert(
            1, _("Of deformable attention only the sampling is core; offsets, weights and projections cost more.")
        )
    if missing:
        said.insert(0, _("Without this number: {kinds}.", kinds=", ".join(map(names.name, missing))))
    st.caption(" ".join(said))


def windows(view: CostView) -> list[str]:
    """How many keys the windows that are drawn count, and which kinds see both ways all the same."""
    window, kinds = view.compared.window, view.compared.kinds
    both = _("Windows count {keys} keys, w on each side and the query's own.", keys=2 * window + 1)
    windowed = {"window", "global_window_random"} & set(kinds)
    if not view.priced.causal:
        return [both] if windowed else []
    said = []
    if "window" in kinds:
        said.append(_("A window that looks back counts {keys} keys, w before the query and its own.", keys=window + 1))
    two_sided = [kind for kind in kinds if kind in names.BOTH_WAYS]
    if two_sided:
        said.append(
            _n(
                "{kinds} has no causal form here: its curve is of queries that see both ways.",
                "{kinds} have no causal form here: their curves are of queries that see both ways.",
                len(two_sided), kinds=", ".join(map(names.name, two_sided)),
            )
        )  # fmt: skip
    if "global_window_random" in kinds:
        said.append(
            _("The window of {kind} counts {keys} keys, w on each side and the query's own.",
              kind=names.name("global_window_random"), keys=2 * window + 1)
        )  # fmt: skip
    return said


def _tokens(count: int, log: bool) -> tuple[int, ...]:
    if log:
        ends = min(LEAST, count), max(MOST, 2 * count)
        made = evenly_apart(*ends, _POINTS)
    else:
        most = max(2 * count, 64)
        made = tuple(sorted({max(1, round(most * place / _POINTS)) for place in range(_POINTS + 1)}))
    return tuple(sorted({*made, count}))


def _number(found: Price, measure: Measure) -> int | None:
    done = found.operations
    numbers: dict[Measure, int | None] = {
        "core": done.core,
        "attention": done.attention,
        "block": done.total,
        "plain": found.plain_bytes,
        "fused": found.fused_bytes,
        "state": found.state_bytes,
    }
    return numbers[measure]


@lru_cache(maxsize=64)
def _curves(
    kinds: tuple[str, ...], measure: Measure, tokens: tuple[int, ...], layer: Layer, settings: Settings, skips: bool
) -> dict[str, list[float]]:
    """By kind, the cost at each number of tokens; kinds that have no such number are left out."""
    made = {}
    for kind in kinds:
        costs = [_number(priced(kind, count, layer, settings, skips), measure) for count in tokens]
        known = [float(cost) for cost in costs if cost is not None]
        if len(known) == len(costs) and any(known):
            made[kind] = known
    return made


@lru_cache(maxsize=64)
def _crossed_at(
    kinds: tuple[str, ...], measure: Measure, tokens: tuple[int, ...], layer: Layer, settings: Settings, skips: bool
) -> tuple[tuple[int, float, str, str], ...]:
    """Tokens, cost, and the two kinds, the dearer one beyond it first."""

    def cost(kind: str, count: int) -> float:
        return float(_number(priced(kind, count, layer, settings, skips), measure) or 0)

    found = []
    for one, other in itertools.combinations(kinds, 2):
        for count in crossings(partial(cost, one), partial(cost, other), tokens[0], tokens[-1], tokens):
            # Where they meet they may cost the same; before that the one that is dearer from there on was the cheaper one.
            dearer, cheaper = (one, other) if cost(one, count - 1) < cost(other, count - 1) else (other, one)
            found.append((count, cost(dearer, count), dearer, cheaper))
    return tuple(found)


def _crossed(
    kinds: tuple[str, ...], measure: Measure, tokens: tuple[int, ...], layer: Layer, settings: Settings, skips: bool
) -> list[Crossing]:
    return [
        Crossing(float(count), cost, names.name(dearer), names.name(cheaper))
        for count, cost, dearer, cheaper in _crossed_at(kinds, measure, tokens, layer, settings, skips)
    ]
