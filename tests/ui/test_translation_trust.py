"""What is said about a table of links: by hand."""

from attnviz.translation import Links, SentencePair
from attnviz.translation.heads import Chosen, HeadName
from attnviz.translation.mistakes import KindCount
from attnviz.translation.scores import Counts, score
from attnviz.ui.translation.translated import Wanted
from attnviz.ui.translation.trust.causal import agreement, offered
from attnviz.ui.translation.trust.gold import chosen_sentence
from attnviz.ui.translation.trust.wrong import finding, looking_at_noun

GRU = Wanted("gru", "en-fr", "translation/en-fr/gru", "", "", 1)
GOLD = Links(frozenset({(0, 0), (1, 2), (2, 1)}), frozenset())
PAIR = SentencePair(
    ("the", "black", "cat"), ("le", "chat", "noir"), GOLD, ("determiner", "noun", "adjective")
)  # fmt: skip


def test_a_determiner_that_looks_at_its_noun_is_told_from_one_that_looks_elsewhere():
    at_noun, elsewhere = frozenset({(2, 0), (2, 1), (1, 2)}), frozenset({(1, 0), (2, 1), (1, 2)})
    assert looking_at_noun([at_noun], [PAIR]) == 1
    assert looking_at_noun([elsewhere], [PAIR]) == 0


def test_a_wrong_word_of_another_kind_is_no_determiner():
    assert looking_at_noun([frozenset({(0, 0), (2, 1), (2, 2)})], [PAIR]) == 0


def test_nearly_all_is_said_only_where_the_numbers_say_so():
    few = finding([KindCount("determiner", 20, 8), KindCount("verb", 20, 2)], 7, GRU, "its one head")
    many = finding([KindCount("determiner", 20, 9), KindCount("verb", 20, 1)], 7, GRU, "its one head")
    assert few[1] == "The most frequent kind among these: determiner (8 of 10, 80 %)."
    assert many[1] == "Nearly all of these are of one kind: determiner (9 of 10, 90 %)."
    assert many[2].startswith("7 of these 9 determiners look at the noun")


def test_without_a_mistake_no_kind_is_named_and_nothing_is_said_against_attention():
    assert finding([KindCount("noun", 20, 0)], 0, GRU, "its one head") == [
        "Of 20 target words, none looks most at a word that gold does not link it to (its one head)."
    ]


def test_one_sentence_on_the_other_half_has_no_interval():
    one, two = Counts(4, 4, 3, 3), [Counts(4, 4, 3, 3), Counts(4, 4, 3, 3)]
    assert chosen_sentence(Chosen(HeadName(0, 1), 0.1, score([one]))) == (
        "Chosen on one half: layer 0, head 1, 10.0 %. On the other half it gives **25.0 %**."
    )
    assert chosen_sentence(Chosen(HeadName(0, 1), 0.1, score(two))).endswith("gives **25.0 %** (25.0 to 25.0 %).")
    assert "nan" not in chosen_sentence(Chosen(HeadName(0, 1), float("nan"), score([Counts(0, 0, 0, 0)])))


def test_where_weight_and_effect_differ_is_said():
    weights, effect = frozenset({(2, 0), (2, 1), (1, 2)}), frozenset({(0, 0), (2, 1), (1, 2)})
    said = agreement(effect, weights, PAIR.source, PAIR.target).replace("\u2068", "").replace("\u2069", "")
    assert said.startswith("For 2 of 3 target words")
    assert "“le” looks at “cat” and loses most without “the”." in said


def test_words_of_the_same_kind_are_offered_first_and_each_once():
    words = offered("black", "")
    assert words[0] == ""
    assert "white" in words[:60]
    assert "black" not in words
    assert len(words) == len(set(words))
