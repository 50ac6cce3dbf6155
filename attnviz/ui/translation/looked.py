"""What of one translation's attention is looked at: a head or a mean, laid out by words, the step and the word chosen."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.translation import Link, SentencePair, Translation, grammar
from attnviz.translation.heads import MEAN, HeadName, head_counts, weights_of
from attnviz.translation.reading import Layout, Side, lay_out
from attnviz.ui.views.translation import TranslationView


@dataclass(frozen=True, eq=False)
class Looked:
    """One head of one translation as an alignment.

    heads: how many heads each layer has. name: the head or mean that is shown, which is not the one asked for where
    there is no such one. matrix: weights by what `layout` shows; hidden: what lies on hidden columns, a number a row.
    row, column: places in the matrix of the step and of the source word that are chosen, if they are shown.
    """

    translation: Translation
    heads: tuple[int, ...]
    name: HeadName
    layout: Layout
    matrix: Float[Tensor, "target source"]
    hidden: Float[Tensor, " target"]
    row: int | None
    column: int | None

    @property
    def is_single(self) -> bool:
        """Whether the model has one head, so that there is nothing to choose and no mean."""
        return self.heads == (1,)

    @property
    def baseline(self) -> int | None:
        """N of the even share 1/N of each cell; None where cells are sums over several tokens and differ."""
        if any(len(positions) > 1 for positions in self.layout.source.positions):
            return None
        if self.layout.reading.renormalise:
            return len(self.layout.source.labels)
        return len(self.translation.source.shown())

    def even_share(self, column: int) -> float:
        """What an even share would give this column."""
        count = self.baseline or len(self.translation.source.shown())
        return len(self.layout.source.positions[column]) / count

    def most(self, row: int) -> int | None:
        """The column with the largest weight of a row; None where the row has none."""
        values = self.matrix[row]
        if not len(values) or not bool(torch.isfinite(values).any()) or not bool((values > 0).any()):
            return None
        return int(values.nan_to_num(-1).argmax())


@dataclass(frozen=True)
class Gold:
    """Gold links: `sure` and `possible` as places in the matrix, `words` all of them as words.

    pair: what the grammar makes of the source; None where it is no sentence of its own.
    """

    sure: frozenset[Link] = frozenset()
    possible: frozenset[Link] = frozenset()
    words: frozenset[Link] = frozenset()
    pair: SentencePair | None = None

    @property
    def is_known(self) -> bool:
        """Whether the translation is the grammar's own, so that its links are known."""
        return bool(self.words)


def look(translation: Translation, view: TranslationView) -> Looked:
    """What the view shows of a translation. Raises `InputError` where the decoder does not look at the source."""
    heads = head_counts(translation)
    name = _name(view.head_name(), heads)
    reading = view.reading()
    layout = lay_out(translation, reading)
    weights = weights_of(translation, name)
    shift = 1 if reading.rows == "consume" else 0
    return Looked(
        translation=translation,
        heads=heads,
        name=name,
        layout=layout,
        matrix=layout.matrix(weights),
        hidden=layout.hidden_mass(weights),
        row=None if view.step is None else _place(layout.target, view.step + shift),
        column=None if view.word is None else _place(layout.source, view.word),
    )


def has_cross_attention(translation: Translation) -> bool:
    """Whether the decoder looks at the source word by word."""
    return any(attention.role == "cross" for attention in translation.trace)


def gold(looked: Looked, language: str) -> Gold:
    """The gold links of this translation as places in its matrix; `language` is "" where the grammar knows none."""
    words = (looked.translation.source.source or "").split()
    pair = grammar.translate(language, words) if language and words else None
    if pair is None:
        return Gold()
    links = pair.links if pair.target == tuple(looked.translation.target_text.split()) else None
    if links is None:
        return Gold(pair=pair)
    return Gold(_placed(links.sure, looked.layout), _placed(links.possible, looked.layout), links.possible, pair)


def step_of_row(looked: Looked, row: int) -> int:
    """The step of the decoder that writes (the beginning of) what this row of the matrix stands for."""
    return looked.layout.target.positions[row][0] - (1 if looked.layout.reading.rows == "consume" else 0)


def word_of_column(looked: Looked, column: int) -> int:
    """The position of the source token that this column of the matrix stands for, the first of several."""
    return looked.layout.source.positions[column][0]


def _name(asked: HeadName, heads: tuple[int, ...]) -> HeadName:
    """The head asked for; else the mean that it belongs to. A single head is itself and no mean."""
    if heads == (1,):
        return HeadName(0, 0)
    if asked.layer is None or asked.layer >= len(heads):
        return MEAN
    if asked.head is not None and asked.head >= heads[asked.layer]:
        return HeadName(asked.layer, None)
    return asked


def _place(side: Side, position: int) -> int | None:
    return next((place for place, positions in enumerate(side.positions) if position in positions), None)


def _placed(links: frozenset[Link], layout: Layout) -> frozenset[Link]:
    """Links between words as links between places in the matrix; words that are hidden have none."""
    return frozenset(
        (column, row)
        for column, source in enumerate(layout.source.words)
        for row, target in enumerate(layout.target.words)
        if source is not None and target is not None and (source, target) in links
    )
