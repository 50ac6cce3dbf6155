import json

import pytest
import torch
from tokenizers import ByteLevelBPETokenizer, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import BertTokenizerFast, PreTrainedTokenizerFast

from attnviz.base.errors import InputError
from attnviz.tokens import Tokens, cut, isolated, visible


@pytest.fixture
def wordpiece(tmp_path):
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "black", "##bird", "cat"]
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(pieces))
    return BertTokenizerFast(str(path))


@pytest.fixture
def byte_level():
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(["the black cat"] * 9, vocab_size=300, special_tokens=["</s>"], show_progress=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, eos_token="</s>")


def test_every_field_has_one_entry_a_token():
    for field, entries in {
        "ids": (1,),
        "words": (0, 0, 0),
        "spans": (),
        "special": (True,),
        "padding": (False,),
        "generated": (True,),
    }.items():
        with pytest.raises(InputError, match=field):
            Tokens(("a", "b"), **{field: entries})


def test_equal_texts_stay_different_tokens():
    assert len(Tokens(("the", "the", ""))) == 3
    assert Tokens(("the", "the", "")).labels() == ("the", "the", "∅")


def test_numbered_tokens_are_known_by_their_place():
    assert Tokens.numbered(3).labels() == ("0", "1", "2")
    assert Tokens.numbered(2, "patch", prefix="patch ").labels() == ("patch 0", "patch 1")


def test_what_is_shown():
    tokens = Tokens(("[CLS]", "a", "b", "[PAD]"), special=(True, False, False, True), padding=(False,) * 3 + (True,))
    assert tokens.shown() == (0, 1, 2)
    assert tokens.shown(hide_special=True) == (1, 2)
    assert tokens.is_special(0)
    assert not tokens.is_padding(0)
    assert not Tokens(("a",)).is_special(0)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("black", "black"),
        ("##ly", "##ly"),
        ("▁the", "▁the"),
        (" the", "·the"),
        ("the ", "the·"),
        ("the cat", "the cat"),
        ("the  cat", "the··cat"),
        ("\n", "↵"),
        ("\t\r\n", "⇥␍↵"),
        ("\u3000", "·"),
        ("\u00a0x", "·x"),
        ("", "∅"),
        ("\x00", "U+0000"),
        ("\x1b[2J", "U+001B[2J"),
        ("\u200b", "U+200B"),
        ("a\u202eb", "aU+202Eb"),
        ("\u2066a\u2069", "U+2066aU+2069"),
        ("\ufeffa", "U+FEFFa"),
        ("a\u200db", "aU+200Db"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\U000e0041", "aU+E0041"),
        ("\u3164", "U+3164"),
        ("\ufe0f", "◌\ufe0f"),
        ("a\u00adb", "aU+00ADb"),
        ("שלום", "שלום"),
        ("\u200d", "U+200D"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\ud83d", "U+D83D"),
        ("\u0301", "◌\u0301"),
        ("<s>", "<s>"),
        ("Кот", "Кот"),
        ("猫", "猫"),
    ],
)
def test_a_label_shows_everything_that_is_there(text, label):
    assert visible(text) == label
    assert Tokens((text,)).label(0) == label


def test_a_label_can_always_be_sent():
    for code in (*range(0x3000), 0xD800, 0xDFFF, 0xE000, 0xFEFF, 0xFFFF, 0xE0001, 0x10FFFF):
        label = visible(chr(code))
        assert label.strip()
        assert label.encode()


def test_wordpiece_tokens_with_words_spans_and_padding(wordpiece):
    texts = ["the blackbird", "cat"]
    encoding = wordpiece(texts, padding=True, return_tensors="pt")
    first, second = (Tokens.from_tokenizer(wordpiece, encoding, item, texts[item]) for item in range(2))
    assert first.texts == ("[CLS]", "the", "black", "##bird", "[SEP]")
    assert first.ids == (2, 5, 6, 7, 3)
    assert first.words == (None, 0, 1, 1, None)
    assert first.spans == (None, (0, 3), (4, 9), (9, 13), None)
    assert first.special == (True, False, False, False, True)
    assert first.padding == (False,) * 5
    assert [first.source[a:b] for a, b in filter(None, first.spans)] == ["the", "black", "bird"]
    assert second.texts == ("[CLS]", "cat", "[SEP]", "[PAD]", "[PAD]")
    assert second.padding == (False, False, False, True, True)
    assert second.shown(hide_special=True) == (1,)


def test_ids_may_be_plain_lists(wordpiece):
    alone = Tokens.from_tokenizer(wordpiece, {"input_ids": [2, 5, 3]})
    assert alone.texts == ("[CLS]", "the", "[SEP]")
    assert (alone.words, alone.spans, alone.padding) == (None, None, None)
    assert Tokens.from_tokenizer(wordpiece, {"input_ids": torch.tensor([[2, 3], [5, 6]])}, 1).texts == ("the", "black")
    assert Tokens.from_tokenizer(wordpiece, {"input_ids": []}).texts == ()


def test_byte_level_pieces_are_shown_as_what_they_stand_for(byte_level):
    tokens = Tokens.from_tokenizer(byte_level, byte_level("the black猫"), text="the black猫")
    assert tokens.texts[:2] == ("the", " black")
    assert tokens.label(1) == "·black"
    assert "".join(tokens.texts[2:]) == "<0xE7><0x8C><0xAB>"  # 猫 in UTF-8, cut into its bytes
    assert Tokens.from_tokenizer(byte_level, byte_level("</s>")).texts == ("</s>",)


def test_a_byte_level_piece_may_be_a_whole_foreign_word():
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(["кот"] * 9, vocab_size=300, show_progress=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer)
    assert Tokens.from_tokenizer(tokenizer, tokenizer("кот")).texts == ("кот",)


def test_a_wordpiece_vocabulary_may_use_the_same_letters():
    class Maltese:
        all_special_ids = ()

        def convert_ids_to_tokens(self, ids):
            return ["Ġorġ"] * len(ids)

        def convert_tokens_to_string(self, tokens):
            return " ".join(tokens)

    assert Tokens.from_tokenizer(Maltese(), {"input_ids": [0]}).texts == ("Ġorġ",)


def test_an_encoding_that_lacks_what_is_asked_for(wordpiece):
    with pytest.raises(InputError, match="input_ids"):
        Tokens.from_tokenizer(wordpiece, {})
    with pytest.raises(InputError, match="Item 2"):
        Tokens.from_tokenizer(wordpiece, {"input_ids": [[2], [3]]}, 2)


def test_tokens_survive_being_written_down(wordpiece):
    encoding = wordpiece(["the cat"])
    for tokens in (
        Tokens.from_tokenizer(wordpiece, encoding, text="the cat"),
        Tokens.numbered(3, "road-user"),
        Tokens(("a",), ids=("pedestrian 7",), generated=(True,)),
        Tokens(()),
    ):
        assert Tokens.from_json(json.loads(json.dumps(tokens.to_json()))) == tokens


@pytest.mark.parametrize(
    "written",
    [
        None,
        [],
        {},
        {"texts": "abc"},
        {"texts": [1]},
        {"texts": ["a"], "kind": "person"},
        {"texts": ["a"], "kind": []},
        {"texts": ["a"], "ids": [1.5]},
        {"texts": ["a"], "ids": [True]},
        {"texts": ["a"], "words": ["0"]},
        {"texts": ["a"], "spans": [[1]]},
        {"texts": ["a"], "spans": [[1, None]]},
        {"texts": ["a"], "spans": ["ab"]},
        {"texts": ["a"], "special": [1]},
        {"texts": ["a"], "special": [True, True]},
        {"texts": ["a"], "source": 3},
        {"texts": ["a"], "colour": "red"},
    ],
)
def test_what_are_no_tokens_is_refused(written):
    with pytest.raises(InputError):
        Tokens.from_json(written)


@pytest.mark.parametrize(
    ("label", "longest", "short"),
    [
        ("internationalization", 19, "internation…ization"),
        ("internationalization", 20, "internationalization"),
        ("猫猫猫猫猫猫", 12, "猫猫猫猫猫猫"),
        # One column for the dots, four of the rest for the end, in letters of two.
        ("猫犬鳥魚馬牛", 11, "猫犬鳥…馬牛"),
        ("ab", 1, "…"),
    ],
)
def test_a_long_label_is_cut_in_the_middle(label, longest, short):
    assert cut(label, longest) == short


def test_only_what_is_written_from_right_to_left_is_isolated():
    assert isolated("cat") == "cat"
    assert isolated("קט") == "\u2068קט\u2069"
    assert isolated("cat قط") == "\u2068cat قط\u2069"


def test_the_first_letter_with_a_direction_tells_the_direction():
    special = (True, False, False)
    assert Tokens(("[CLS]", "12", "שלום"), special=special).runs_right_to_left()
    assert not Tokens(("[CLS]", "a", "שלום"), special=special).runs_right_to_left()
    assert not Tokens(("1", "2")).runs_right_to_left()


# Other tokenizers.


@pytest.fixture
def sentencepiece():
    """A unigram model with a ▁ for each space, and bytes for what no piece covers."""
    pieces = [("<unk>", 0.0), ("</s>", 0.0), ("▁the", -1.0), ("▁black", -1.0), ("▁c", -1.0), ("at", -1.0)]
    pieces += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    tokenizer.add_special_tokens(["</s>"])
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def test_sentencepiece_is_shown_as_what_it_stands_for(sentencepiece):
    text = "the black cat\n猫"
    expected = (" the", " black", " c", "at", "\n", "<0xE7>", "<0x8C>", "<0xAB>", "</s>")
    fast = PreTrainedTokenizerFast(tokenizer_object=sentencepiece, eos_token="</s>")
    for tokens in (
        Tokens.from_tokenizer(fast, fast(text), text=text),
        Tokens.of(fast, text),
        Tokens.of(sentencepiece, text),
    ):
        assert tokens.texts == expected
        assert tokens.labels()[:5] == ("·the", "·black", "·c", "at", "↵")
        assert tokens.special == (False,) * 8 + (True,)
        assert [text[a:b] for a, b in filter(None, tokens.spans)][:4] == ["the", " black", " c", "at"]


def test_an_encoding_of_the_package_tokenizers(sentencepiece):
    sentencepiece.enable_padding(direction="left", length=4, pad_token="</s>", pad_id=1)
    encoding = sentencepiece.encode("the")
    tokens = Tokens.from_encoding(encoding, sentencepiece, "the")
    assert tokens.texts == ("</s>", "</s>", " the", "</s>")
    assert tokens.padding == (True, True, False, False)
    assert tokens.words == (None, None, 0, None)
    assert tokens.ids == (1, 1, 2, 1)
    # Without the tokenizer nobody knows how the pieces are spelt.
    assert Tokens.from_encoding(encoding).texts[2] == "▁the"


class Bytes:
    """An encoder like tiktoken's: two bytes make one token."""

    def encode(self, text):
        spelt = text.encode()
        return [int.from_bytes(spelt[at : at + 2], "big") for at in range(0, len(spelt), 2)]

    def decode_single_token_bytes(self, token):
        return token.to_bytes(2 if token > 255 else 1, "big")


def test_an_encoder_of_bytes():
    tokens = Tokens.of(Bytes(), "ab猫é")
    # 猫 is E7 8C AB, é is C3 A9: the second token holds two thirds of one, the third the rest and half of the other.
    assert tokens.texts == ("ab", "<0xE7><0x8C>", "<0xAB><0xC3>", "<0xA9>")
    assert tokens.spans == ((0, 2), (2, 3), (2, 4), (3, 4))


class Processor:
    """A SentencePiece processor, as far as it is used."""

    PIECES = ("<s>", "▁the", "▁cat")

    def encode(self, text):
        return [0, 1, 2]

    def id_to_piece(self, token):
        return self.PIECES[token]

    def is_control(self, token):
        return token == 0


def test_a_sentencepiece_processor():
    tokens = Tokens.of(Processor(), "the cat")
    assert (tokens.texts, tokens.special) == (("<s>", " the", " cat"), (True, False, False))


def test_a_function_or_a_list_of_strings_is_a_tokenizer():
    for tokenizer in (str.split, ["the", "the", "cat"]):
        tokens = Tokens.of(tokenizer, "the the cat")
        assert tokens.texts == ("the", "the", "cat")
        assert tokens.spans == ((0, 3), (4, 7), (8, 11))
    assert Tokens.of(["猫", "not there"], "猫").spans == ((0, 1), None)


@pytest.mark.parametrize("tokenizer", [None, 3, "text", [1], lambda text: [1], lambda text: "abc", object()])
def test_what_is_no_tokenizer_is_refused(tokenizer):
    with pytest.raises(InputError, match="no tokenizer that is known"):
        Tokens.of(tokenizer, "a b")


def test_a_slow_tokenizer_gives_texts_without_spans():
    class Slow:
        all_special_ids = (0,)

        def __call__(self, texts):
            return {"input_ids": [[0, 1]]}

        def convert_ids_to_tokens(self, ids):
            return [("<s>", "Ġcat")[token] for token in ids]

        def convert_tokens_to_string(self, tokens):
            return "".join(tokens).replace("Ġ", " ")

    tokens = Tokens.of(Slow(), "cat")
    assert (tokens.texts, tokens.spans, tokens.special) == (("<s>", " cat"), None, (True, False))
