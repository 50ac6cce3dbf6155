"""What every translation model offers, whether we trained it or somebody else did."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from attnviz.tokens import Tokens
from attnviz.trace import Trace


@dataclass(frozen=True)
class Alternative:
    """A token that might have come at a step of the decoder, and how probable it was there."""

    text: str
    probability: float


@dataclass(frozen=True, eq=False)
class Translation:
    """A source and a target, and what one pass over both showed.

    The pass always has the whole target before it (teacher forcing), so that no beam and no cache comes between
    the picture and the model. Row i of the decoder consumes `consumed[i]` and predicts `predicted[i]`:
    `predicted` is `consumed` moved on by one, the end of the sentence last.

    trace: all attentions of the pass; in cross-attention queries are `consumed`, keys are `source`.
    log_probabilities: natural logarithm of the probability of `predicted[i]`, given all before it.
    alternatives: for every row the likeliest tokens, the likeliest first; empty where none were asked for.
    forced: whether the target was given; otherwise the model wrote it itself, with `beams` beams (1: greedily).
    ended: whether the model came to an end by itself; False where the longest length cut it off.
    """

    trace: Trace
    source: Tokens
    consumed: Tokens
    predicted: Tokens
    log_probabilities: Float[Tensor, " rows"]
    alternatives: tuple[tuple[Alternative, ...], ...]
    forced: bool
    beams: int = 1
    ended: bool = True

    @property
    def target_text(self) -> str:
        """The translation as it would be read: `predicted.source`, else its tokens without the special ones."""
        if self.predicted.source is not None:
            return self.predicted.source
        return " ".join(self.predicted.texts[position] for position in self.predicted.shown(hide_special=True))

    @property
    def language_code(self) -> str:
        """What was typed before the source's words and is none of them, such as Marian's ">>fra<< ": it has to stand
        before other words too, or the model translates into another language."""
        typed, words = self.trace.origin.text or "", self.source.source or ""
        return typed[: len(typed) - len(words)] if words and typed.endswith(words) else ""


@runtime_checkable
class Translator(Protocol):
    """A model that reads a source and writes a target. Texts are plain strings; words are what whitespace parts."""

    @property
    def name(self) -> str:
        """The name under which it can be loaded."""

    def translate(self, text: str, *, beams: int = 1) -> Translation:
        """The model's own translation. Raises `InputError` where the text is empty or not taken."""

    def force(self, pairs: Iterable[tuple[str, str]], *, alternatives: int = 0) -> Iterator[Translation]:
        """One `Translation` for each (source, target), in order; several run through the model at once."""

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Float[Tensor, " rows"]]:
        """The log-probability of every target token, the end of the sentence last, for each (source, target).

        As `force`, but records nothing: quick enough for thousands of changed sources.
        """
