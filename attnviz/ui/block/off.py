"""What a part does, beside its share: the chosen one switched off, and every one in turn."""

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from attnviz import figures
from attnviz.attention.summands import cosine
from attnviz.base.language import _
from attnviz.figures.block_shares import percent
from attnviz.figures.numerals import signed_text
from attnviz.figures.part_colours import part_name
from attnviz.models import GrammarTranslator, TextModel
from attnviz.models.following import Followed
from attnviz.ui import going, panels, presenting
from attnviz.ui.block import choices
from attnviz.ui.block.diagram import SWITCHED
from attnviz.ui.block.followed import Way, opened
from attnviz.ui.block.store import BlockStore
from attnviz.ui.block.switched import Effect, Every, Switched, effect, name_of, neighbour_table, neighbours
from attnviz.ui.components import ChartClick
from attnviz.ui.panels import Picture

_EVERY = "block:each part"
MOST_NEIGHBOURS = 8
_TABLE_ROW = 35


def off(store: BlockStore, found: Followed, there: Way, run: Switched | None) -> None:
    """Sentences about the part that is off, then the table of all."""
    st.subheader(_("What a part does"))
    with st.container():
        if run is None:
            st.markdown(
                _(
                    "Switch a part of this layer off, above or in the diagram, and the model runs once more with zeros in "
                    "its place. What becomes of the vector then stands here."
                )
            )
        else:
            _one(store, found, there, run)
    presenting.leave_out(lambda: _every(store, found, there))


def _one(store: BlockStore, found: Followed, there: Way, run: Switched) -> None:
    layer = there.layers[store.view.layer]
    part = layer.part(store.view.off)  # type: ignore[arg-type]  # "none" has no run
    last = there.layers[-1].left
    known = effect(layer, part, there.token, last, run.last)
    before, after = layer.left[there.token], run.layer.left[there.token]
    st.markdown(
        _(
            "Without {part} in layer {layer}, which is **{share}** of what leaves it: the vector that leaves the layer has "
            "the cosine **{cosine}** with what it was, and length {after} instead of {before}.",
            part=part_name(part.kind), layer=layer.number, share=percent(known.share),
            cosine=signed_text(float(cosine(before, after))), before=signed_text(float(before.norm()), 2),
            after=signed_text(float(after.norm()), 2),
        )
        + " "
        + _(
            "What leaves the last layer has the cosine **{cosine}** with what it was; it changes by **{change}** of its "
            "length.",
            cosine=signed_text(known.cosine), change=percent(known.change),
        )
    )  # fmt: skip
    near, now = neighbours(last, there.token), neighbours(run.last, there.token)
    choices.choices(found, run.choices)
    if len(near) > 1:
        labels = [f"{at} · {label}" for at, label in enumerate(there.tokens.labels())]
        table = neighbour_table(labels, near, now).head(MOST_NEIGHBOURS)
        st.caption(_("Which other tokens of the text its vector is nearest to, after the last layer:"))
        numbers = st.column_config.NumberColumn(format="%.4f")
        st.dataframe(
            table, hide_index=True, width="content", height=_TABLE_ROW * (len(table) + 1) + 3,
            column_config=dict.fromkeys(table.columns[1:], numbers),
        )  # fmt: skip


def _every(store: BlockStore, found: Followed, there: Way) -> None:
    stream = there.layers[0].stream
    name = name_of(store.view, stream)
    count = sum(len(layer.parts) for layer in there.layers)
    with st.container():
        if not going.is_going(name):
            st.button(
                _("Switch off every part in turn ({count} runs)", count=count), icon=":material/toggle_off:",
                key="block:every", on_click=_begin, args=(store, opened(store.view), found, stream),
            )  # fmt: skip
    going.show(name, _("Running the model without each part …"))
    with st.container():
        if not going.is_going(name):
            _table(store, name, there)


def _begin(store: BlockStore, model: TextModel | GrammarTranslator, found: Followed, stream: str) -> None:
    """Begins anew, or goes on where it was stopped."""

    def fresh() -> Iterator[float]:
        work = st.session_state[_EVERY] = Every(store.view, model, found, stream)
        return work.run()

    going.begin(name_of(store.view, stream), fresh)


def _table(store: BlockStore, name: tuple[str, ...], there: Way) -> None:
    work: Every | None = st.session_state.get(_EVERY)
    if work is None or work.name != name or not work.without:
        return
    rows = work.effects(there.token)
    _against(store, rows)
    st.dataframe(
        pd.DataFrame(
            {
                _("layer"): [row.layer for row in rows],
                _("part"): [part_name(row.kind) for row in rows],
                _("share of its layer"): [100 * row.share for row in rows],
                _("change without it, at the end"): [100 * row.change for row in rows],
                _("cosine with what it was"): [row.cosine for row in rows],
            }
        ),
        hide_index=True,
        width="content",
        height=_TABLE_ROW * (min(len(rows), 14) + 1) + 3,
        column_config={
            _("share of its layer"): st.column_config.NumberColumn(format="%.1f %%"),
            _("change without it, at the end"): st.column_config.NumberColumn(format="%.1f %%"),
            _("cosine with what it was"): st.column_config.NumberColumn(format="%.4f"),
        },
    )
    st.caption(
        _(
            "Measured: one run for each part; the change is that of this token's vector after the last layer, the largest "
            "first. Parts of early layers have all "
            "later ones to act through; effects do not add up, and a part that later ones make up for seems to do little."
        )
    )


def _against(store: BlockStore, rows: list[Effect]) -> None:
    """The shares against the effects; a click on a point switches that part off."""
    parts = [figures.Acting(row.layer, row.kind, row.share, row.change) for row in rows]
    view = store.view
    figure = figures.share_effect(parts, chosen=(view.layer, view.off), title=_("A share is no effect"))

    def click(event: ChartClick) -> None:
        if isinstance(event.custom, list) and len(event.custom) == 2 and event.custom[1] in SWITCHED:
            store.change(layer=int(event.custom[0]), off=event.custom[1])

    panels.show(
        "block-effect",
        {
            "effect": Picture(
                figure, figures.describe_share_effect(parts), lambda: figures.table_share_effect(parts),
                int(figure.layout.height),
            )
        },
        on_click=click,
    )  # fmt: skip
