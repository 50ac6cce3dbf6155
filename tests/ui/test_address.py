import base64
import contextlib
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.base.errors import InputError
from attnviz.base.language import speaking
from attnviz.ui import address
from attnviz.ui.views.heads import HeadsView
from attnviz.ui.views.playground import PlaygroundView


def _address(content) -> str:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(zlib.compress(raw)).rstrip(b"=").decode()


@pytest.mark.parametrize("example", ["seed-0", "intersection", "quiz", "translation"])
def test_a_view_comes_back_from_its_address(example):
    view = PlaygroundView.start(example)
    assert address.decode(address.encode(view), PlaygroundView) == view


@given(st.text(max_size=2000))
def test_any_text_comes_back_from_an_address(text):
    view = HeadsView(text=text)
    assert address.decode(address.encode(view), HeadsView) == view


def test_the_start_of_a_page_has_a_short_address():
    assert len(address.encode(HeadsView())) < 60


def test_another_pages_address_is_no_complaint():
    assert address.decode(address.encode(HeadsView()), PlaygroundView) is None


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=200))
def test_a_tampered_address_is_a_view_or_one_sentence(text):
    with contextlib.suppress(InputError):
        assert address.decode(text, HeadsView) in (None, HeadsView())


def test_every_cut_of_an_address_is_one_sentence():
    whole = address.encode(PlaygroundView.start())
    for length in range(1, len(whole) - 1, 7):
        with pytest.raises(InputError, match="damaged"):
            address.decode(whole[:length], PlaygroundView)


def test_an_address_that_expands_without_bound_is_refused():
    bomb = _address(b" " * (address.FILE_LIMIT + 1))
    assert len(bomb) < address.ADDRESS_LIMIT
    with pytest.raises(InputError, match="damaged"):
        address.decode(bomb, HeadsView)


def test_an_address_that_is_too_long_is_refused():
    with pytest.raises(InputError, match="8192"):
        address.decode("A" * 8193, HeadsView)


def _playground(**changed):
    return {
        "page": "playground",
        "query_tokens": ["a"],
        "key_tokens": ["a", "b"],
        "query": [[1, 2]],
        "key": [[1, 2], [3, 4]],
        "value": [[1], [2]],
        "cross": True,
        **changed,
    }


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"query": [[1, 2, 3]]}, "Row 0 of “key” has 2 numbers; 3 were expected."),
        ({"key": [[1, 2], [3]]}, "Row 1 of “key” has 1 numbers; 2 were expected."),
        ({"value": [[1]]}, "“value” has 1 rows; 2 were expected."),
        ({"query_tokens": ["a", "b"]}, "“query” has 1 rows; 2 were expected."),
        ({"heads": 2}, "2 heads were asked for; a divisor of 2 and of 1 dimensions was expected."),
        ({"selected": 1}, "The view selects a head, a token or a vector that it does not have."),
        ({"cross": False}, "Self-attention was asked for with 1 queries and 2 keys; as many of each were expected."),
        ({"colour": "red"}, "The view cannot be shown; at colour: this name is not known."),
        (
            {"query": [[float("nan"), 1]]},
            "The view cannot be shown; at query › 0 › 0: a finite number was expected, not NaN or infinity.",
        ),
        ({"query": [["x", 1]]}, "The view cannot be shown; at query › 0 › 0: a number was expected."),
        ({"query": [[1.0] * 17]}, "The view cannot be shown; at query › 0: it is longer than a page can show."),
    ],
)
def test_what_does_not_fit_is_said_with_place_and_expectation(changed, said):
    with pytest.raises(InputError) as caught:
        address.decode(_address(_playground(**changed)), PlaygroundView)
    with speaking("en"):
        assert str(caught.value) == said


def test_the_view_that_is_bent_above_is_shown_when_straight():
    view = address.decode(_address(_playground()), PlaygroundView)
    assert view.key == ((1, 2), (3, 4))
