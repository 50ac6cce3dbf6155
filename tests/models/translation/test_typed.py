"""What a person types, as words."""

import pytest

from attnviz.base.errors import InputError
from attnviz.models.translation import typed
from attnviz.models.translation.vocabulary import Vocabulary

ENGLISH = Vocabulary.of([("the", "woman", "'s", "black", "cat", "does", "not", "sleep", "will", ".")])
FRENCH = Vocabulary.of([("l'", "ami", "a", "le", "chat", "noir", ".")])
JAPANESE = Vocabulary.of([("黒い", "猫", "は", "彼", "彼女", "女", "。")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The black cat", "the black cat"),
        ("  The woman's cat. ", "the woman 's cat ."),
        ("the woman’s cat doesn’t sleep.", "the woman 's cat does not sleep ."),
        ("the cat won't sleep .", "the cat will not sleep ."),
    ],
)
def test_english_as_people_write_it(text: str, expected: str):
    assert " ".join(typed.english(text, ENGLISH)) == expected


def test_a_translation_is_cut_where_known_words_end():
    assert typed.target("l'ami", FRENCH) == ("l'", "ami")
    assert typed.target("Le chat noir .", FRENCH) == ("le", "chat", "noir", ".")
    # The fewest words: 彼女 rather than 彼 and 女.
    assert typed.target("彼女は黒い猫。", JAPANESE) == ("彼女", "は", "黒い", "猫", "。")


def test_an_unknown_word_is_named_with_near_ones():
    with pytest.raises(InputError, match=r"does not know the word “cta”; it knows cat"):
        typed.english("the cta", ENGLISH)
    with pytest.raises(InputError, match=r"“zzz”, nor one that is written like it"):
        typed.english("zzz", ENGLISH)
    with pytest.raises(InputError, match=r"“chien”"):
        typed.target("le chien", FRENCH)


@pytest.mark.parametrize("word", ["<s>", "</s>", "<pad>"])
def test_special_words_cannot_be_typed(word: str):
    with pytest.raises(InputError, match="does not know"):
        typed.english(word, ENGLISH)


@pytest.mark.parametrize("text", ["It's a cat.", "he’s the cat", "There's the cat"])
def test_a_verb_that_was_drawn_together_is_no_possessor(text: str):
    told = Vocabulary.of([("it", "he", "there", "a", "the", "'s", "cat", ".")])
    with pytest.raises(InputError, match="does not know the word “is”"):
        typed.english(text, told)


def test_nothing_and_too_much():
    with pytest.raises(InputError, match="empty"):
        typed.english("  ", ENGLISH)
    with pytest.raises(InputError, match="41 words; at most 40"):
        typed.english("cat " * 41, ENGLISH)
    with pytest.raises(InputError, match="does not know"):
        typed.target("a" * 5000, FRENCH)
