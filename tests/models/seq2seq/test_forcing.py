"""A given target in one pass: the numbers are those that the model's own loss and its own eager attention give."""

import copy

import pytest
import torch
import torch.nn.functional as F

from attnviz.base.errors import InputError
from attnviz.models import Seq2Seq, TextModel
from attnviz.translation import Translator

PAIRS = [
    ("the black cat", "le chat noir"),
    ("the woman 's cat does not see the small dog .", "le chat de la femme ne voit pas le petit chien ."),
    ("a dog", "un chien"),
]


def forced(translator, source, target, **options):
    (found,) = translator.force([(source, target)], **options)
    return found


def test_it_is_a_translator(family):
    assert isinstance(family, Translator)


def test_weights_are_those_of_eager_attention(family):
    found = forced(family, *PAIRS[0])
    eager = copy.deepcopy(family.model.module)
    eager.set_attn_implementation("eager")
    with torch.no_grad():
        expected = eager(
            input_ids=torch.tensor([found.source.ids]),
            decoder_input_ids=torch.tensor([found.consumed.ids]),
            output_attentions=True,
            use_cache=False,
        )
    for role in ("encoder", "decoder", "cross"):
        recorded = found.trace.of_role(role)
        assert len(recorded) == 2
        for attention, weights in zip(recorded, expected[f"{role}_attentions"], strict=True):
            torch.testing.assert_close(attention.weights(), weights[0], atol=1e-5, rtol=0)
    cross = found.trace.of_role("cross")[1]
    assert (cross.query_tokens, cross.key_tokens) == (found.consumed, found.source)
    assert cross.weights().std(-1).max() > 0.01, "rows that are all alike would show nothing"


def test_log_probabilities_are_the_models_own_loss(family):
    model, (source, target) = family.model, PAIRS[1]
    found = forced(family, source, target)
    labels = torch.tensor(model.tokenizer(text_target=[target])["input_ids"])
    with torch.no_grad():
        output = model.module(input_ids=torch.tensor([found.source.ids]), labels=labels, use_cache=False)
    if model.module.config.model_type == "mbart" and labels[0, -1] != 2:
        # The first mBART also learnt to predict its language's code after the end, which it never writes.
        expected = -F.cross_entropy(output.logits[0, :-1], labels[0, :-1], reduction="none")
    else:
        rows = labels.shape[1]
        assert found.log_probabilities.sum().item() == pytest.approx(-output.loss.item() * rows, abs=1e-3)
        expected = -F.cross_entropy(output.logits[0], labels[0], reduction="none")
    torch.testing.assert_close(found.log_probabilities, expected, atol=1e-4, rtol=1e-5)


def test_in_a_batch_everything_is_as_alone(family):
    together = list(family.force(PAIRS, alternatives=3))
    assert len(together) == 3
    for pair, found in zip(PAIRS, together, strict=True):
        alone = forced(family, *pair, alternatives=3)
        assert (found.source, found.consumed, found.predicted) == (alone.source, alone.consumed, alone.predicted)
        torch.testing.assert_close(found.log_probabilities, alone.log_probabilities, atol=1e-5, rtol=1e-5)
        assert [one.name for one in found.trace] == [one.name for one in alone.trace]
        for one, other in zip(found.trace, alone.trace, strict=True):
            assert one.shape == other.shape
            assert one.items == 1
            torch.testing.assert_close(one.weights(), other.weights(), atol=1e-5, rtol=0)
        chances = [[one.probability for one in row] for row in found.alternatives]
        expected = [[one.probability for one in row] for row in alone.alternatives]
        torch.testing.assert_close(torch.tensor(chances), torch.tensor(expected), atol=1e-5, rtol=0)


def test_what_is_measured_without_recording_is_the_same(family):
    pairs = PAIRS * 6  # more than run at once
    measured = family.log_probabilities(pairs)
    for found, expected in zip(measured, family.force(pairs), strict=True):
        torch.testing.assert_close(found, expected.log_probabilities, atol=1e-5, rtol=1e-5)


def test_what_is_predicted_is_what_is_consumed_moved_on_by_one(family):
    found = forced(family, *PAIRS[1])
    assert found.forced
    assert found.consumed.ids[1:] == found.predicted.ids[:-1]
    assert found.predicted.ids[-1] == family.model.module.config.eos_token_id
    assert found.consumed.is_special(0)
    assert found.predicted.is_special(len(found.predicted) - 1)
    assert found.target_text == PAIRS[1][1]
    assert len(found.log_probabilities) == len(found.predicted)


def test_pieces_make_up_the_words_between_spaces(family):
    found = forced(family, *PAIRS[1])
    for tokens, text in ((found.source, PAIRS[1][0]), (found.predicted, PAIRS[1][1]), (found.consumed, PAIRS[1][1])):
        assert tokens.source == text
        for number, word in enumerate(text.split()):
            spans = [span for span, mine in zip(tokens.spans, tokens.words, strict=True) if mine == number]
            assert text[min(start for start, _ in spans) : max(stop for _, stop in spans)] == word
        for span, special in zip(tokens.spans, tokens.special, strict=True):
            assert (span is None) == special


def test_alternatives_are_the_likeliest_of_all(family):
    found = forced(family, *PAIRS[0], alternatives=10_000)
    for row, chosen in zip(found.alternatives, found.log_probabilities, strict=True):
        chances = [one.probability for one in row]
        assert sum(chances) == pytest.approx(1, abs=1e-4)
        assert chances == sorted(chances, reverse=True)
        assert min(abs(chance - chosen.exp().item()) for chance in chances) < 1e-6
    assert forced(family, *PAIRS[0]).alternatives == ()


@pytest.mark.parametrize("pair", [("", "le chat"), ("the cat", " \n")])
def test_nothing_is_no_sentence(t5, pair):
    with pytest.raises(InputError, match="is empty; at least one word"):
        list(t5.force([pair]))


def test_a_target_that_is_too_long_is_named(mbart):
    with pytest.raises(InputError, match=r"“chat chat .*” has 2\d\d tokens; the model takes 64"):
        list(mbart.force([("the cat", "chat " * 100)]))


def test_of_a_source_that_is_too_long_the_end_is_left_out_and_said(mbart):
    found = forced(mbart, "cat " * 100, "le chat")
    assert len(found.source) == 64
    assert found.trace.left_out > 0
    assert any("were left out" in str(note) for note in found.trace.notes)
    assert found.source.spans[0] == (0, 1)


def test_the_trace_can_be_saved(t5, tmp_path):
    import attnviz

    found = list(t5.force(PAIRS))[2]
    found.trace.save(tmp_path / "pair.safetensors")
    again = attnviz.load(tmp_path / "pair.safetensors")
    torch.testing.assert_close(again.of_role("cross")[0].weights(), found.trace.of_role("cross")[0].weights())


def test_where_tokens_are_cut_into_blocks_pairs_are_not_mixed_up(t5_folder_parts):
    from transformers import LongT5Config, LongT5ForConditionalGeneration

    _, tokenizer = t5_folder_parts
    config = LongT5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, local_radius=3,
        encoder_attention_type="transient-global", global_block_size=4, decoder_start_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    one = Seq2Seq(TextModel("longt5", None, LongT5ForConditionalGeneration(config).eval(), tokenizer))
    for pair, found in zip(PAIRS, one.force(PAIRS), strict=True):
        alone = forced(one, *pair)
        for attention, expected in zip(found.trace, alone.trace, strict=True):
            torch.testing.assert_close(attention.weights(), expected.weights(), atol=1e-6, rtol=0, equal_nan=True)
        (cross,) = found.trace.of_role("cross")
        assert cross.shape == (len(found.consumed), len(found.source))
        (blocks,) = found.trace.of_role("encoder")
        assert blocks.shape != (len(found.source), len(found.source)), "this is what makes it a case of its own"


def test_each_side_has_its_own_longest_length(t5_folder_parts):
    from transformers import LEDConfig, LEDForConditionalGeneration

    _, tokenizer = t5_folder_parts
    config = LEDConfig(
        vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, attention_window=4, pad_token_id=0,
        eos_token_id=1, decoder_start_token_id=0, max_encoder_position_embeddings=64,
        max_decoder_position_embeddings=16,
    )  # fmt: skip
    one = Seq2Seq(TextModel("led", None, LEDForConditionalGeneration(config).eval(), tokenizer))
    assert len(forced(one, "cat " * 15, "le chat").source) > 16
    with pytest.raises(InputError, match=r"tokens; the model takes 16"):
        forced(one, "the cat", "chat " * 15)
    assert len(one.translate("the cat").consumed) <= 16
