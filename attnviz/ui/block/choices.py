"""What a model would write without a part, where it writes: token by token, each after the same ones before it."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from attnviz.attention.changes import Choice
from attnviz.base.language import _, _n
from attnviz.models.following import Followed
from attnviz.tokens import isolated

_TABLE_ROW = 35
_MOST_ROWS = 12


def choices(found: Followed, made: Sequence[Choice]) -> None:
    """The sentence and the table; nothing for a model that writes nothing."""
    if not made:
        return
    st.markdown(summary(found, made))
    table = choice_table(found, made)
    shares = [_("probability"), _("its probability without the part")]
    st.dataframe(
        table, hide_index=True, width="content", height=_TABLE_ROW * (min(len(table), _MOST_ROWS) + 1) + 3,
        column_config=dict.fromkeys(shares, st.column_config.NumberColumn(format="%.1f %%")),
    )  # fmt: skip


def summary(found: Followed, made: Sequence[Choice]) -> str:
    """How many of the tokens would be others."""
    flips = f"**{sum(one.flips for one in made)}**"
    if found.written is None:
        return _n(
            "After {count} token of the text the model names the likeliest next one; so many would be others without "
            "the part: {flips}.",
            "After each of {count} tokens of the text the model names the likeliest next one; so many would be others "
            "without the part: {flips}.",
            len(made),
            flips=flips,
        )
    return _n(
        "Of {count} token that the model writes, so many would be others without the part: {flips}.",
        "Of {count} tokens that the model writes, so many would be others without the part: {flips}. Each is asked for "
        "after the same ones before it.",
        len(made),
        flips=flips,
    )


def choice_table(found: Followed, made: Sequence[Choice]) -> pd.DataFrame:
    """What is written or likeliest after each token, and what would be. Percent."""
    if found.word is None or found.read_last is None:
        return pd.DataFrame()
    now, then = _("is written"), _("would be written without the part")
    if found.written is None:
        now, then = _("likeliest next"), _("likeliest without the part")
    return pd.DataFrame(
        {
            _("after"): [f"{at} · {isolated(label)}" for at, label in enumerate(found.read_last.labels())][: len(made)],
            now: [isolated(found.word(one.before)) for one in made],
            _("probability"): [100 * one.probability_before for one in made],
            _("its probability without the part"): [100 * one.probability_after for one in made],
            then: [isolated(found.word(one.after)) for one in made],
        }
    )
