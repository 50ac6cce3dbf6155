"""How weights are read as an alignment: which row belongs to a target word, which columns count, pieces or words."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.tokens import Tokens
from attnviz.translation.sentence import Link, Links, SentencePair
from attnviz.translation.translator import Translation


@dataclass(frozen=True)
class Reading:
    """rows: the row that predicts a target token, or the next one, that consumes it.

    hide_special: source tokens that belong to no word (end of the sentence, language codes) get no column.
    hide_punctuation: neither do words without a letter or digit, and in the target they get no row. renormalise: what
    is left of a row sums to 1.
    pieces: the tokens as the model has them, instead of words.
    """

    rows: Literal["predict", "consume"] = "predict"
    hide_special: bool = True
    hide_punctuation: bool = False
    renormalise: bool = False
    pieces: bool = False


@dataclass(frozen=True, eq=False)
class Side:
    """What stands on one side: labels, the positions of the tokens of each, and the word that each is, if any."""

    labels: tuple[str, ...]
    positions: tuple[tuple[int, ...], ...]
    words: tuple[int | None, ...]


@dataclass(frozen=True, eq=False)
class Layout:
    """What stands on both sides of an alignment; `hidden` source tokens have no column.

    by_words: False where the tokenizer does not tell which tokens make a word, or pieces were asked for.
    """

    source: Side
    target: Side
    hidden: tuple[int, ...]
    reading: Reading
    by_words: bool

    def matrix(self, weights: Float[Tensor, "*heads rows columns"]) -> Float[Tensor, "*heads target source"]:
        """Weights of the decoder's rows as weights of what stands on the sides.

        A word's weight is the sum over its source tokens, and the mean over its target tokens.
        """
        rows = _grouped(self.target.positions, weights, mean=True)
        found = _grouped(self.source.positions, rows.transpose(-1, -2), mean=False).transpose(-1, -2)
        if self.reading.renormalise:
            found = found / found.sum(-1, keepdim=True)
        return found

    def hidden_mass(self, weights: Float[Tensor, "*heads rows columns"]) -> Float[Tensor, "*heads target"]:
        """How much of every target word's weight went to columns that are hidden."""
        rows = _grouped(self.target.positions, weights, mean=True)
        return rows[..., list(self.hidden)].sum(-1)

    def links(self, matrix: Float[Tensor, "target source"]) -> frozenset[Link]:
        """For every target word the source word with the largest weight, of those that are shown.

        Rows that are NaN or without any weight, and targets or sources that are no word, give no link. Whether the
        largest is looked for before or after hiding is disputed (marian-dev, issue 145); here it is after.
        """
        found = set()
        for row, (values, word) in enumerate(zip(matrix, self.target.words, strict=True)):
            if word is None or not values.numel() or not bool(torch.isfinite(values).all()) or not bool(values.any()):
                continue
            source = self.source.words[int(matrix[row].argmax())]
            if source is not None:
                found.add((source, word))
        return frozenset(found)


def lay_out(translation: Translation, reading: Reading) -> Layout:
    """What stands on both sides when the weights of this translation are read in this way."""
    source, target = translation.source, translation.predicted
    known = word_of_each(source), word_of_each(target)
    by_words = not reading.pieces and None not in known
    source_words, target_words = known[0] or _one_each(source), known[1] or _one_each(target)
    hidden = tuple(place for place in range(len(source)) if _is_hidden(source, place, source_words, reading))
    shown = [place for place in range(len(source)) if place not in hidden]
    shift = 1 if reading.rows == "consume" else 0
    # The row after the last one, that would consume the end of the sentence, does not exist.
    rows = [
        place
        for place in range(len(target))
        if place + shift < len(target)
        and not target.is_special(place)
        and not _is_hidden(target, place, target_words, reading)
    ]
    return Layout(
        source=_side(source, shown, source_words, by_words=by_words),
        target=_side(target, rows, target_words, by_words=by_words, shift=shift),
        hidden=hidden,
        reading=reading,
        by_words=by_words,
    )


def word_of_each(tokens: Tokens) -> tuple[int | None, ...] | None:
    """Which of the words that whitespace parts in `tokens.source` each token belongs to; None where that is unknown."""
    if tokens.source is None or tokens.spans is None:
        return tokens.words
    starts, inside = [], False
    for place, letter in enumerate(tokens.source):
        if not letter.isspace() and not inside:
            starts.append(place)
        inside = not letter.isspace()
    return tuple(
        None if span is None or not starts else max(0, sum(start < max(span[1], 1) for start in starts) - 1)
        for span in tokens.spans
    )


def kept(links: Iterable[Link], pair: SentencePair, reading: Reading) -> frozenset[Link]:
    """The links between words that the reading does not hide: what both gold and predictions are asked about."""
    if not reading.hide_punctuation:
        return frozenset(links)
    return frozenset(
        (source, target)
        for source, target in links
        if not is_punctuation(pair.source[source]) and not is_punctuation(pair.target[target])
    )


def gold_of(pair: SentencePair, reading: Reading) -> Links | None:
    """The gold links that count when weights are read in this way."""
    if pair.links is None:
        return None
    return Links(kept(pair.links.sure, pair, reading), kept(pair.links.possible, pair, reading))


def _one_each(tokens: Tokens) -> tuple[int | None, ...]:
    """Where nobody tells what makes a word, every token that is no special one is a word of its own."""
    found: list[int | None] = []
    for place in range(len(tokens)):
        absent = tokens.is_special(place) or tokens.is_padding(place)
        found.append(None if absent else sum(word is not None for word in found))
    return tuple(found)


def is_punctuation(text: str) -> bool:
    """Whether there is something, and neither a letter nor a digit."""
    return bool(text.strip()) and not any(unicodedata.category(letter)[0] in "LN" for letter in text)


def combined(stack: Float[Tensor, "heads rows columns"]) -> Float[Tensor, "rows columns"]:
    """The mean of heads, of the rows that are numbers."""
    return stack.nanmean(0)


def _is_hidden(tokens: Tokens, place: int, words: Sequence[int | None] | None, reading: Reading) -> bool:
    if tokens.is_padding(place):
        return True
    if tokens.is_special(place) or (words is not None and words[place] is None):
        return reading.hide_special
    text = tokens.texts[place]
    if words is not None and tokens.source is not None and tokens.spans is not None:
        text = tokens.source.split()[words[place] or 0]
    return reading.hide_punctuation and is_punctuation(text)


def _side(
    tokens: Tokens, shown: Sequence[int], words: Sequence[int | None] | None, *, by_words: bool, shift: int = 0
) -> Side:
    """Tokens in order, those of one word together."""
    labels: list[str] = []
    positions: list[list[int]] = []
    owners: list[int | None] = []
    split = tokens.source.split() if tokens.source is not None else None
    for place in shown:
        word = words[place] if words is not None else place
        if by_words and word is not None and owners and owners[-1] == word:
            positions[-1].append(place + shift)
            if split is None:
                labels[-1] += tokens.texts[place]
            continue
        whole = by_words and word is not None and split is not None
        labels.append(split[word] if whole and split is not None and word is not None else tokens.label(place))
        positions.append([place + shift])
        owners.append(word)
    return Side(tuple(labels), tuple(tuple(group) for group in positions), tuple(owners))


def _grouped(
    groups: Sequence[Sequence[int]], weights: Float[Tensor, "*heads rows columns"], *, mean: bool
) -> Float[Tensor, "*heads groups columns"]:
    """Rows put together: summed, or their mean."""
    if all(len(group) == 1 for group in groups):
        return weights[..., [group[0] for group in groups], :]
    parts = [weights[..., list(group), :].sum(-2) / (len(group) if mean else 1) for group in groups]
    return torch.stack(parts, -2) if parts else weights[..., :0, :]
