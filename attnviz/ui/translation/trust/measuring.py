"""Every head of a model against gold links on many sentences: a long work that shows how far it is."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models import GrammarTranslator
from attnviz.translation import SentencePair, Translator, effects, grammar
from attnviz.translation.floors import Ibm1, diagonal
from attnviz.translation.heads import Chosen, Counted, HeadName, choose_on_half, count_heads, score_heads
from attnviz.translation.reading import Reading
from attnviz.translation.scores import Score, count, score
from attnviz.translation.sentence import Link

On = Literal["test", "unseen", "file"]
TRAINED_ON = 5_000
"""How many training sentences IBM model 1 sees: enough for it to stop getting better on this grammar's words."""
_AT_ONCE = 32
_MOST_KEPT = 24
# The rest is for the floors and the intervals.
_LAST = 0.9


@dataclass(frozen=True)
class Spec:
    """What is measured: small, so that it can be the key of what was found.

    text: "" for sentences of the grammar, else what tells an opened file from others.
    """

    name: str
    language: str
    device: str
    on: On
    text: str
    sentences: int
    reading: Reading


@dataclass(frozen=True, eq=False)
class Found:
    """What came out. `left_out`: sentences with words that the model does not know, and the first few such words."""

    pairs: tuple[SentencePair, ...]
    scores: dict[HeadName, Score]
    links: dict[HeadName, tuple[frozenset[Link], ...]]
    chosen: tuple[Chosen, ...]
    diagonal: Score
    ibm: Score
    effect: Score
    left_out: int
    unknown: tuple[str, ...]


class Kept:
    """What was found lately, for all sessions."""

    def __init__(self) -> None:
        self._found: OrderedDict[Spec, Found] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, spec: Spec) -> Found | None:
        with self._lock:
            if spec in self._found:
                self._found.move_to_end(spec)
            return self._found.get(spec)

    def put(self, spec: Spec, found: Found) -> None:
        with self._lock:
            self._found[spec] = found
            while len(self._found) > _MOST_KEPT:
                self._found.popitem(last=False)


KEPT = Kept()


def measure(spec: Spec, translator: Translator, file: tuple[SentencePair, ...] = ()) -> Iterator[float]:
    """Works through the sentences and says after each few which share is done; puts what was found into `KEPT`.

    Raises `InputError` where no sentence is left to measure.
    """
    pairs = file[: spec.sentences] if spec.on == "file" else _of_grammar(spec.language, spec.on, spec.sentences)
    known, unknown = _known(translator, pairs)
    if not known:
        raise InputError(_m("The model knows the words of none of the sentences; nothing can be measured."))
    counted: list[Counted] = []
    effect = []
    for start in range(0, len(known), _AT_ONCE):
        batch = known[start : start + _AT_ONCE]
        forced = list(translator.force((pair.source_text, pair.target_text) for pair in batch))
        counted += [count_heads(one, pair, spec.reading) for one, pair in zip(forced, batch, strict=True)]
        yield _LAST * (start + len(batch) / 2) / len(known)
        for change, pair in zip(effects.removals(translator, forced), batch, strict=True):
            assert pair.links is not None  # noqa: S101 - counted above
            effect.append(count(effects.links(change), pair.links))
        yield _LAST * (start + len(batch)) / len(known)
    KEPT.put(spec, _found(spec, known, counted, score(effect), len(pairs) - len(known), unknown))


def _found(
    spec: Spec,
    pairs: list[SentencePair],
    counted: list[Counted],
    effect: Score,
    left_out: int,
    unknown: tuple[str, ...],
) -> Found:
    model = _trained(spec.language) if spec.on != "file" else Ibm1(pairs)
    golds = [(pair, pair.links) for pair in pairs if pair.links is not None]
    return Found(
        pairs=tuple(pairs),
        scores=score_heads(counted),
        links={name: tuple(one.links[name] for one in counted) for name in counted[0].links},
        chosen=choose_on_half(counted),
        diagonal=score([count(diagonal(len(pair.source), len(pair.target)), links) for pair, links in golds]),
        ibm=score([count(model.links(pair.source, pair.target), links) for pair, links in golds]),
        effect=effect,
        left_out=left_out,
        unknown=unknown,
    )


def _known(translator: Translator, pairs: tuple[SentencePair, ...]) -> tuple[list[SentencePair], tuple[str, ...]]:
    """The sentences whose words the model knows; any text is known to a model with pieces of words."""
    if not isinstance(translator, GrammarTranslator):
        return list(pairs), ()
    known, unknown = [], []
    for pair in pairs:
        # Small letters are all that these models know; the gold links stay where they are.
        source, target = (tuple(word.lower() for word in side) for side in (pair.source, pair.target))
        missing = [word for word in source if not translator.source.knows(word)]
        missing += [word for word in target if not translator.target.knows(word)]
        if missing:
            unknown += missing
        else:
            known.append(SentencePair(source, target, pair.links, pair.kinds))
    return known, tuple(dict.fromkeys(unknown))[:5]


@lru_cache(maxsize=8)
def _of_grammar(language: str, split: On, count: int) -> tuple[SentencePair, ...]:
    return tuple(grammar.corpus(language, "unseen" if split == "unseen" else "test", count))


@lru_cache(maxsize=4)
def _trained(language: str) -> Ibm1:
    return Ibm1(grammar.corpus(language, "train", TRAINED_ON))
