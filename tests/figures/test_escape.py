"""Labels are seen as they are."""

from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import figures
from attnviz.figures.escape import LONGEST, escaped, labels, short_label, shortened, tick_labels, whole_labels
from attnviz.tokens import Tokens


@given(text=st.text())
def test_a_label_is_seen_as_it_is(plotted, text):
    # Isolates around what runs from right to left are no letters.
    bare = {0x2068: None, 0x2069: None}
    assert plotted.seen(escaped(text)).translate(bare) == text.translate(bare)


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


def test_what_runs_from_right_to_left_is_isolated_in_figures():
    assert escaped("<שלום>") == "\u2068&lt;שלום&gt;\u2069"


def test_a_label_that_is_cut_says_its_position():
    assert short_label("internationalization", 3) == "internationalization"
    # 24 letters: four for " (3)", one for the dots, 19 of the word, of which seven are its end.
    assert short_label("antidisestablishmentarianism", 3) == "antidisestab…rianism (3)"
    assert len(short_label("x" * 500, 12345)) == LONGEST


def test_labels_where_there_is_room_are_whole_and_bounded():
    tokens = Tokens(("antidisestablishmentarianism", "y" * 10_000), generated=(False, True))
    wholes = whole_labels(tokens, 2)
    assert wholes[0] == "antidisestablishmentarianism"
    assert len(wholes[1]) == 200
    assert tick_labels(tokens, wholes)[1].endswith("yyy (1) ✎")
    assert tick_labels(Tokens(("a", "b"), generated=(False, True)), ("a", "b")) == ("a", "b ✎")


class Elements(HTMLParser):
    """The names of all elements of a page."""

    def __init__(self, page):
        super().__init__()
        self.names = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)


def test_tokens_create_no_element_in_the_page_that_plotly_writes():
    hostile = ["</script><b>x", "<img src=y onerror=alert(1)>"]
    weights = np.full((2, 2), 0.5, dtype=np.float32)
    for figure in (
        figures.heatmap(weights, query_tokens=hostile, key_tokens=hostile, query=0),
        figures.token_lines(weights, query_tokens=hostile, key_tokens=hostile, query=0),
        figures.weight_bars(weights[0], key_labels=hostile),
    ):
        names = Elements(figure.to_html(include_plotlyjs=False)).names
        assert not {"b", "img"} & set(names)
        assert names.count("script") == Elements(go.Figure().to_html(include_plotlyjs=False)).names.count("script")
