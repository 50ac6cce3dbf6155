"""Every head of a model against gold links on many sentences: a long work that shows how far it is."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.base.threads import one_thread
from attnviz.models import GrammarTranslator
from attnviz.translation import SentencePair, Translation, Translator, effects, grammar
from attnviz.translation.floors import Ibm1, diagonal
from attnviz.translation.heads import Chosen, Counted, HeadName, choose_on_half, count_heads
from attnviz.translation.reading import Reading, gold_of, kept, word_of_each
from attnviz.translation.scores import Counts, Score, count, score
from attnviz.translation.sentence import Link

On = Literal["test", "unseen", "file"]
TRAINED_ON = 5_000
"""How many training sentences IBM model 1 sees: enough for it to stop getting better on this grammar's words."""
_AT_ONCE = 16
# Of a model that is not ours a sentence may take seconds, and the page answers between two batches.
_AT_ONCE_OTHERS = 2
_MOST_KEPT = 24
_MOST_NAMED = 5
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
    """What came out. `left_out`: sentences that the model does not take, the first few of them and why.

    steps: for every sentence the step of the decoder at which each target word begins. A model writes other tokens
    beside words, such as the code of its language, and words in pieces.
    """

    pairs: tuple[SentencePair, ...]
    steps: tuple[tuple[int, ...], ...]
    scores: dict[HeadName, Score]
    links: dict[HeadName, tuple[frozenset[Link], ...]]
    chosen: tuple[Chosen, ...]
    diagonal: Score
    ibm: Score
    effect: Score
    left_out: "LeftOut"

    @property
    def is_single(self) -> bool:
        """Whether the model has one head, whose means are itself."""
        return sum(name.head is not None for name in self.scores) == 1


@dataclass(frozen=True, eq=False)
class LeftOut:
    """How many sentences the model does not take; the first few by their number, counted from 1, with the reason."""

    count: int
    named: tuple[tuple[int, InputError], ...]


def name_of(name: HeadName, *, single: bool = False) -> str:
    """What a head or a mean is called; `single`: the one head that there is, and all means of it."""
    if single:
        return _("its one head")
    if name.layer is None:
        return _("mean of all layers and heads")
    if name.head is None:
        return _("layer {layer}, mean of its heads", layer=name.layer)
    return _("layer {layer}, head {head}", layer=name.layer, head=name.head)


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

    Raises `InputError` where the model takes none of the sentences.
    """
    pairs = file[: spec.sentences] if spec.on == "file" else _of_grammar(spec.language, spec.on, spec.sentences)
    taken: list[SentencePair] = []
    steps: list[tuple[int, ...]] = []
    counted: list[Counted] = []
    effect: list[Counts] = []
    reasons: list[tuple[int, InputError]] = []
    size = _AT_ONCE if isinstance(translator, GrammarTranslator) else _AT_ONCE_OTHERS
    for start in range(0, len(pairs), size):
        with _few_threads(translator):
            batch = _forced(translator, pairs[start : start + size])
            forced = [one for one in batch if not isinstance(one, InputError)]
            counted += [count_heads(one, pair, spec.reading) for pair, one in forced]
        reasons += [(start + at, one) for at, one in enumerate(batch, 1) if isinstance(one, InputError)]
        taken += [pair for pair, _one in forced]
        steps += [_steps(one, len(pair.target)) for pair, one in forced]
        yield _LAST * (start + len(batch) / 2) / len(pairs)
        with _few_threads(translator):
            changes = list(effects.removals(translator, [one for _pair, one in forced]))
        for change, (pair, _one) in zip(changes, forced, strict=True):
            gold = gold_of(pair, spec.reading)
            assert gold is not None  # noqa: S101 - counted above
            effect.append(count(kept(effects.links(change), pair, spec.reading), gold))
        yield _LAST * (start + len(batch)) / len(pairs)
    if not taken:
        raise InputError(
            _m("The model takes none of the sentences, so nothing can be measured. The first: {reason}"),
            reason=str(reasons[0][1]) if reasons else "",
        )
    yield from _finish(spec, taken, steps, counted, effect, LeftOut(len(reasons), tuple(reasons[:_MOST_NAMED])))


def _steps(translation: Translation, words: int) -> tuple[int, ...]:
    """The step at which each target word begins; the first of all for a word that has no token of its own."""
    owners = word_of_each(translation.predicted) or ()
    return tuple(owners.index(word) if word in owners else 0 for word in range(words))


def _finish(
    spec: Spec,
    pairs: list[SentencePair],
    steps: list[tuple[int, ...]],
    counted: list[Counted],
    effect: list[Counts],
    left_out: LeftOut,
) -> Iterator[float]:
    """Intervals and floors, which take a while too."""
    scores = {}
    for place, name in enumerate(counted[0].heads, 1):
        scores[name] = score([one.heads[name] for one in counted])
        yield _LAST + (0.97 - _LAST) * place / len(counted[0].heads)
    model = _trained(spec.language) if spec.on != "file" else Ibm1(pairs)
    yield 0.99
    golds = [(pair, gold) for pair in pairs if (gold := gold_of(pair, spec.reading)) is not None]

    def floor(links: Callable[[SentencePair], frozenset[Link]]) -> Score:
        return score([count(kept(links(pair), pair, spec.reading), gold) for pair, gold in golds])

    found = Found(
        pairs=tuple(pairs),
        steps=tuple(steps),
        scores=scores,
        links={name: tuple(one.links[name] for one in counted) for name in counted[0].links},
        chosen=choose_on_half(counted),
        diagonal=floor(lambda pair: diagonal(len(pair.source), len(pair.target))),
        ibm=floor(lambda pair: model.links(pair.source, pair.target)),
        effect=score(effect),
        left_out=left_out,
    )
    KEPT.put(spec, found)
    yield 1.0


def _forced(
    translator: Translator, pairs: Sequence[SentencePair]
) -> list[tuple[SentencePair, Translation] | InputError]:
    """Every pair as a forced translation, all at once; a pair that the model does not take is its reason instead."""
    fitting = [_fitting(translator, pair) for pair in pairs]
    good = [pair for pair in fitting if not isinstance(pair, InputError)]
    try:
        found = iter(list(translator.force((pair.source_text, pair.target_text) for pair in good)))
    except InputError:
        return [one if isinstance(one, InputError) else _alone(translator, one) for one in fitting]
    return [one if isinstance(one, InputError) else (one, next(found)) for one in fitting]


def _few_threads(translator: Translator) -> AbstractContextManager[None]:
    """Our own models are small."""
    return one_thread() if isinstance(translator, GrammarTranslator) else nullcontext()


def _alone(translator: Translator, pair: SentencePair) -> tuple[SentencePair, Translation] | InputError:
    try:
        (found,) = translator.force([(pair.source_text, pair.target_text)])
    except InputError as error:
        return error
    return pair, found


def _fitting(translator: Translator, pair: SentencePair) -> SentencePair | InputError:
    """The pair in words of our own models, which know small letters alone, or why they cannot take it.

    A word that they would cut in two would move all gold links behind it.
    """
    if not isinstance(translator, GrammarTranslator):
        return pair
    try:
        source, target = translator.source_words(pair.source_text), translator.target_words(pair.target_text)
    except InputError as error:
        return error
    for text, words in ((pair.source, source), (pair.target, target)):
        if len(text) != len(words):
            return InputError(
                _m("The model reads “{text}” as {found} words; the gold links are for {expected}."),
                text=" ".join(text)[:60],
                found=len(words),
                expected=len(text),
            )
    return SentencePair(source, target, pair.links, pair.kinds)


@lru_cache(maxsize=8)
def _of_grammar(language: str, split: On, count: int) -> tuple[SentencePair, ...]:
    return tuple(grammar.corpus(language, "unseen" if split == "unseen" else "test", count))


@lru_cache(maxsize=4)
def _trained(language: str) -> Ibm1:
    return Ibm1(grammar.corpus(language, "train", TRAINED_ON))
