"""Against gold links: all heads and means with their error rates, beside two floors and the effect of removing words."""

import math
from collections.abc import Iterator

import streamlit as st

from attnviz import figures
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m, _n
from attnviz.figures import ScoreRow
from attnviz.figures.score_dots import Mark
from attnviz.models.translation import shipped
from attnviz.models.translation.shipped import Facts
from attnviz.translation.heads import Chosen, HeadName
from attnviz.translation.scores import Score
from attnviz.ui import going, panels, presenting
from attnviz.ui.components import ChartClick
from attnviz.ui.page import plain
from attnviz.ui.panels import Picture
from attnviz.ui.sidebar import chosen_device
from attnviz.ui.translation.saying import title
from attnviz.ui.translation.store import TranslationStore
from attnviz.ui.translation.translated import Wanted, translator
from attnviz.ui.translation.trust import own_file, wrong
from attnviz.ui.translation.trust.measuring import KEPT, TRAINED_ON, Found, LeftOut, Spec, measure, name_of

COUNTS = (100, 500, 1000)
ON = {
    "test": _m("held-out sentences of the grammar"),
    "unseen": _m("sentences with word pairs never trained on"),
    "file": _m("your own sentences with gold links"),
}


def gold(store: TranslationStore, judged: Wanted | None) -> None:
    """The table, once it was asked for; what was measured already is shown at once."""
    if judged is None:
        st.info(_("None of the models above looks at the source word by word."))
        return
    presenting.leave_out(lambda: _choices(store, judged))
    spec = _spec(store, judged)
    if spec is None:
        return
    found = KEPT.get(spec)
    with st.container():
        if found is None:
            _ask(spec, judged)
    if found is not None:
        _show(store, judged, spec, found)


def _choices(store: TranslationStore, judged: Wanted) -> None:
    view = store.view
    kinds = list(ON) if judged.language else ["file"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Measured on"), kinds, format_func=lambda kind: _(ON[kind]), width=340,
            **store.widget("on", view.on if view.on in kinds else "file", lambda on: {"on": on}),
        )  # fmt: skip
        st.segmented_control(_("Sentences"), COUNTS, required=True, **store.field("sentences"))


def _spec(store: TranslationStore, judged: Wanted) -> Spec | None:
    view = store.view
    on = view.on if judged.language else "file"
    text, count = "", int(view.sentences)
    if on == "file":
        opened = own_file.opened(store)
        if opened is None:
            return None
        text, count = opened.key, min(count, own_file.most(), len(opened.loaded.pairs))
    name = f"{judged.name}\n{judged.source_language}\n{judged.target_language}\n{judged.prefix}"
    return Spec(name, judged.language, chosen_device(), on, text, count, view.reading())


def _ask(spec: Spec, judged: Wanted) -> None:
    """A button, and when it was pressed the work itself, a little at a time; any other choice drops it."""
    if not going.is_going(spec):
        done = going.share_done(spec)
        st.button(
            _n("Measure on {count} sentence", "Measure on {count} sentences", spec.sentences)
            if not done
            else _("Go on measuring ({share} % done)", share=f"{100 * done:.0f}"),
            icon=":material/straighten:", key="translation:measure", on_click=_begin, args=(spec, judged),
        )  # fmt: skip
    going.show(spec, _("Measuring …"))


def _begin(spec: Spec, judged: Wanted) -> None:
    file = own_file.pairs() if spec.on == "file" else ()

    def steps() -> Iterator[float]:
        # Not yet in the callback, where nothing can be said to anybody.
        yield from measure(spec, translator(judged), file)

    going.begin(spec, steps)


def _show(store: TranslationStore, judged: Wanted, spec: Spec, found: Found) -> None:
    entries = score_entries(found)
    rows = [row for row, _name in entries]
    figure = figures.score_dots(rows, title=title(judged), sentences=len(found.pairs))

    def click(event: ChartClick) -> None:
        name = entries[event.custom][1] if isinstance(event.custom, int) and event.custom < len(entries) else None
        if name is not None:
            store.change(layer=name.layer, head=name.head)

    picture = Picture(
        figure, figures.describe_score_dots(rows), lambda: figures.table_score_dots(rows), int(figure.layout.height)
    )
    panels.show("translation-scores", {"scores": picture}, on_click=click)
    presenting.leave_out(lambda: st.caption(_("Press a head or a mean in the picture to look at it above.")))
    st.markdown(_origin(spec, found))
    with st.container():
        if not found.is_single and found.chosen:
            st.markdown(
                _("Which head is best is asked on one half of the sentences and answered on the other, both ways.")
                + " "
                + " ".join(map(chosen_sentence, found.chosen))
            )
    with st.container():
        if judged.name in shipped.NAMES and spec.on != "file":
            st.caption(on_the_card(shipped.facts(judged.name)))
    wrong.wrong(store, judged, found)


def score_entries(found: Found) -> list[tuple[ScoreRow, HeadName | None]]:
    """All rows and the heads that they are of, the lowest error rate first; a single head is no mean."""
    scores = dict(found.scores)
    if found.is_single:
        scores = {name: one for name, one in scores.items() if name.head is not None}
    rows: list[tuple[ScoreRow, HeadName | None]] = [
        (_row(name_of(name, single=found.is_single), "head" if name.head is not None else "mean", one), name)
        for name, one in scores.items()
    ]
    rows += [
        (_row(_("the diagonal"), "floor", found.diagonal), None),
        (_row(_("IBM model 1"), "floor", found.ibm), None),
        (_row(_("effect of removing words"), "effect", found.effect), None),
    ]
    return sorted(rows, key=lambda row: (row[0].error_rate != row[0].error_rate, row[0].error_rate))


def on_the_card(facts: Facts) -> str:
    """The error rates that were measured after training, of every seed that there is."""
    rates = [f"{100 * seed.aer:.1f} % ({seed.seed})" for seed in facts.seeds if seed.aer is not None]
    return _n(
        "Model card, measured after training ({date}) on {sentences} held-out sentences, mean of all layers and heads, rows "
        "that predict, without the end of the sentence: {rates} for {count} seed (in brackets), the first of which is shipped.",
        "Model card, measured after training ({date}) on {sentences} held-out sentences, mean of all layers and heads, rows "
        "that predict, without the end of the sentence: {rates} for {count} seeds (in brackets), the first of which is shipped.",
        len(rates),
        date=facts.date,
        sentences=grouped(facts.held_out_sentences),
        rates=", ".join(rates),
    )


def _row(name: str, mark: Mark, one: Score) -> ScoreRow:
    return ScoreRow(name, mark, one.counts.error_rate, one.low, one.high, one.counts.precision, one.counts.recall)


def _origin(spec: Spec, found: Found) -> str:
    """Where the numbers come from, in sentences."""
    said = [
        _n(
            "Measured here on {count} sentence, each target given (forced); {what}.",
            "Measured here on {count} sentences, each target given (forced); {what}.",
            len(found.pairs),
            what=_(ON[spec.on]),
        )
    ]
    said.append(
        _("Error rate: 1 − (|A∩S| + |A∩P|) / (|A| + |S|), links A, sure gold S, possible gold P (Och and Ney 2003).")
    )
    if spec.on == "file":
        said.append(_("IBM model 1 was trained on the sentences themselves."))
    else:
        said.append(_("IBM model 1 was trained on {count} training sentences.", count=TRAINED_ON))
    if found.left_out.count:
        said.append(_left_out(found.left_out))
    return " ".join(said)


def _left_out(left_out: LeftOut) -> str:
    """How many sentences are not counted, and why the first of them are not."""
    said = _n(
        "{count} sentence was left out, because the model does not take it:",
        "{count} sentences were left out, because the model does not take them:",
        left_out.count,
    )
    named = [_("sentence {number}: {reason}", number=line, reason=plain(str(error))) for line, error in left_out.named]
    return f"{said} {' '.join(named)}{' …' if left_out.count > len(named) else ''}"


def chosen_sentence(one: Chosen) -> str:
    """Which head was chosen on one half, and what it gives on the other; one sentence alone has no interval."""
    here, there, low, high = (
        "—" if math.isnan(share) else f"{100 * share:.1f}"
        for share in (one.on_chosen, one.on_other.counts.error_rate, one.on_other.low, one.on_other.high)
    )
    if math.isnan(one.on_other.low):
        return _(
            "Chosen on one half: {head}, {here} %. On the other half it gives **{there} %**.",
            head=name_of(one.head),
            here=here,
            there=there,
        )
    return _(
        "Chosen on one half: {head}, {here} %. On the other half it gives **{there} %** ({low} to {high} %).",
        head=name_of(one.head),
        here=here,
        there=there,
        low=low,
        high=high,
    )
