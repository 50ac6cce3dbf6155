"""A language model and its tokenizer: from a text to a trace."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attnviz.attention import Attention, Role
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.card import Card
from attnviz.recording import LabelCheck, capture, check_labels
from attnviz.tokens import Tokens
from attnviz.trace import Note, Trace

MOST_GENERATED = 64
# Tokenizers that know no limit say so with a number beyond any memory.
_NO_LIMIT = 1_000_000

LEFT_OUT = _m("The text has {total} tokens and the model takes {limit}: the last {left_out} were left out.")
GENERATED = _m("The model wrote {count} tokens, each the likeliest; the weights are those of one pass over them all.")


class TextModel:
    """A Hugging Face text model. One thread at a time runs it; the model itself is never changed."""

    def __init__(
        self, name: str, card: Card | None, module: nn.Module, tokenizer: Any, *, notes: Iterable[Note] = ()
    ) -> None:
        self.name = name
        self.card = card
        self.module = module
        self.tokenizer = tokenizer
        self._notes = tuple(notes)
        self._running = threading.Lock()

    @property
    def max_tokens(self) -> int | None:
        """How many tokens of text the model takes, special ones included; None where it knows no limit."""
        limits = [getattr(self.tokenizer, "model_max_length", None), self._positions()]
        known = [int(limit) for limit in limits if limit and limit < _NO_LIMIT]
        return min(known, default=None)

    def _positions(self) -> int | None:
        """How many positions the model knows, as its configuration says."""
        config: Any = self.module.config
        positions: int | None = getattr(config, "max_position_embeddings", None)
        if positions is None:
            return None
        for name, module in self.module.named_modules():
            if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
                # RoBERTa counts positions from the one after that of padding.
                return positions - int(module.padding_idx) - 1
        return positions

    def trace(self, text: str, *, values: bool = False) -> Trace:
        """The attentions of the model on this text, with tokens on both sides.

        What the model takes no more of is left out at the end (`Trace.left_out`, and a note). A model with
        encoder and decoder first writes, up to 64 tokens, greedily; the trace is that of one pass over the text
        and all that was written. Raises `InputError` for an empty text and where the model does not take it.
        """
        if not text.strip():
            raise InputError(_m("The text is empty; at least one word was expected."))
        notes = list(self._notes)
        with self._running, torch.no_grad():
            try:
                return self._trace(text, values, notes)
            except (RuntimeError, TypeError, ValueError, IndexError, KeyError) as reason:
                if isinstance(reason, InputError):
                    raise
                said = " ".join(str(reason).split())[:200]
                raise InputError(
                    _m("The model “{name}” does not take this text: {reason}"), name=self.name, reason=said
                ) from reason

    def check_labels(self, text: str, position: int) -> LabelCheck:
        """Whether changing one token of the text moves that token's keys and values in the first layer, and no others.

        Raises `InputError` for a position that the text does not have, and as `attnviz.check_labels` does.
        """
        encoding, _ = self._encode(text)
        with self._running, torch.no_grad():
            inputs = self._inputs(encoding)
            if self.module.config.is_encoder_decoder:  # type: ignore[union-attr]  # every Hugging Face model has it
                inputs["decoder_input_ids"] = inputs["input_ids"][:, :1]
            return check_labels(self.module, inputs, position)

    def _trace(self, text: str, values: bool, notes: list[Note]) -> Trace:
        encoding, left_out = self._encode(text)
        if left_out:
            limit = len(encoding["input_ids"][0])
            notes.append(Note(LEFT_OUT, {"total": limit + left_out, "limit": limit, "left_out": left_out}))
        inputs = self._inputs(encoding)
        sides = {"text": Tokens.from_tokenizer(self.tokenizer, encoding, text=text)}
        if self.module.config.is_encoder_decoder:  # type: ignore[union-attr]  # every Hugging Face model has it
            written = self._write(inputs)
            inputs["decoder_input_ids"] = written
            sides["written"] = self._written_tokens(written)
            notes.append(Note(GENERATED, {"count": written.shape[1] - 1}))
        with capture(self.module, values=values) as recorded:
            # One pass over everything needs no cache.
            self.module(**inputs, **({"use_cache": False} if self._takes("use_cache") else {}))
        attentions = [_with_tokens(attention, sides) for attention in recorded]
        origin = replace(recorded.origin, model=self.name, text=text)
        return Trace(
            attentions,
            origin=origin,
            notes=[*recorded.notes, *notes],
            lookalikes=recorded.lookalikes,
            left_out=left_out,
        )

    def _takes(self, argument: str) -> bool:
        return argument in signature(self.module.forward).parameters

    def _encode(self, text: str) -> tuple[Any, int]:
        """What the tokenizer makes of the text, as a batch of one, and how many tokens were too many."""
        whole = self.tokenizer([text], add_special_tokens=True, verbose=False)
        count, limit = len(whole["input_ids"][0]), self.max_tokens
        if limit is None or count <= limit:
            return whole, 0
        return self.tokenizer([text], truncation=True, max_length=limit), count - limit

    def _inputs(self, encoding: Mapping[str, Any]) -> dict[str, Tensor]:
        device = next(self.module.parameters()).device
        return {
            name: torch.tensor(encoding[name], device=device)
            for name in ("input_ids", "attention_mask")
            if name in encoding
        }

    def _write(self, inputs: Mapping[str, Tensor]) -> Int[Tensor, "1 written"]:
        generate: Any = self.module.generate
        most = min(MOST_GENERATED, (self._positions() or MOST_GENERATED + 1) - 1)
        written: Tensor = generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=most)
        return written

    def _written_tokens(self, written: Int[Tensor, "1 written"]) -> Tokens:
        tokens = self._read_again(Tokens.from_tokenizer(self.tokenizer, {"input_ids": written.tolist()}))
        # The first is what every translation starts with, not something that the model wrote.
        return replace(tokens, generated=(False, *(True,) * (len(tokens) - 1)))

    def _read_again(self, tokens: Tokens) -> Tokens:
        """The tokens with words and spans, where the tokenizer cuts the text that was written just as it was written."""
        ids = [token for token, special in zip(tokens.ids or (), tokens.special or (), strict=True) if not special]
        text = self.tokenizer.decode(ids)
        again = self.tokenizer(text_target=[text], add_special_tokens=False, verbose=False)
        read = Tokens.from_tokenizer(self.tokenizer, again, text=text) if ids else tokens
        if read.ids != tuple(ids) or read.words is None or read.spans is None:
            return tokens
        words, spans = iter(read.words), iter(read.spans)
        special = tokens.special or ()
        return replace(
            tokens,
            words=tuple(None if one else next(words) for one in special),
            spans=tuple(None if one else next(spans) for one in special),
            source=text,
        )


# Which tokens stand at the queries and at the keys.
_SIDES: dict[Role, tuple[str, str]] = {
    "encoder": ("text", "text"),
    "decoder": ("written", "written"),
    "cross": ("written", "text"),
    "ego": ("text", "text"),
}


def _with_tokens(attention: Attention, sides: Mapping[str, Tokens]) -> Attention:
    queries, keys = (sides.get(side, sides["text"]) for side in _SIDES[attention.role])
    if (len(queries), len(keys)) != attention.shape:
        # A model that pools or pads its tokens on the way: positions are all that is known.
        return attention
    return replace(attention, query_tokens_by_item=(queries,), key_tokens_by_item=(keys,))
