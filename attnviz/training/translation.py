"""Makes the shipped translation models again: `python -m attnviz train translation --pair en-fr`."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

import torch

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.translation import shipped
from attnviz.models.translation.shipped import Facts, Measured
from attnviz.models.translation.translator import GrammarTranslator, Kind
from attnviz.models.translation.vocabulary import Vocabulary
from attnviz.training.fitting import Example, Recipe, fit
from attnviz.translation import SentencePair, grammar
from attnviz.translation.grammar import Split
from attnviz.translation.heads import MEAN, HeadName, count_heads, weights_of
from attnviz.translation.reading import Reading, lay_out
from attnviz.translation.scores import total

SENTENCES = 30_000
SIZES: dict[Kind, dict[str, int]] = {
    "gru": {"width": 96},
    "bottleneck": {"width": 96},
    "transformer": {"width": 64, "layers": 3, "heads": 4},
}
RECIPES: dict[Kind, Recipe] = {
    "gru": Recipe(epochs=8),
    "bottleneck": Recipe(epochs=8),
    "transformer": Recipe(epochs=9),
}
_SPLITS: tuple[Split, ...] = ("test", "unseen")
_REPORTED = 100

Say = Callable[[str], None]


@dataclass(frozen=True)
class Trial:
    """Fewer steps or sentences than the whole training, to see that it runs."""

    steps: int | None = None
    sentences: int = SENTENCES
    held_out: int = grammar.HELD_OUT_SENTENCES


def train(pair: str, kind: Kind, seeds: Sequence[int], folder: Path, say: Say, trial: Trial | None = None) -> Facts:
    """Trains and measures a model with every seed; writes the weights of the first one and the facts of all.

    Which seed is shipped is decided before anything is measured: the first. A seed decides the weights at the
    beginning, the order of the sentences and what dropout leaves out; the sentences are the same for all. On the same
    machine, with the same number of threads, the same seed gives the same weights. Raises `InputError` for a pair
    or a kind of model that is not known.
    """
    trial = trial or Trial()
    name = f"{shipped.PREFIX}{pair}/{kind}"
    if name not in shipped.NAMES:
        known = ", ".join(one.removeprefix(shipped.PREFIX) for one in shipped.NAMES)
        raise InputError(
            _m("There is no model {found} to train; known are {known}."), found=f"{pair}/{kind}", known=known
        )
    language = pair.split("-")[1]
    pairs = grammar.corpus(language, "train", trial.sentences)
    source, target = (Vocabulary.of(sides) for sides in zip(*((one.source, one.target) for one in pairs), strict=True))
    examples = [(source.numbers(one.source), target.numbers(one.target)) for one in pairs]
    measured: list[Measured] = []
    parameters = 0
    for seed in seeds:
        say(f"{name}, seed {seed}: {len(source)} and {len(target)} words, {len(examples)} sentences")
        translator, seconds = _fitted(name, kind, source, target, examples, seed, say, trial)
        path = shipped.weights_of(name, folder) if not measured else folder / f".{kind}-{seed}.safetensors"
        shipped.write(path, translator, SIZES[kind])
        # What is measured is what is shipped: read again, in half precision.
        measured.append(measure(shipped.read(path, name, device="cpu"), seed, seconds, trial.held_out))
        if len(measured) > 1:
            path.unlink()
        say(f"{name}, seed {seed}: {dict(measured[-1].exact)}, alignment error rate {measured[-1].aer}")
        parameters = sum(one.numel() for one in translator.module.parameters())
    facts = Facts(
        name=name,
        command=command(pair, kind, seeds, trial),
        date=datetime.now().date().isoformat(),
        torch=torch.__version__.split("+")[0],
        parameters=parameters,
        sizes=SIZES[kind],
        training_sentences=len(examples),
        epochs=RECIPES[kind].epochs,
        held_out_sentences=trial.held_out,
        seeds=tuple(measured),
    )
    write_facts(facts, folder)
    return facts


def command(pair: str, kind: Kind, seeds: Sequence[int], trial: Trial | None = None) -> str:
    """What makes these weights again."""
    steps = f" --steps {trial.steps}" if trial is not None and trial.steps is not None else ""
    listed = " ".join(map(str, seeds))
    return f"python -m attnviz train translation --pair {pair} --model {kind} --seeds {listed}{steps}"


def write_facts(facts: Facts, folder: Path) -> None:
    """Writes the model card's numbers beside the weights."""
    path = shipped.facts_of(facts.name, folder)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(facts), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(path)


def measure(translator: GrammarTranslator, seed: int, seconds: float, held_out: int) -> Measured:
    """What is written on the model card about one seed."""
    splits = {split: grammar.corpus(translator.language, split, held_out) for split in _SPLITS}
    right = {split: _exact(translator, pairs) for split, pairs in splits.items()}
    measured = Measured(
        seed=seed,
        seconds=round(seconds, 1),
        exact={split: sum(found) / len(found) for split, found in right.items()},
        by_length=_by_length(splits["test"], right["test"]),
        aer=None,
        heads={},
        noir=None,
    )
    if translator.kind == "bottleneck":
        return measured
    rates = _error_rates(translator, splits["test"])
    return replace(
        measured,
        aer=rates.get(MEAN),
        heads={f"{name.layer}.{name.head}": rate for name, rate in rates.items() if name.head is not None},
        noir=black(translator),
    )


def black(translator: GrammarTranslator) -> float | None:
    """How much of its weight the word for “black” puts on “black” in “the black cat”: mean over all layers and heads.

    None where a trial on few sentences has not met these words.
    """
    (pair,) = (grammar.translate(translator.language, ("the", "black", "cat")),)
    assert pair is not None and pair.links is not None  # noqa: S101, PT018 - the grammar knows this one
    if not _knows(translator, pair):
        return None
    (translation,) = translator.force([(pair.source_text, pair.target_text)])
    (row,) = (target for source, target in pair.links.sure if pair.source[source] == "black")
    reading = Reading(hide_special=False)
    return round(float(lay_out(translation, reading).matrix(weights_of(translation, MEAN))[row, 1]), 4)


def _fitted(
    name: str, kind: Kind, source: Vocabulary, target: Vocabulary, examples: Sequence[Example], seed: int, say: Say,
    trial: Trial,
) -> tuple[GrammarTranslator, float]:  # fmt: skip
    torch.manual_seed(seed)
    module = shipped.build(kind, source, target, SIZES[kind])
    began = time.perf_counter()

    def report(step: int, steps: int, loss: float) -> None:
        if step % _REPORTED == 0 or step == steps:
            say(f"  step {step} of {steps}, loss {loss:.4f}, {time.perf_counter() - began:.0f} s")

    fit(module, examples, RECIPES[kind], seed, most_steps=trial.steps, report=report)
    return GrammarTranslator(name, None, kind, module, source, target), time.perf_counter() - began


def _exact(translator: GrammarTranslator, pairs: Sequence[SentencePair]) -> list[bool]:
    # A trial on few sentences may not know every word.
    known = [all(map(translator.source.knows, pair.source)) for pair in pairs]
    written = iter(translator.write([pair.source for pair, knows in zip(pairs, known, strict=True) if knows]))
    return [knows and next(written) == pair.target for pair, knows in zip(pairs, known, strict=True)]


def _knows(translator: GrammarTranslator, pair: SentencePair) -> bool:
    return all(map(translator.source.knows, pair.source)) and all(map(translator.target.knows, pair.target))


def _by_length(pairs: Sequence[SentencePair], right: Sequence[bool]) -> dict[int, tuple[int, int]]:
    found: dict[int, list[bool]] = defaultdict(list)
    for pair, exact in zip(pairs, right, strict=True):
        found[len(pair.source)].append(exact)
    return {length: (len(found[length]), sum(found[length])) for length in sorted(found)}


def _error_rates(translator: GrammarTranslator, pairs: Sequence[SentencePair]) -> dict[HeadName, float]:
    known = [pair for pair in pairs if _knows(translator, pair)]
    forced = translator.force((pair.source_text, pair.target_text) for pair in known)
    counted = [count_heads(one, pair, Reading()) for one, pair in zip(forced, known, strict=True)]
    return {
        name: round(total(one.heads[name] for one in counted).error_rate, 4)
        for name in (counted[0].heads if counted else ())
    }
