"""Languages, prefixes and the two vocabularies: what stands where, model by model."""

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.models import Seq2Seq, TextModel, translator
from attnviz.translation import effects


def forced(one, source="the black cat", target="le chat noir"):
    (found,) = one.force([(source, target)])
    return found


def test_codes_of_languages_are_special_and_stand_where_each_model_learnt_them(mbart, mbart50, m2m100, nllb):
    # From the documentation of each tokenizer: the first mBART has the code behind a source and begins a target with
    # it; the others have it in front, and the decoder begins with </s>.
    expected = {
        mbart: (("</s>", "en_XX"), ("fr_XX",)),
        mbart50: (("en_XX", "</s>"), ("</s>", "fr_XX")),
        m2m100: (("__en__", "</s>"), ("</s>", "__fr__")),
        nllb: (("eng_Latn", "</s>"), ("</s>", "fra_Latn")),
    }
    for one, (in_source, before_target) in expected.items():
        found = forced(one)

        def special(tokens):
            return tuple(text for text, mine in zip(tokens.texts, tokens.special, strict=True) if mine)

        assert special(found.source) == in_source
        assert special(found.consumed) == before_target
        assert special(found.predicted) == (*before_target[1:], "</s>")
        assert found.source.shown(hide_special=True) == tuple(
            place for place, text in enumerate(found.source.texts) if text not in in_source
        )


def test_an_unknown_word_is_a_word(family):
    found = forced(family, "the black zebu", "le xyz")
    assert found.predicted.words[-2] == 1
    assert not found.predicted.is_special(len(found.predicted) - 2)
    assert found.source.words.count(2) >= 1


def test_a_prefix_belongs_to_no_word(t5):
    found = forced(t5)
    prefix = t5.model.tokenizer(["translate English to French:"], add_special_tokens=False)["input_ids"][0]
    count = len(prefix)
    assert list(found.source.ids[:count]) == prefix
    assert found.source.special[:count] == (True,) * count
    assert found.source.spans[:count] == (None,) * count
    assert found.source.source == "the black cat"
    assert found.source.words[count] == 0
    assert not any(found.source.special[count:-1])


def test_two_vocabularies_are_kept_apart(marian_parts):
    config, tokenizer = marian_parts(separate=True)
    from transformers import MarianMTModel

    one = Seq2Seq(TextModel("marian", None, MarianMTModel(config).eval(), tokenizer))
    found = forced(one)
    target = {number: piece for piece, number in tokenizer.target_encoder.items()}
    source = {number: piece for piece, number in tokenizer.encoder.items()}
    assert "".join(target[number] for number in found.predicted.ids) == "▁le▁chat▁noir</s>"
    assert "".join(source[number] for number in found.source.ids) == "▁the▁black▁cat</s>"
    assert "".join(found.source.texts) == " the black cat</s>"
    assert "".join(found.predicted.texts) == " le chat noir</s>"
    wrong = tokenizer(["le chat noir"])["input_ids"][0]
    assert tuple(wrong) != found.predicted.ids, "the source's tokenizer gives other ids"


def test_marian_asks_for_one_of_its_targets_before_the_source(marian_parts):
    from transformers import MarianMTModel

    config, tokenizer = marian_parts(codes=(">>fra<<", ">>ron<<"))
    model = TextModel("marian", None, MarianMTModel(config).eval(), tokenizer)
    asked = Seq2Seq(model, target_language="fra")
    assert asked.languages == ("fra", "ron")
    found = forced(asked)
    assert (found.source.texts[0], found.source.special[0], found.source.spans[0]) == (">>fra<<", True, None)
    assert found.source.source == "the black cat"
    assert found.source.words[1] == 0
    plain = Seq2Seq(model)
    typed = forced(plain, ">>fra<< the black cat")
    assert typed.source == found.source
    # Without a word the code still stands there: the same as where it was asked for by name.
    assert (typed.language_code, found.language_code) == (">>fra<< ", "")
    (without,), (expected,) = (effects.removals(one, [of]) for one, of in ((plain, typed), (asked, found)))
    torch.testing.assert_close(without, expected)
    words = typed.source.source.split()
    torch.testing.assert_close(
        effects.removal(plain, words, typed.target_text, typed.predicted, typed.language_code), expected
    )
    with pytest.raises(InputError, match="does not know the language “fr”; it knows, for instance: fra"):
        Seq2Seq(model, target_language="fr")


def test_languages_that_a_tokenizer_does_not_know_are_answered_with_near_ones(nllb, mbart, m2m100):
    assert len(nllb.languages) > 190
    with pytest.raises(InputError, match=r"does not know the language “fr”; it knows, for instance: .*fra_Latn"):
        Seq2Seq(nllb.model, source_language="eng_Latn", target_language="fr")
    with pytest.raises(InputError, match="“xx_XX”"):
        Seq2Seq(mbart.model, source_language="xx_XX", target_language="fr_XX")
    with pytest.raises(InputError, match=r"it knows, for instance: .*fr"):
        Seq2Seq(m2m100.model, target_language="french")


def test_without_a_target_language_the_model_asks_which(opened, nllb_parts):
    with pytest.raises(InputError, match=r"translates into 20\d languages; say which, as target_language"):
        opened(*nllb_parts)


def test_a_model_that_always_writes_one_language_needs_no_other_word(opened, nllb_parts):
    config, tokenizer = nllb_parts
    code = tokenizer.convert_tokens_to_ids("fra_Latn")
    one = opened(config, tokenizer, settings={"forced_bos_token_id": code})
    assert forced(one).predicted.texts[0] == "fra_Latn"


def test_a_tokenizer_for_one_pair_knows_no_languages(t5):
    assert t5.languages == ()
    with pytest.raises(InputError, match="knows no languages by name; “fr” was asked for"):
        Seq2Seq(t5.model, target_language="fr")


def test_a_model_without_a_second_side_is_one_sentence(gpt2):
    with pytest.raises(InputError, match="does not translate: it has no decoder beside its encoder"):
        translator(str(gpt2))


def test_what_a_missing_package_keeps_closed_is_said(monkeypatch, bart):
    from transformers import AutoTokenizer
    from transformers.utils.import_utils import SENTENCEPIECE_IMPORT_ERROR

    def refuse(*given, **options):
        raise ImportError(SENTENCEPIECE_IMPORT_ERROR.format("MarianTokenizer"))

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", refuse)
    with pytest.raises(InputError, match="needs the Python package sentencepiece; get it with"):
        translator(bart.name)
