"""Whether what was recorded is what the model computed with, and what only looks like attention."""

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from attnviz.attention import Attention
from attnviz.base.language import _, _n
from attnviz.figures.numerals import weight_text
from attnviz.trace import Trace
from attnviz.ui.page import plain
from attnviz.ui.source.panel import said

WARNING = "⚠"
# More would push the pictures out of sight; each layer says it of itself, too.
MOST_LISTED = 5


def checks(trace: Trace) -> None:
    """One sentence where all is well, and each layer by name where it is not."""
    checked = [attention for attention in trace if attention.check is not None]
    wrong = [attention for attention in checked if disagrees(attention)]
    with st.container():
        if checked:
            st.caption(said(trace, _summary(checked, len(trace))))
    with st.container():
        for attention in wrong[:MOST_LISTED]:
            st.warning(said(trace, plain(disagreement(attention))), icon=":material/warning:")
        if len(wrong) > MOST_LISTED:
            rest = len(wrong) - MOST_LISTED
            st.warning(_n("So does {count} other layer.", "So do {count} other layers.", rest))


def _summary(checked: list[Attention], total: int) -> str:
    largest = max(attention.check.difference for attention in checked if attention.check is not None)
    sentence = _n(
        "{count} layer was checked against the model's own output; largest difference {difference}.",
        "{count} layers were checked against the model's own output; largest difference {difference}.",
        len(checked),
        difference=weight_text(largest),
    )
    rest = total - len(checked)
    if rest:
        sentence += " " + _n("{count} other could not be checked.", "{count} others could not be checked.", rest)
    return sentence


def disagrees(attention: Attention) -> bool:
    """Whether weights × values are not what the model put out."""
    return attention.check is not None and not attention.check.agrees


def disagreement(attention: Attention) -> str:
    """By how much, and what rounding would explain."""
    check = attention.check
    assert check is not None  # noqa: S101 - only asked of those that disagree
    return _(
        "“{name}” (layer {layer}) does not give the model's own output: the difference is {difference}, where rounding "
        "explains {allowed}. Do not trust its weights.",
        name=attention.name,
        layer=attention.layer,
        difference=weight_text(check.difference),
        allowed=weight_text(check.allowed),
    )


def marked(attentions: Iterable[Attention]) -> list[str]:
    """A sign for every layer: a warning where it disagrees, else nothing."""
    return [f" {WARNING}" if disagrees(attention) else "" for attention in attentions]


def lookalikes(trace: Trace) -> None:
    """What the model computed that only looks like attention, apart from what is shown."""
    found = trace.lookalikes
    with st.container():
        if not found:
            return
        with st.expander(_("Looks like attention, but is not ({count})", count=len(found)), icon=":material/rule:"):
            if trace.claimed:
                st.caption(_("This list is the file's own word."))
            st.dataframe(
                pd.DataFrame(
                    {
                        _("name"): [one.name for one in found],
                        _("shape"): [" × ".join(map(str, one.shape)) for one in found],
                        _("why"): [str(one.reason) for one in found],
                    }
                ),
                hide_index=True,
            )
