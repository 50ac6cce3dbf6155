"""What is said of the tokens that a model writes, or names next, without a part."""

import torch

from attnviz.attention.changes import Choice
from attnviz.models.following import Followed
from attnviz.recording.blocks import Stream
from attnviz.tokens import Tokens
from attnviz.ui.block.choices import choice_table, summary

MADE = [Choice(0, 1, 0.75, 0.125, 0.25, 0.875), Choice(1, 1, 0.5, 0.625, 0.5, 0.625)]


def followed(written):
    return Followed(Stream(), {}, written, Tokens(("a", "b")), ["yes", "no"].__getitem__)


def test_a_model_without_a_decoder_names_what_is_likeliest():
    found = followed(None)
    assert summary(found, MADE).startswith("After each of 2 tokens of the text")
    assert "without the part: **1**" in summary(found, MADE)
    table = choice_table(found, MADE)
    assert list(table.columns) == [
        "after", "likeliest next", "probability", "its probability without the part", "likeliest without the part",
    ]  # fmt: skip
    assert table.to_numpy().tolist() == [["0 · a", "yes", 75.0, 12.5, "no"], ["1 · b", "no", 50.0, 62.5, "no"]]


def test_a_translator_writes():
    found = followed(torch.tensor([[0, 1]]))
    assert summary(found, MADE).startswith("Of 2 tokens that the model writes")
    assert {"is written", "would be written without the part"} <= set(choice_table(found, MADE).columns)
