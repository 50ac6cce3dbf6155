"""What an encoder–decoder of Hugging Face writes with and without a part."""

import torch

from attnviz.models.following import follow_text

SENTENCE = "the black cat sees the small dog ."


def test_what_is_written_after_each_token_is_the_likeliest_of_the_models_own_logits(family):
    model = family.model
    found = follow_text(model, SENTENCE)
    decoder = next(name for name in found.stream.names if "decoder" in name)
    part = found.layers(decoder)[-1].part("feed-forward")
    made = found.choices(follow_text(model, SENTENCE, off=[part], written=found.written))
    with model.running():
        encoding, _left_out = model.encode(SENTENCE)
        logits = model.module(**model.inputs(encoding), decoder_input_ids=found.written).logits[0]
    assert [one.before for one in made] == logits.argmax(-1).tolist()
    torch.testing.assert_close(
        torch.tensor([one.probability_before for one in made]), logits.softmax(-1).amax(-1), rtol=1e-4, atol=1e-6
    )
    assert len(found.read_last) == len(made) == found.written.shape[1]
    assert all(isinstance(found.word(one.before), str) for one in made)
