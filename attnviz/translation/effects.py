"""The causal side: what becomes of a target word's probability when a source word is taken away or another put there."""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens import Tokens
from attnviz.translation.reading import word_of_each
from attnviz.translation.sentence import Link
from attnviz.translation.translator import Translation, Translator

_BATCH = 64


def without(words: Sequence[str], place: int) -> str:
    """The text without one of its words."""
    return " ".join(word for at, word in enumerate(words) if at != place)


def swapped(words: Sequence[str], place: int, word: str) -> str:
    """The text with another word in one place."""
    return " ".join(word if at == place else one for at, one in enumerate(words))


def removal(
    translator: Translator, source: Sequence[str], target: str, predicted: Tokens, code: str = ""
) -> Float[Tensor, "target_words source_words"]:
    """How much each target word's log-probability falls, in nats, when one source word is removed; one run a word.

    Positive: the word helped. The end of the sentence is left out. A source of one word cannot be without it: NaN.
    code: what stands before the words in every run (`Translation.language_code`).
    """
    return next(_removals(translator, [(source, target, predicted, code)]))


def removals(
    translator: Translator, translations: Sequence[Translation]
) -> Iterator[Float[Tensor, "target_words source_words"]]:
    """As `removal`, for many sentences, several at once."""
    for start in range(0, len(translations), _BATCH):
        batch = translations[start : start + _BATCH]
        yield from _removals(
            translator,
            [((one.source.source or "").split(), one.target_text, one.predicted, one.language_code) for one in batch],
        )


def change(
    translator: Translator, source: str, changed: str, target: str, predicted: Tokens, code: str = ""
) -> tuple[Float[Tensor, " target_words"], Float[Tensor, " target_words"]]:
    """The log-probability of each target word with one source and with another; code: as in `removal`."""
    before, after = translator.log_probabilities([(code + source, target), (code + changed, target)])
    return by_word(before, predicted), by_word(after, predicted)


def _removals(
    translator: Translator, sentences: Sequence[tuple[Sequence[str], str, Tokens, str]]
) -> Iterator[Float[Tensor, "target_words source_words"]]:
    runs: list[tuple[str, str]] = []
    for source, target, _predicted, code in sentences:
        places = range(len(source)) if len(source) > 1 else ()
        texts = (" ".join(source), *(without(source, place) for place in places))
        runs += [(code + text, target) for text in texts]
    found = iter(translator.log_probabilities(runs))
    for source, _target, predicted, _code in sentences:
        before = by_word(next(found), predicted)
        if len(source) == 1:
            yield torch.full((len(before), 1), torch.nan)
        else:
            yield torch.stack([before - by_word(next(found), predicted) for _word in source], 1)


def links(effect: Float[Tensor, "target_words source_words"]) -> frozenset[Link]:
    """For every target word the source word without which it loses most; none where it loses nothing."""
    found = set()
    for row, values in enumerate(effect):
        if bool(torch.isfinite(values).all()) and float(values.max()) > 0:
            found.add((int(values.argmax()), row))
    return frozenset(found)


def by_word(rows: Float[Tensor, " rows"], predicted: Tokens) -> Float[Tensor, " target_words"]:
    """Sums over the pieces of each target word: the log-probability of a word is that of all its pieces.

    Raises `InputError` where there are more or fewer rows than tokens: the model then cut the same text in another way.
    """
    if len(rows) != len(predicted):
        raise InputError(
            _m("The model cuts “{text}” into {found} tokens now and into {expected} before; words cannot be compared."),
            text=(predicted.source or "")[:60],
            found=len(rows),
            expected=len(predicted),
        )
    owners = word_of_each(predicted)
    if owners is None:
        return rows[[place for place in range(len(predicted)) if not predicted.is_special(place)]]
    count = max((word for word in owners if word is not None), default=-1) + 1
    sums = torch.zeros(count, dtype=rows.dtype)
    for place, word in enumerate(owners):
        if word is not None:
            sums[word] += rows[place]
    return sums
