"""Any encoder–decoder of Hugging Face as a translator: Marian, T5, mBART, M2M100, NLLB, BART, Pegasus and so on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnviz.attention import Attention
from attnviz.attention.items import one_item
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.sides import DecoderSide, Sides
from attnviz.models.text_model import SIDES, TextModel, left_out_note
from attnviz.recording import capture
from attnviz.tokens import Tokens
from attnviz.trace import Note, Trace
from attnviz.translation import Alternative, Translation

MOST_WRITTEN = 128
MOST_BEAMS = 16
ALTERNATIVES = 5
# Pairs that run through the model at once.
_BATCH = 16

WRITTEN = _m(
    "The model wrote this itself (beams: {beams}); weights and probabilities are those of one pass over all that it wrote."
)
CUT_OFF = _m("The model did not come to an end within {count} tokens; the end of the sentence was put there for it.")
SETTINGS = _m("While it wrote, settings of the model had a say: {settings}. The probabilities shown are without them.")
NO_PLACES = _m(
    "The tokenizer does not tell where its tokens stand in “{text}”, so they cannot be put together into words."
)

# What generate() takes from a model's own settings, where it changes what is chosen, and with which value it does not.
_SETTINGS: dict[str, Any] = {
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "repetition_penalty": 1,
    "encoder_repetition_penalty": 1,
    "min_length": 0,
    "min_new_tokens": 0,
    "bad_words_ids": [],
    "suppress_tokens": [],
    "begin_suppress_tokens": [],
    "sequence_bias": {},
    "exponential_decay_length_penalty": None,
    "guidance_scale": 1,
    "forced_bos_token_id": None,
}
_SETTINGS_OF_BEAMS: dict[str, Any] = {"length_penalty": 1, "early_stopping": False}


@dataclass(frozen=True)
class _Item:
    """A pair as it goes through the model."""

    text: str
    source: Tokens
    left_out: int
    sides: DecoderSide
    notes: tuple[Note, ...] = ()


class Seq2Seq:
    """A translator around an encoder–decoder. One thread at a time runs it; the model itself is never changed.

    source_language, target_language: for tokenizers that know languages, by the names that they have
    (`languages`): "en_XX" in mBART, "en" in M2M100, "eng_Latn" in NLLB; of Marian's, the target alone.
    prefix: what stands before every source, such as T5's "translate English to French: ".

    Probabilities are the softmax over the model's whole vocabulary, as its logits have it in one pass over the
    complete target. `generate` itself may have chosen among fewer tokens: it forces the code of the target language
    (forced BOS), never chooses what a model's settings forbid (Marian: <pad>), and so on. Where such settings had a
    say, the trace's notes name them.
    """

    def __init__(
        self,
        model: TextModel,
        *,
        source_language: str | None = None,
        target_language: str | None = None,
        prefix: str = "",
    ) -> None:
        """Raises `InputError` for a model without a decoder of its own and for a language that it does not know."""
        config = model.config
        if not getattr(config, "is_encoder_decoder", False):
            raise InputError(
                _m("“{name}” does not translate: it has no decoder beside its encoder, as Marian, T5 or NLLB have."),
                name=model.name,
            )
        self.model = model
        with model.running():
            self._sides = Sides(model, source_language, target_language, prefix)

    @property
    def name(self) -> str:
        """The name under which it can be loaded."""
        return self.model.name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the tokenizer knows by name; none where it was made for one pair alone."""
        return self._sides.languages

    def translate(self, text: str, *, beams: int = 1) -> Translation:
        """The model's own translation, at most 128 tokens: greedily, or the best of so many beams.

        The pass that is recorded comes afterwards, over all that was written, so it does not depend on beams or
        caches. Raises `InputError` where the text is empty or not taken.
        """
        if not 1 <= beams <= MOST_BEAMS:
            raise InputError(
                _m("The number of beams is {found}; expected is one from 1 to {most}."), found=beams, most=MOST_BEAMS
            )
        with self.model.running():
            source, left_out = self._sides.source(text)
            ids, there = _filled([source], self._sides.padding, self._device)
            written = self.model.write(
                {"input_ids": ids, "attention_mask": there.long()}, beams=beams, most=MOST_WRITTEN, **self._first()
            )
            sides, ended = self._sides.written(written[0].tolist())
            # At the longest length some models put the end of the sentence there whatever comes.
            forced_end = getattr(self.model.module.generation_config, "forced_eos_token_id", None) is not None
            ended = ended and not (forced_end and len(sides.predicted) >= self.model.most_written(MOST_WRITTEN))
            notes = [Note(WRITTEN, {"beams": beams}), *self._settings(beams)]
            notes += [] if ended else [Note(CUT_OFF, {"count": written.shape[1] - 1})]
            item = _Item(text, source, left_out, sides, tuple(notes))
            (found,) = self._recorded([item], ALTERNATIVES, forced=False)
        return replace(found, beams=beams, ended=ended)

    def trace(self, text: str) -> Trace:
        """The attentions of the model's own translation, written greedily."""
        return self.translate(text).trace

    def force(self, pairs: Iterable[tuple[str, str]], *, alternatives: int = 0) -> Iterator[Translation]:
        """One `Translation` for each (source, target), in order; several run through the model at once.

        Raises `InputError` for an empty source or target, and for a target that is longer than the model takes.
        """
        for batch in _batches(pairs):
            with self.model.running():
                found = self._recorded([self._item(*pair) for pair in batch], alternatives, forced=True)
            yield from found

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Float[Tensor, " _"]]:
        """The log-probability of every target token, the end of the sentence last, for each (source, target).

        As `force`, but records nothing. Pairs of like length run together.
        """
        order = sorted(range(len(pairs)), key=lambda number: sum(map(len, pairs[number])))
        found: dict[int, Float[Tensor, " _"]] = {}
        for batch in _batches(order):
            with self.model.running():
                items = [self._item(*pairs[number]) for number in batch]
                logits = self._run(items)
                found |= dict(zip(batch, _chosen(logits, items), strict=True))
        return [found[number] for number in range(len(pairs))]

    @property
    def _device(self) -> torch.device:
        return next(self.model.module.parameters()).device

    def _first(self) -> dict[str, int]:
        """How generate() is to begin."""
        forced = self._sides.forced_first
        return {"decoder_start_token_id": self._sides.start} | (
            {} if forced is None else {"forced_bos_token_id": forced}
        )

    def _settings(self, beams: int) -> list[Note]:
        generation: Any = getattr(self.model.module, "generation_config", None)
        neutral = _SETTINGS | (_SETTINGS_OF_BEAMS if beams > 1 else {})
        values = {name: getattr(generation, name, None) for name in neutral} | self._first()
        told = [
            f"{name} = {str(values[name])[:40]}"
            for name, nothing in neutral.items()
            if values[name] is not None and values[name] != nothing
        ]
        return [Note(SETTINGS, {"settings": ", ".join(told)})] if told else []

    def _item(self, text: str, target: str) -> _Item:
        source, left_out = self._sides.source(text)
        sides, limit = self._sides.target(target), self.model.positions("decoder")
        if limit is not None and len(sides.consumed) > limit:
            raise InputError(
                _m("The translation “{text}” has {found} tokens; the model takes {limit}."),
                text=target[:40],
                found=len(sides.consumed),
                limit=limit,
            )
        return _Item(text, source, left_out, sides)

    def _run(self, items: Sequence[_Item]) -> Float[Tensor, "items rows words"]:
        """One pass over complete targets; rows of padding come last and nobody may look at them."""
        padding, device = self._sides.padding, self._device
        ids, there = _filled([item.source for item in items], padding, device)
        decoder_ids, decoder_there = _filled([item.sides.consumed for item in items], padding, device)
        inputs = {
            "input_ids": ids,
            "attention_mask": there.long(),
            "decoder_input_ids": decoder_ids,
            "decoder_attention_mask": decoder_there.long(),
        }
        logits: Tensor = self.model.run(inputs).logits
        return logits.float()

    def _recorded(self, items: Sequence[_Item], alternatives: int, *, forced: bool) -> list[Translation]:
        with capture(self.model.module) as recorded:
            logits = self._run(items)
        if len(items) > 1 and not all(_is_pair_by_pair(attention, items) for attention in recorded):
            # A model that cuts its tokens into blocks, or adds some: one pair at a time nothing can be mixed up.
            return [self._recorded([item], alternatives, forced=forced)[0] for item in items]
        # Read once: what was recorded is looked through anew each time it is asked.
        whole = Trace(recorded.attentions, origin=recorded.origin, notes=recorded.notes, lookalikes=recorded.lookalikes)
        chosen = _chosen(logits, items)
        return [
            Translation(
                trace=self._trace(whole, number, items),
                source=item.source,
                consumed=item.sides.consumed,
                predicted=item.sides.predicted,
                log_probabilities=chosen[number],
                alternatives=self._alternatives(logits[number, : len(item.sides.consumed)], alternatives),
                forced=forced,
            )
            for number, item in enumerate(items)
        ]

    def _trace(self, recorded: Trace, number: int, items: Sequence[_Item]) -> Trace:
        item = items[number]
        notes = [*recorded.notes, *self.model.notes, *item.notes, *left_out_note(len(item.source), item.left_out)]
        notes += [
            Note(NO_PLACES, {"text": (tokens.source or "")[:40]})
            for tokens in (item.source, item.sides.predicted)
            if tokens.spans is None
        ]
        return Trace(
            [_of_item(attention, number, items) for attention in recorded],
            origin=replace(recorded.origin, model=self.name, text=item.text),
            notes=notes,
            lookalikes=recorded.lookalikes,
            left_out=item.left_out,
        )

    def _alternatives(self, logits: Float[Tensor, "rows words"], count: int) -> tuple[tuple[Alternative, ...], ...]:
        if count < 1:
            return ()
        best = logits.softmax(-1).topk(min(count, logits.shape[-1]))
        return tuple(
            tuple(map(Alternative, self._sides.texts(ids), probabilities))
            for ids, probabilities in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        )


def _is_pair_by_pair(attention: Attention, items: Sequence[_Item]) -> bool:
    """Whether there is one item for each pair, with their tokens on both sides."""
    longest = tuple(max(len(_tokens(item, side)) for item in items) for side in SIDES[attention.role])
    return (attention.items, attention.shape) == (len(items), longest)


def _of_item(attention: Attention, number: int, items: Sequence[_Item]) -> Attention:
    """The attention of one pair without padding; as it is where its positions are not the pair's tokens."""
    if not _is_pair_by_pair(attention, items):
        return attention
    queries, keys = (_tokens(items[number], side) for side in SIDES[attention.role])
    return one_item(attention, number, queries, keys)


def _tokens(item: _Item, side: str) -> Tokens:
    return item.source if side == "text" else item.sides.consumed


def _chosen(logits: Float[Tensor, "items rows words"], items: Sequence[_Item]) -> list[Float[Tensor, " _"]]:
    """Natural logarithms of the probabilities of what each row was to predict."""
    ids, _ = _filled([item.sides.predicted for item in items], 0, logits.device)
    found = logits.gather(-1, ids[..., None])[..., 0] - logits.logsumexp(-1)
    return [row[: len(item.sides.predicted)].cpu() for row, item in zip(found, items, strict=True)]


def _filled(
    rows: Sequence[Tokens], padding: int, device: torch.device
) -> tuple[Int[Tensor, "items longest"], Bool[Tensor, "items longest"]]:
    """The ids of all rows, filled up on the right, and which of them are there."""
    ids = [torch.tensor(row.ids, device=device) for row in rows]
    lengths = torch.tensor([len(row) for row in rows], device=device)
    there = torch.arange(int(lengths.max()), device=device) < lengths[:, None]
    return torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=padding), there


def _batches(entries: Iterable[Any]) -> Iterator[list[Any]]:
    waiting = iter(entries)
    while batch := list(islice(waiting, _BATCH)):
        yield batch
