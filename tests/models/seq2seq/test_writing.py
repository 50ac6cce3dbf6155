"""What a model writes by itself: what was chosen is what is shown, in one pass after it was written."""

import pytest
import torch

from attnviz.base.errors import InputError

SENTENCE = "the black cat sees the small dog ."


def _generated(translator, beams, **options):
    """What `generate` gives, asked the way that its documentation tells."""
    model, tokenizer = translator.model.module, translator.model.tokenizer
    source = translator.translate(SENTENCE).source
    kind, most = model.config.model_type, 128 if model.config.model_type == "t5" else 63
    if kind in ("m2m_100", "mbart") and tokenizer.prefix_tokens:
        options["forced_bos_token_id"] = tokenizer.convert_tokens_to_ids(
            {"en": "__fr__", "eng_Latn": "fra_Latn", "en_XX": "fr_XX"}[tokenizer.src_lang]
        )
    elif kind == "mbart":
        options["decoder_start_token_id"] = tokenizer.convert_tokens_to_ids("fr_XX")
    with torch.no_grad():
        return model.generate(
            input_ids=torch.tensor([source.ids]),
            num_beams=beams,
            do_sample=False,
            max_new_tokens=most,
            return_dict_in_generate=True,
            output_scores=True,
            **options,
        )


@pytest.mark.parametrize("beams", [1, 3])
def test_what_was_chosen_is_what_is_forced(family, beams):
    found = family.translate(SENTENCE, beams=beams)
    (written,) = _generated(family, beams).sequences.tolist()
    shown = [found.consumed.ids[0], *found.predicted.ids]
    if found.ended:
        assert shown == written[: len(shown)]
        assert set(written[len(shown) :]) <= {family.model.module.config.pad_token_id}
    else:
        assert shown[: len(written)] == written
        assert len(shown) - len(written) in (0, 1), "the end, where the model's settings had not put it there"
    assert (found.forced, found.beams) == (False, beams)


def test_greedy_steps_are_the_likeliest_alternatives(t5):
    found = t5.translate(SENTENCE)
    rows = len(found.predicted) - (0 if found.ended else 1)
    assert rows > 3
    for row in range(rows):
        assert len(found.alternatives[row]) == 5
        assert found.alternatives[row][0].text == found.predicted.texts[row]
        assert found.alternatives[row][0].probability == pytest.approx(found.log_probabilities[row].exp().item())


def test_the_sum_is_the_score_of_the_beam(t5):
    found = t5.translate(SENTENCE, beams=4)
    expected = _generated(t5, 4)
    rows = expected.sequences.shape[1] - 1
    total = found.log_probabilities[:rows].sum().item()
    assert total / rows == pytest.approx(expected.sequences_scores.item(), abs=1e-4)


def test_forcing_what_it_wrote_gives_the_same_numbers(nllb, monkeypatch):
    # What a model with random weights would hardly write, with the padding that beams leave behind it.
    ids = nllb.model.tokenizer(text_target=["le chat noir"])["input_ids"][0]
    monkeypatch.setattr(nllb.model.module, "generate", lambda **options: torch.tensor([[2, *ids, 1, 1]]))
    free = nllb.translate(SENTENCE, beams=2)
    (forced,) = nllb.force([(SENTENCE, "le chat noir")])
    assert (free.target_text, free.ended) == ("le chat noir", True)
    assert forced.predicted.ids == free.predicted.ids == tuple(ids)
    assert (forced.predicted.spans, forced.predicted.words) == (free.predicted.spans, free.predicted.words)
    torch.testing.assert_close(forced.log_probabilities, free.log_probabilities, atol=1e-6, rtol=0)


def test_its_trace_is_that_of_its_translation(t5):
    found, expected = t5.trace(SENTENCE), t5.translate(SENTENCE).trace
    assert found.roles() == ("encoder", "decoder", "cross")
    torch.testing.assert_close(found.of_role("cross")[1].weights(), expected.of_role("cross")[1].weights())


def test_what_was_written_has_places(t5, monkeypatch):
    ids = t5.model.tokenizer(text_target=["le chat noir"])["input_ids"][0]
    monkeypatch.setattr(t5.model.module, "generate", lambda **options: torch.tensor([[0, *ids, 0, 0]]))
    found = t5.translate("the black cat")
    assert found.ended
    assert found.predicted.source == "le chat noir"
    assert found.predicted.ids == tuple(ids)
    assert [found.predicted.spans[place] for place in (0, -1)] == [(0, 1), None]
    assert found.predicted.generated == (True,) * len(ids)
    assert found.consumed.generated == (False, *(True,) * (len(ids) - 1))


def test_an_end_that_was_put_there_is_said(t5, monkeypatch):
    monkeypatch.setattr(t5.model.module, "generate", lambda **options: torch.tensor([[0, 7, 8, 9]]))
    found = t5.translate("the black cat")
    assert not found.ended
    assert found.predicted.ids == (7, 8, 9, 1)
    assert found.consumed.ids == (0, 7, 8, 9)
    assert any("did not come to an end within 3 tokens" in str(note) for note in found.trace.notes)


def test_an_end_that_the_longest_length_forced_is_none(marian, monkeypatch):
    # Marian's settings put </s> (0) where the length ends.
    most = marian.model.positions() - 1
    monkeypatch.setattr(marian.model.module, "generate", lambda **options: torch.tensor([[2, *[5] * (most - 1), 0]]))
    assert not marian.translate("the black cat").ended
    monkeypatch.setattr(marian.model.module, "generate", lambda **options: torch.tensor([[2, 5, 5, 0]]))
    assert marian.translate("the black cat").ended


def test_settings_that_had_a_say_are_named(bart, marian, nllb, t5):
    def said(translator):
        return " ".join(map(str, translator.translate(SENTENCE, beams=2).trace.notes))

    assert "no_repeat_ngram_size = 3" in said(bart)
    assert "bad_words_ids = [[2]]" in said(marian)
    assert f"forced_bos_token_id = {nllb.model.tokenizer.convert_tokens_to_ids('fra_Latn')}" in said(nllb)
    assert "settings of the model" not in said(t5)


@pytest.mark.parametrize("beams", [0, -1, 17])
def test_a_number_of_beams_that_is_none(t5, beams):
    with pytest.raises(InputError, match=f"is {beams}; expected is one from 1 to 16"):
        t5.translate("the cat", beams=beams)


def test_an_empty_text_is_one_sentence(family):
    with pytest.raises(InputError, match="The text is empty"):
        family.translate(" \n")
