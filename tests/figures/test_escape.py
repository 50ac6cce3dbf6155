"""Labels are seen as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.escape import LONGEST, escaped, labels, shortened
from attnviz.tokens import Tokens


@given(text=st.text())
def test_a_label_is_seen_as_it_is(plotted, text):
    assert plotted.seen(escaped(text)) == text


def test_no_label_can_become_a_formula():
    assert "$" not in escaped("$x$")


@given(st.text())
def test_no_label_is_empty_or_too_long(text):
    assert shortened(text).strip()
    assert len(shortened(text)) <= LONGEST


def test_names_keep_their_spaces_and_tokens_show_theirs():
    assert labels(["car ahead"], 1) == ("car ahead",)
    assert labels(Tokens((" ahead",)), 1) == ("·ahead",)


@pytest.mark.parametrize(("count", "expected"), [(0, ()), (3, ("0", "1", "2"))])
def test_without_labels_positions_are_shown(count, expected):
    assert labels(None, count) == expected
