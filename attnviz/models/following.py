"""A text followed through the layers of a model that reads it: its vectors, layer by layer, and which token each belongs to."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from attnviz.attention.changes import Choice, choice
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.text_model import TextModel, left_out_note
from attnviz.models.translation.translator import GrammarTranslator
from attnviz.recording.blocks import Layer, Part, Stream, follow
from attnviz.tokens import Tokens

MOST_FOLLOWED = 128
"""Positions whose vectors are kept; every layer keeps a dozen vectors for each."""


@dataclass(frozen=True, eq=False)
class Followed:
    """One run over a text. tokens: by stream, what its rows stand for. written: what the decoder was given, if any.

    read_last, word: of a model that writes or names the next token, which token stands before each choice, and what
    a choice is called.
    """

    stream: Stream
    tokens: Mapping[str, Tokens]
    written: Int[Tensor, "1 written"] | None = None
    read_last: Tokens | None = None
    word: Callable[[int], str] | None = None

    def layers(self, stream: str) -> tuple[Layer, ...]:
        """The layers of one stream, the first one first."""
        return tuple(self.stream.of(stream))

    def choices(self, without: "Followed") -> list[Choice]:
        """What the model writes after each token that its decoder is given (or that it reads, where it has none), in
        this run and in another one over the same tokens; empty where it writes nothing."""
        here, there = self.stream.output, without.stream.output
        if self.word is None or here is None or there is None:
            return []
        return [choice(before, after) for before, after in zip(here, there, strict=True)]


def follow_text(
    model: TextModel | GrammarTranslator,
    text: str,
    *,
    off: Collection[Part] = (),
    written: Int[Tensor, "1 written"] | None = None,
) -> Followed:
    """One run of the model over the text, the first 128 tokens of each side followed.

    off: parts from an earlier run that add nothing now. written: what the decoder of that run was given, so that
    both runs read the same; without it a decoder writes for itself first.

    Raises `InputError` for a text that the model does not take, and where no layer could be followed.
    """
    if not text.strip():
        raise InputError(_m("The text is empty; at least one word was expected."))
    with torch.no_grad():
        if isinstance(model, TextModel):
            found = _hugging_face(model, text, off, written)
        else:
            found = _translator(model, text, off, written)
    if not found.stream.layers:
        first = next(iter(found.stream.notes))
        raise InputError(first.message, **first.fields)
    return found


def _hugging_face(
    model: TextModel, text: str, off: Collection[Part], written: Int[Tensor, "1 written"] | None
) -> Followed:
    with model.running():
        encoding, left_out = model.encode(text)
        inputs = model.inputs(encoding)
        read = Tokens.from_tokenizer(model.tokenizer, encoding, text=text)
        sides = {"read": read, "written": read}
        if model.config.is_encoder_decoder:
            written = model.write(inputs) if written is None else written
            inputs["decoder_input_ids"] = written
            sides["written"] = model.written_tokens(written)
        with follow(model.module, positions=range(MOST_FOLLOWED), off=off) as stream:
            model.run(inputs, first=MOST_FOLLOWED)
    stream.notes += left_out_note(len(encoding["input_ids"][0]), left_out)
    if written is None and not model.names_next:
        return Followed(stream, _by_stream(stream, sides))
    word = _PieceNames(model.tokenizer)
    return Followed(stream, _by_stream(stream, sides), written, _first(sides["written"], MOST_FOLLOWED), word)


def _translator(
    model: GrammarTranslator, text: str, off: Collection[Part], written: Int[Tensor, "1 written"] | None
) -> Followed:
    translated = model.translate(text)
    with model.running() as module:
        device = next(module.parameters()).device
        source, consumed = (
            torch.tensor([side.ids], device=device) for side in (translated.source, translated.consumed)
        )
        given = consumed if written is None else written
        with follow(module, positions=range(MOST_FOLLOWED), off=off) as stream:
            module(source, given)
    sides = {"read": translated.source, "written": translated.consumed}
    words = model.target.words
    return Followed(
        stream, _by_stream(stream, sides), given, _first(translated.consumed, MOST_FOLLOWED), words.__getitem__
    )


@dataclass(frozen=True)
class _PieceNames:
    """What a tokenizer calls its pieces."""

    tokenizer: Any

    def __call__(self, number: int) -> str:
        # As every token of the app is named: a space that a piece stands for is shown as one.
        return Tokens.from_tokenizer(self.tokenizer, {"input_ids": [[number]]}).texts[0]


def _by_stream(stream: Stream, sides: Mapping[str, Tokens]) -> dict[str, Tokens]:
    """What the rows of each stream stand for; numbers where a model pools or pads its tokens on the way."""
    found = {}
    for name in stream.names:
        rows = len(stream.of(name)[0].left)
        tokens = sides["written" if "decoder" in name.lower() else "read"]
        kept = min(len(tokens), MOST_FOLLOWED)
        numbers = Tokens(tuple(map(str, range(rows))))
        found[name] = _first(tokens, kept) if kept == rows else numbers
    return found


def _first(tokens: Tokens, count: int) -> Tokens:
    special = tokens.special[:count] if tokens.special is not None else None
    return Tokens(tokens.texts[:count], special=special)
