"""Where the largest weight is not on a gold link, what kind of word that is, and what follows from it."""

import pandas as pd
import streamlit as st

from attnviz.base.language import _, _m
from attnviz.tokens import isolated
from attnviz.translation.heads import MEAN, HeadName
from attnviz.translation.mistakes import KindCount, by_kind, mistakes
from attnviz.ui import presenting
from attnviz.ui.page import plain
from attnviz.ui.translation.store import OTHER_SENTENCE, TranslationStore
from attnviz.ui.translation.translated import Wanted
from attnviz.ui.translation.trust.measuring import Found

MOST_EXAMPLES = 5
KINDS = {
    "determiner": _m("determiner"), "numeral": _m("numeral"), "adjective": _m("adjective"), "noun": _m("noun"),
    "verb": _m("verb"), "auxiliary": _m("auxiliary"), "pronoun": _m("pronoun"), "negation": _m("negation"),
    "preposition": _m("preposition"), "particle": _m("particle"), "conjunction": _m("conjunction"),
    "adverb": _m("adverb"), "punctuation": _m("punctuation"), "": _m("any word"),
}  # fmt: skip


def wrong(store: TranslationStore, judged: Wanted, found: Found) -> None:
    """Counts by kind of word, a few examples, and the finding in words."""
    name = store.view.head_name()
    shown = name if name in found.links else MEAN
    links = found.links[shown]
    counts = by_kind(links, found.pairs)
    st.markdown(f"**{finding(counts, judged, shown)}**")
    left, right = st.columns([1, 1], gap="medium")
    with left:
        st.dataframe(_table(counts), hide_index=True)
    with right:
        presenting.leave_out(lambda: _examples(store, found, shown))


def finding(counts: list[KindCount], judged: Wanted, name: HeadName) -> str:
    """What was found, in numbers; that it is a matter of convention is said only where the numbers say so."""
    from attnviz.ui.translation.trust.gold import name_of

    linked, bad = sum(one.linked for one in counts), sum(one.wrong for one in counts)
    said = [
        _(
            "Raw attention is not alignment: of {linked} target words, {wrong} look most at a word that gold does not "
            "link them to ({head}).",
            linked=linked,
            wrong=bad,
            head=name_of(name),
        )
    ]
    worst = counts[0] if counts and counts[0].wrong else None
    if worst is not None and worst.kind:
        said.append(
            _(
                "{share} % of these are of one kind: {kind}.",
                share=f"{100 * worst.wrong / bad:.0f}",
                kind=_(KINDS[worst.kind]),
            )
        )
        if worst.kind == "determiner" and judged.language == "fr" and 2 * worst.wrong > bad:
            said.append(
                _(
                    "A French determiner gets its gender and number from the noun: the model looks there for what it "
                    "has to know, and gold links it to the English determiner. That is a matter of the gold's "
                    "convention as much as of the model."
                )
            )
        if worst.kind == "particle" and judged.language == "ja":
            said.append(
                _(
                    "English has no particles; what a Japanese one is linked to is the gold's convention, and possible only."
                )
            )
    return " ".join(said)


def _table(counts: list[KindCount]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            _("kind of word"): [_(KINDS.get(one.kind, one.kind)) for one in counts],
            _("linked"): [one.linked for one in counts],
            _("not on a gold link"): [one.wrong for one in counts],
            _("share %"): [round(100 * one.wrong / one.linked, 1) for one in counts],
        }
    )


def _examples(store: TranslationStore, found: Found, name: HeadName) -> None:
    """Sentences with a word whose largest weight is elsewhere; a button shows one above."""
    seen: set[int] = set()
    for one in mistakes(found.links[name], found.pairs):
        if one.sentence in seen or len(seen) >= MOST_EXAMPLES:
            continue
        seen.add(one.sentence)
        pair = found.pairs[one.sentence]
        st.button(
            _(
                "“{target}” looks at “{source}”: {text}",
                target=plain(isolated(pair.target[one.target])),
                source=plain(isolated(pair.source[one.source])),
                text=plain(pair.source_text),
            ),
            key=f"translation:example:{len(seen)}",
            type="tertiary",
            on_click=store.change,
            kwargs={
                "fields": {**OTHER_SENTENCE, "text": pair.source_text, "target": pair.target_text, "step": one.target,
                           "gold": True}
            },
        )  # fmt: skip
