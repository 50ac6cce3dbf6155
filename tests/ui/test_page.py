"""Text from outside is shown letter by letter."""

import pytest

from attnviz.ui.page import plain


@pytest.mark.parametrize(
    "text", [":material/star:", ":streamlit:", ":smile:", ":+1:", "a -> b", "<->", "<-", "-- x", "x >= y", "~= 3"]
)
def test_what_streamlit_would_put_together_is_parted(text):
    shown = plain(text)
    assert shown.replace("\u2060", "").replace("\\", "") == text
    assert shown.count("\u2060") == 1


@pytest.mark.parametrize("text", ["a: b: c", "x->y", "-", "a - b", "1 > 0", "日本語：文"])
def test_other_text_gets_nothing_but_backslashes(text):
    assert plain(text).replace("\\", "") == text
