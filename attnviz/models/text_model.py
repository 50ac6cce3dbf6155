"""A language model and its tokenizer: from a text to a trace."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import signature
from typing import Any, Literal

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attnviz.attention import Attention, Role
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.card import Card
from attnviz.models.placing import placed
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
        self.notes = tuple(notes)
        self._running = threading.Lock()

    @property
    def config(self) -> Any:
        """The model's configuration, as Hugging Face keeps it."""
        return self.module.config

    @property
    def reader(self) -> nn.Module:
        """The layers that read the text: without the head that names the next token, where a model has but that."""
        module: Any = self.module
        whole = self.config.is_encoder_decoder or module.get_output_embeddings() is None
        reader: nn.Module = module if whole else module.base_model
        return reader

    @property
    def names_next(self) -> bool:
        """Whether the model names the next token after each one that it reads, as GPT-2 does."""
        return self.reader is not self.module

    @property
    def max_tokens(self) -> int | None:
        """How many tokens of text the model takes, special ones included; None where it knows no limit."""
        limits = [getattr(self.tokenizer, "model_max_length", None), self.positions()]
        known = [int(limit) for limit in limits if limit and limit < _NO_LIMIT]
        return min(known, default=None)

    def positions(self, side: Literal["encoder", "decoder"] = "encoder") -> int | None:
        """How many positions the model knows, as its configuration says; in LED, each side has its own number."""
        config = self.config
        names = ("max_position_embeddings", f"max_{side}_position_embeddings")
        positions: int | None = next((getattr(config, name) for name in names if getattr(config, name, None)), None)
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
        with self.running():
            return self._trace(text, values, list(self.notes))

    @contextmanager
    def running(self) -> Iterator[None]:
        """For one thread at a time: whatever model or tokenizer complain about becomes one sentence (`InputError`).

        The tokenizer belongs here too: some are switched from one language to another.
        """
        with self._running, torch.no_grad():
            try:
                yield
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
        encoding, _ = self.encode(text)
        with self._running, torch.no_grad():
            inputs = self.inputs(encoding)
            if self.config.is_encoder_decoder:
                inputs["decoder_input_ids"] = inputs["input_ids"][:, :1]
            return check_labels(self.reader, inputs, position)

    def _trace(self, text: str, values: bool, notes: list[Note]) -> Trace:
        encoding, left_out = self.encode(text)
        notes += left_out_note(len(encoding["input_ids"][0]), left_out)
        inputs = self.inputs(encoding)
        sides = {"text": Tokens.from_tokenizer(self.tokenizer, encoding, text=text)}
        if self.config.is_encoder_decoder:
            written = self.write(inputs)
            inputs["decoder_input_ids"] = written
            sides["written"] = self.written_tokens(written)
            notes.append(Note(GENERATED, {"count": written.shape[1] - 1}))
        with capture(self.reader, values=values) as recorded:
            self.read_through(inputs)
        attentions = [with_tokens(attention, sides) for attention in recorded]
        origin = replace(recorded.origin, model=self.name, text=text)
        return Trace(
            attentions,
            origin=origin,
            notes=[*recorded.notes, *notes],
            lookalikes=recorded.lookalikes,
            left_out=left_out,
        )

    def read_through(self, inputs: Mapping[str, Tensor]) -> Any:
        """One pass of the layers over everything, which needs no cache."""
        return self.reader(**inputs, **_without_cache(self.reader))

    def run(self, inputs: Mapping[str, Tensor], *, first: int | None = None) -> Any:
        """One pass of the whole model. first: the next token is named after so many tokens alone, None: after each."""
        kept: dict[str, Any] = {}
        if first is not None and self.names_next and "logits_to_keep" in _takes(self.module):
            ids = inputs["input_ids"]
            kept["logits_to_keep"] = torch.arange(min(first, ids.shape[1]), device=ids.device)
        return self.module(**inputs, **_without_cache(self.module), **kept)

    def encode(self, text: str) -> tuple[Any, int]:
        """What the tokenizer makes of the text, as a batch of one, and how many tokens were too many."""
        whole = self.tokenizer([text], add_special_tokens=True, verbose=False)
        count, limit = len(whole["input_ids"][0]), self.max_tokens
        if limit is None or count <= limit:
            return whole, 0
        return self.tokenizer([text], truncation=True, max_length=limit), count - limit

    def inputs(self, encoding: Mapping[str, Any]) -> dict[str, Tensor]:
        """What `encode` gave, as tensors on the model's device."""
        device = next(self.module.parameters()).device
        return {
            name: torch.tensor(encoding[name], device=device)
            for name in ("input_ids", "attention_mask")
            if name in encoding
        }

    def write(
        self, inputs: Mapping[str, Tensor], *, beams: int = 1, most: int = MOST_GENERATED, **asked: Any
    ) -> Int[Tensor, "1 written"]:
        """What the decoder writes by itself, its first token included: at most so many more, greedily or with beams."""
        generate: Any = self.module.generate
        most = self.most_written(most)
        written: Tensor = generate(
            **inputs,
            do_sample=False,
            num_beams=beams,
            num_return_sequences=1,
            max_new_tokens=most,
            return_dict_in_generate=False,
            **asked,
        )
        return written

    def most_written(self, most: int) -> int:
        """How many tokens the decoder can write after its first, and at most so many."""
        return min(most, (self.positions("decoder") or most + 1) - 1)

    def written_tokens(self, written: Int[Tensor, "1 written"]) -> Tokens:
        """What the decoder wrote, as tokens."""
        tokens = Tokens.from_tokenizer(self.tokenizer, {"input_ids": written.tolist()})
        tokens = placed(self.tokenizer, tokens, self.read(tokens), target=True)
        # The first is what every translation starts with, not something that the model wrote.
        return replace(tokens, generated=(False, *(True,) * (len(tokens) - 1)))

    def read(self, tokens: Tokens) -> str:
        """The text that the tokens spell, without the special ones."""
        special: Sequence[bool] = tokens.special or (False,) * len(tokens)
        text: str = self.tokenizer.decode(
            [one for one, is_special in zip(tokens.ids or (), special, strict=True) if not is_special]
        )
        return text


def _takes(module: nn.Module) -> Mapping[str, Any]:
    return signature(module.forward).parameters


def _without_cache(module: nn.Module) -> dict[str, bool]:
    return {"use_cache": False} if "use_cache" in _takes(module) else {}


def left_out_note(limit: int, left_out: int) -> list[Note]:
    """The sentence about a text that was too long, where it was."""
    return [Note(LEFT_OUT, {"total": limit + left_out, "limit": limit, "left_out": left_out})] if left_out else []


# Which tokens stand at the queries and at the keys.
SIDES: dict[Role, tuple[str, str]] = {
    "encoder": ("text", "text"),
    "decoder": ("written", "written"),
    "cross": ("written", "text"),
    "ego": ("text", "text"),
}


def with_tokens(attention: Attention, sides: Mapping[str, Tokens]) -> Attention:
    queries, keys = (sides.get(side, sides["text"]) for side in SIDES[attention.role])
    if (len(queries), len(keys)) != attention.shape:
        # A model that pools or pads its tokens on the way: positions are all that is known.
        return attention
    return replace(attention, query_tokens_by_item=(queries,), key_tokens_by_item=(keys,))
