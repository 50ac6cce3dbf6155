"""Every sentence is in every catalogue, none is left over, and a translation keeps its fields."""

import string
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from attnviz.base.language import CATALOGUES, LANGUAGES

ROOT = Path(__file__).parents[2]
KEYWORDS = {"_": None, "_m": None, "_n": (1, 2)}


def _in_source():
    found = set()
    for folder in ("attnviz", "pages"):
        for _file, _line, message, _comments, _context in extract_from_dir(
            str(ROOT / folder), [("**.py", "python")], keywords=KEYWORDS
        ):
            found.add(message)
    return found


def _catalogue(code) -> Catalog:
    with (CATALOGUES / code / "LC_MESSAGES" / "attnviz.po").open("rb") as file:
        return read_po(file, locale=code)


def _fields(text):
    return {name for _literal, name, _spec, _conversion in string.Formatter().parse(text) if name is not None}


TRANSLATED = sorted(set(LANGUAGES) - {"en"})


@pytest.mark.parametrize("code", TRANSLATED)
def test_the_catalogue_has_what_the_source_says_and_no_more(code):
    translated = {
        message.id if isinstance(message.id, str) else tuple(message.id) for message in _catalogue(code) if message.id
    }
    assert translated == _in_source()


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_sentence_is_empty_or_doubtful(code):
    doubtful = [
        message.id
        for message in _catalogue(code)
        if message.id
        and (message.fuzzy or not all([message.string] if isinstance(message.string, str) else message.string))
    ]
    assert doubtful == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_translation_keeps_the_fields_of_its_sentence(code):
    for message in _catalogue(code):
        if isinstance(message.id, tuple):
            allowed = {"count"}.union(*map(_fields, message.id))
            needed = set.intersection(*map(_fields, message.id)) - {"count"}
            for said in message.string:
                assert needed <= _fields(said) <= allowed, said
        else:
            assert _fields(message.string) == _fields(message.id), message.string


def test_russian_has_three_plural_forms_and_japanese_one():
    assert (_catalogue("ru").num_plurals, _catalogue("ja").num_plurals) == (3, 1)
