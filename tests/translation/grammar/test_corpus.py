"""What training is shown and what it is not."""

from itertools import islice
from pathlib import Path

import pytest

from attnviz.translation import SentencePair, grammar
from attnviz.translation.grammar import english, french, japanese, russian
from attnviz.translation.grammar.meaning import ADJECTIVES, NOUNS, phrases
from attnviz.translation.grammar.parsing import parse
from attnviz.translation.grammar.sampling import is_held_out

LANGUAGES = sorted(grammar.LANGUAGES)
TRAINING = grammar.corpus("fr", "train", 1500)


def texts(pairs: list[SentencePair]) -> list[str]:
    return [pair.source_text for pair in pairs]


@pytest.mark.parametrize("module", [french, japanese, russian])
def test_every_language_has_every_word(module: object) -> None:
    assert list(module.NOUNS) == list(NOUNS)  # type: ignore[attr-defined]
    assert list(module.ADJECTIVES) == list(ADJECTIVES)  # type: ignore[attr-defined]
    assert list(module.VERBS) == list(english.VERBS)  # type: ignore[attr-defined]


def test_training_shows_no_pair_that_is_held_out_and_the_other_split_always_does() -> None:
    def held_out(pair: SentencePair) -> bool:
        meaning = parse(pair.source)
        assert meaning is not None
        return any(
            is_held_out(adjective, phrase.noun) for phrase in phrases(meaning) for adjective in phrase.adjectives
        )

    assert is_held_out("black", "cat")
    assert not any(map(held_out, TRAINING))
    assert not any(map(held_out, grammar.corpus("fr", "test", 200)))
    assert all(map(held_out, grammar.corpus("fr", "unseen", 200)))


def test_training_shows_no_test_sentence_whatever_its_seed() -> None:
    test = set(texts(grammar.corpus("fr", "test", grammar.HELD_OUT_SENTENCES)))
    assert len(test) == grammar.HELD_OUT_SENTENCES
    assert test.isdisjoint(texts(TRAINING))
    # Without being kept out they would be drawn: short ones come again and again.
    drawn = {pair.source_text for pair in grammar.corpus("fr", "test", 500, seed=1)}
    assert not test.isdisjoint(drawn)


def test_english_is_the_same_for_all_languages() -> None:
    french_texts, *others = ([*islice((pair.source_text for pair in grammar.stream(code, "train")), 50)]
                             for code in LANGUAGES)  # fmt: skip
    assert all(other == french_texts for other in others)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_read_back_in_one_way(language: str) -> None:
    for pair in grammar.corpus(language, "train", 200, seed=7):
        assert grammar.translate(language, pair.source) == pair


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_stay_within_the_sentence_and_every_word_has_a_kind(language: str) -> None:
    for pair in grammar.corpus(language, "test", 100):
        assert pair.links is not None
        assert pair.kinds is not None
        assert len(pair.kinds) == len(pair.target)
        assert all(0 <= i < len(pair.source) and 0 <= j < len(pair.target) for i, j in pair.links.possible)
        assert pair.links.sure <= pair.links.possible
        linked = {j for _, j in pair.links.possible}
        # Only “le” of an owner's noun and the voice that one hears in Japanese render no word of their own.
        assert linked >= {j for j, kind in enumerate(pair.kinds) if kind in ("noun", "adjective", "verb")}


def test_every_word_can_be_offered() -> None:
    known = set(grammar.vocabulary())
    used = {word for pair in TRAINING for word in pair.source}
    assert used == known


def test_the_docs_tell_how_many_words_there_are():
    words = {word for kind in grammar.words_by_kind().values() for word in kind}
    said = (Path(__file__).parents[3] / "docs" / "translation.md").read_text(encoding="utf-8")
    assert f"{len(words)} English words" in said
