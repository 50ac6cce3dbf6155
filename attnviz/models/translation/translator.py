"""A translation model that we trained: from a text to a translation and its trace."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnviz.attention import Attention
from attnviz.attention.items import one_item
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.card import Card
from attnviz.models.translation import typed
from attnviz.models.translation.decoding import MOST_BEAMS, Decoder, beam, greedy
from attnviz.models.translation.vocabulary import BEGIN, END, PADDING, SPECIAL, Vocabulary
from attnviz.recording import LabelCheck, capture, check_labels
from attnviz.tokens import Tokens
from attnviz.trace import Note, Trace
from attnviz.translation import Alternative, Translation

Kind = Literal["gru", "transformer", "bottleneck"]
ALTERNATIVES = 5
# Pairs that run through the model at once.
_BATCH = 64

WRITTEN = _m("The model wrote the translation itself; the weights are those of one pass over all of it.")
NO_ATTENTION = _m("This model has no attention: the whole source goes into one vector of {size} numbers.")

Words = tuple[str, ...]


class GrammarTranslator:
    """One of the shipped models: whole words, small letters. One thread at a time runs it."""

    def __init__(
        self, name: str, card: Card | None, kind: Kind, module: nn.Module, source: Vocabulary, target: Vocabulary
    ) -> None:
        self.name = name
        self.card = card
        self.kind = kind
        self.module = module.eval()
        self.source = source
        self.target = target
        self._running = threading.Lock()

    @property
    def language(self) -> str:
        """The target's language, as in the name: "fr", "ja" or "ru"."""
        return self.name.split("/")[1].split("-")[-1] if "/" in self.name else ""

    def source_words(self, text: str) -> Words:
        """What is typed as words of the model. Raises `InputError` for what it does not know."""
        return typed.english(text, self.source)

    def target_words(self, text: str) -> Words:
        """A translation that is given as words of the model. Raises `InputError` for what it does not know."""
        return typed.target(text, self.target)

    def trace(self, text: str, *, values: bool = False) -> Trace:
        """The attentions of the model on this text and its own translation, the likeliest word at every step.

        Raises `InputError` as `source_words` does.
        """
        return self.translate(text, values=values).trace

    def translate(self, text: str, *, beams: int = 1, values: bool = False) -> Translation:
        """The model's own translation; with one beam the likeliest word at every step.

        Raises `InputError` as `source_words` does, and for a number of beams that is not 1 to 16.
        """
        if not 1 <= beams <= MOST_BEAMS:
            raise InputError(
                _m("{found} beams were asked for; 1 to {most} were expected."), found=beams, most=MOST_BEAMS
            )
        words = self.source_words(text)
        with self._running, torch.no_grad():
            source = self._numbers([words], self.source, end=True)
            decoder: Decoder = self.module  # type: ignore[assignment]  # both kinds of model are such
            written = greedy(decoder, source)[0] if beams == 1 else beam(decoder, source, beams)
        target = tuple(self.target.words[number] for number in written.words)
        (found,) = self._force([(words, target)], ALTERNATIVES, values=values, forced=False)
        return replace(found, beams=beams, ended=written.ended)

    def force(self, pairs: Iterable[tuple[str, str]], *, alternatives: int = 0) -> Iterator[Translation]:
        """One `Translation` for each (source, target), in order. Raises `InputError` for unknown words."""
        read = ((self.source_words(source), self.target_words(target)) for source, target in pairs)
        while batch := list(islice(read, _BATCH)):
            yield from self._force(batch, alternatives, values=False, forced=True)

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Float[Tensor, " _"]]:
        """The log-probability of every target word, the end last, for each (source, target)."""
        found: list[Tensor] = []
        for start in range(0, len(pairs), 4 * _BATCH):
            batch = [
                (self.source_words(source), self.target_words(target))
                for source, target in pairs[start : start + 4 * _BATCH]
            ]
            with self._running, torch.no_grad():
                source, consumed, predicted = self._inputs(batch)
                chosen = self.module(source, consumed).log_softmax(-1).gather(-1, predicted[..., None])[..., 0].cpu()
            found += [row[: len(target) + 1].clone() for row, (_, target) in zip(chosen, batch, strict=True)]
        return found

    @contextmanager
    def running(self) -> Iterator[nn.Module]:
        """The module, for one thread at a time and without gradients."""
        with self._running, torch.no_grad():
            yield self.module

    def check_labels(self, text: str, position: int) -> LabelCheck:
        """Whether changing one word of the text moves that word's keys and values in the first layer, and no others.

        Raises `InputError` as `attnviz.check_labels` does; a recurrent encoder has no such layer.
        """
        with self._running:
            source, consumed, _ = self._inputs([(self.source_words(text), ())])
            return check_labels(self.module, {"source": source, "target": consumed}, position, name="source")

    def write(self, sources: Sequence[Words]) -> list[Words]:
        """The model's own translations of many sources, the likeliest word at every step; nothing is recorded."""
        found: list[Words] = []
        for start in range(0, len(sources), 4 * _BATCH):
            with self._running, torch.no_grad():
                numbers = self._numbers(sources[start : start + 4 * _BATCH], self.source, end=True)
                written = greedy(self.module, numbers)  # type: ignore[arg-type]  # both kinds of model are such
            found += [tuple(self.target.words[number] for number in one.words) for one in written]
        return found

    def _force(
        self, batch: Sequence[tuple[Words, Words]], alternatives: int, *, values: bool, forced: bool
    ) -> Iterator[Translation]:
        with self._running, torch.no_grad():
            source, consumed, predicted = self._inputs(batch)
            with capture(self.module, values=values) as recorded:
                logits = self.module(source, consumed)
            attentions, probabilities = list(recorded), logits.log_softmax(-1).cpu()
        for item, (words, target) in enumerate(batch):
            rows = len(target) + 1
            mine = probabilities[item, :rows]
            sides = self._sides(words, target, forced=forced)
            yield Translation(
                trace=self._trace(recorded, [_of_item(one, item, sides) for one in attentions], sides, forced=forced),
                source=sides["source"],
                consumed=sides["consumed"],
                predicted=sides["predicted"],
                log_probabilities=mine.gather(-1, predicted[item, :rows, None].cpu())[:, 0].clone(),
                alternatives=self._alternatives(mine, alternatives),
                forced=forced,
            )

    def _trace(self, recorded: Trace, attentions: list[Attention], sides: dict[str, Tokens], *, forced: bool) -> Trace:
        notes = list(recorded.notes) if attentions else []
        if self.kind == "bottleneck":
            size = int(self.module.get_parameter("first_state.weight").shape[1])
            notes.append(Note(NO_ATTENTION, {"size": size}))
        elif not forced:
            notes.append(Note(WRITTEN))
        origin = replace(recorded.origin, model=self.name, text=sides["source"].source or "")
        return Trace(attentions, origin=origin, notes=notes, lookalikes=recorded.lookalikes)

    def _alternatives(self, rows: Float[Tensor, "rows words"], count: int) -> tuple[tuple[Alternative, ...], ...]:
        if not count:
            return ()
        best = rows.exp().topk(min(count, rows.shape[-1]))
        return tuple(
            tuple(Alternative(self.target.words[word], share) for share, word in zip(shares, words, strict=True))
            for shares, words in zip(best.values.tolist(), best.indices.tolist(), strict=True)
        )

    def _inputs(
        self, batch: Sequence[tuple[Words, Words]]
    ) -> tuple[Int[Tensor, "items source"], Int[Tensor, "items rows"], Int[Tensor, "items rows"]]:
        """The source, what the decoder consumes and what it is to predict."""
        targets = [target for _, target in batch]
        return (
            self._numbers([source for source, _ in batch], self.source, end=True),
            self._numbers(targets, self.target, begin=True),
            self._numbers(targets, self.target, end=True),
        )

    def _numbers(
        self, sentences: Sequence[Words], vocabulary: Vocabulary, *, begin: bool = False, end: bool = False
    ) -> Int[Tensor, "items longest"]:
        rows = [[BEGIN] * begin + vocabulary.numbers(sentence) + [END] * end for sentence in sentences]
        longest = max(map(len, rows))
        device = next(self.module.parameters()).device
        return torch.tensor([row + [PADDING] * (longest - len(row)) for row in rows], device=device)

    def _sides(self, source: Words, target: Words, *, forced: bool) -> dict[str, Tokens]:
        return {
            "source": _tokens(source, self.source, end=True),
            "consumed": _tokens(target, self.target, begin=True, generated=not forced),
            "predicted": _tokens(target, self.target, end=True, generated=not forced),
        }


def _of_item(attention: Attention, item: int, sides: dict[str, Tokens]) -> Attention:
    queries = sides["source"] if attention.role == "encoder" else sides["consumed"]
    keys = sides["consumed"] if attention.role == "decoder" else sides["source"]
    return one_item(attention, item, queries, keys)


def _tokens(
    words: Words, vocabulary: Vocabulary, *, begin: bool = False, end: bool = False, generated: bool | None = None
) -> Tokens:
    """One token a word, and the special ones at the ends."""
    places, at = [], 0
    for word in words:
        places.append((at, at + len(word)))
        at += len(word) + 1
    first, last = (None,) * begin, (None,) * end
    count = begin + len(words) + end
    special = (True,) * begin + (False,) * len(words) + (True,) * end
    return Tokens(
        texts=(*(SPECIAL[BEGIN],) * begin, *words, *(SPECIAL[END],) * end),
        ids=(*(BEGIN,) * begin, *vocabulary.numbers(words), *(END,) * end),
        words=(*first, *range(len(words)), *last),
        spans=(*first, *places, *last),
        source=" ".join(words),
        special=special,
        # What every translation begins with was written by nobody.
        generated=None
        if generated is None
        else tuple(generated and not (begin and place == 0) for place in range(count)),
    )
