"""Where the largest weight is not on a gold link, what kind of word that is, and what follows from it."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from attnviz.base.language import _, _m
from attnviz.tokens import isolated
from attnviz.translation import Link, SentencePair
from attnviz.translation.heads import MEAN, HeadName
from attnviz.translation.mistakes import KindCount, Mistake, by_kind, mistakes
from attnviz.ui import presenting
from attnviz.ui.page import plain
from attnviz.ui.translation.store import OTHER_SENTENCE, TranslationStore
from attnviz.ui.translation.translated import Wanted
from attnviz.ui.translation.trust.measuring import Found, name_of

MOST_EXAMPLES = 5
NEARLY_ALL = 0.9
_TABLE_ROW = 35
WITH_GENDER = ("fr", "ru")
"""Languages whose determiners take the gender of their noun."""
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
    head = name_of(shown, single=found.is_single)
    first, *others = finding(counts, looking_at_noun(links, found.pairs), judged, head)
    st.markdown(" ".join([f"**{first}**", *others]))
    left, right = st.columns([1, 1], gap="medium")
    with left:
        st.dataframe(_table(counts), hide_index=True, height=_TABLE_ROW * (len(counts) + 1) + 3)
    with right:
        presenting.leave_out(lambda: _examples(store, judged, found, shown))


def finding(counts: list[KindCount], at_noun: int, judged: Wanted, head: str) -> list[str]:
    """What was found, in numbers; `at_noun`: how many determiners that are wrong look at their own noun."""
    linked, bad = sum(one.linked for one in counts), sum(one.wrong for one in counts)
    if not bad:
        return [
            _("Of {linked} target words, none looks most at a word that gold does not link it to ({head}).",
              linked=linked, head=head)
        ]  # fmt: skip
    said = [
        _(
            "Raw attention is not alignment: of {linked} target words, {wrong} look most at a word that gold does not "
            "link them to ({head}).",
            linked=linked,
            wrong=bad,
            head=head,
        )
    ]
    worst = counts[0] if counts and counts[0].wrong else None
    if worst is not None and worst.kind:
        facts = {
            "share": f"{100 * worst.wrong / bad:.0f}", "wrong": worst.wrong, "all": bad, "kind": _(KINDS[worst.kind]),
        }  # fmt: skip
        said.append(
            _("Nearly all of these are of one kind: {kind} ({wrong} of {all}, {share} %).", **facts)
            if worst.wrong >= NEARLY_ALL * bad
            else _("The most frequent kind among these: {kind} ({wrong} of {all}, {share} %).", **facts)
        )
        if worst.kind == "determiner" and judged.language in WITH_GENDER:
            said.append(
                _(
                    "{at_noun} of these {wrong} determiners look at the noun that they belong to. A determiner gets its "
                    "gender and number from there: the model looks for what it has to know, and gold links it to the "
                    "English determiner. That is a matter of the gold's convention as much as of the model.",
                    at_noun=at_noun,
                    wrong=worst.wrong,
                )
            )
        if worst.kind == "particle" and judged.language == "ja":
            said.append(
                _(
                    "English has no particles; what a Japanese one is linked to is the gold's convention, and possible only."
                )
            )
    return said


def looking_at_noun(links: Sequence[frozenset[Link]], pairs: Sequence[SentencePair]) -> int:
    """How many determiners that are linked to no gold word are linked to a word that gold links the next noun to."""
    return sum(_is_at_noun(one, pairs[one.sentence]) for one in mistakes(links, pairs))


def _is_at_noun(one: Mistake, pair: SentencePair) -> bool:
    if pair.kinds is None or pair.links is None or pair.kinds[one.target] != "determiner":
        return False
    noun = next((place for place in range(one.target + 1, len(pair.kinds)) if pair.kinds[place] == "noun"), None)
    return noun is not None and (one.source, noun) in pair.links.possible


def _table(counts: list[KindCount]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            _("kind of word"): [_(KINDS.get(one.kind, one.kind)) for one in counts],
            _("linked"): [one.linked for one in counts],
            _("not on a gold link"): [one.wrong for one in counts],
            _("share %"): [round(100 * one.wrong / one.linked, 1) for one in counts],
        }
    )


def _examples(store: TranslationStore, judged: Wanted, found: Found, name: HeadName) -> None:
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
            kwargs={"fields": shown_above(judged, found, one)},
        )


def shown_above(judged: Wanted, found: Found, one: Mistake) -> dict[str, object]:
    """What of the view changes so that a mistake is seen: its sentence, given, at the step that begins its word."""
    pair = found.pairs[one.sentence]
    step = found.steps[one.sentence][one.target]
    return {
        **OTHER_SENTENCE, **_pair_of(judged), "text": pair.source_text, "target": pair.target_text, "step": step,
        "gold": True,
    }  # fmt: skip


def _pair_of(judged: Wanted) -> dict[str, object]:
    """A translation is given in the first language that is shown, so it must be that of the example."""
    return {"pair": judged.pair, "beside": None} if judged.pair else {}
