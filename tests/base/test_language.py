import threading

import pytest

from attnviz.base import language
from attnviz.base.errors import InputError
from attnviz.base.language import _n, carry, speaking, translate


def test_an_unknown_language_means_english():
    with speaking("<script>"):
        assert language.current() == "en"


def test_the_language_is_given_back_after_the_block():
    with speaking("ru"):
        assert language.current() == "ru"
    assert language.current() == "en"


def test_a_new_thread_speaks_english_unless_the_language_is_carried():
    heard = []
    with speaking("ja"):
        plain = threading.Thread(target=lambda: heard.append(language.current()))
        carried = threading.Thread(target=carry(lambda: heard.append(language.current())))
        for thread in (plain, carried):
            thread.start()
            thread.join()
    assert heard == ["en", "ja"]


def test_an_error_speaks_the_language_of_whoever_asks():
    error = InputError("Language", unused=1)
    with speaking("ru"):
        assert str(error) == "Язык"
    with speaking("ja"):
        assert str(error) == "言語"
    assert str(error) == "Language"


def test_fields_may_hold_braces():
    assert translate("“{name}”", name="{x}") == "“{x}”"


@pytest.mark.parametrize(("count", "expected"), [(1, "1 token was"), (2, "2 tokens were")])
def test_english_counts(count, expected):
    assert _n("{count} token was", "{count} tokens were", count) == expected
