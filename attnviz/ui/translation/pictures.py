"""A column's pictures: curves between the sentences, the same as a map, and what else might have come at this step."""

from collections.abc import Sequence
from typing import Any

from attnviz import figures
from attnviz.base.language import _
from attnviz.translation import Alternative, Translation
from attnviz.ui import panels
from attnviz.ui.components import ChartClick
from attnviz.ui.panels import Picture
from attnviz.ui.translation import saying
from attnviz.ui.translation.columns import Column
from attnviz.ui.translation.decoding import label
from attnviz.ui.translation.looked import Gold, Looked, step_of_row, word_of_column
from attnviz.ui.translation.store import TranslationStore


def pictures(store: TranslationStore, column: Column, gold: Gold) -> None:
    """All pictures of a column; a word or a cell that is clicked is chosen."""
    translation, looked = column.translation, column.looked
    if translation is None:
        return
    name = saying.short(column.wanted)
    shown: dict[str, Picture] = {}
    if looked is not None and looked.layout.source.labels and looked.layout.target.labels:
        shown |= _alignment(store, looked, gold, name)
    alternatives = _alternatives(translation, store.view.step, name)
    if alternatives is not None:
        shown["alternatives"] = alternatives

    def click(event: ChartClick) -> None:
        if looked is not None:
            _choose(store, looked, event)

    if shown:
        panels.show(
            f"translation-{column.wanted.pair}-{column.wanted.model}", shown, columns_min_width=420, on_click=click
        )


def _alignment(store: TranslationStore, looked: Looked, gold: Gold, name: str) -> dict[str, Picture]:
    head = saying.head(looked)
    title = f"{name} · {head} · {label(looked.translation)}"
    matrix = looked.matrix.numpy()
    source, target = looked.layout.source.labels, looked.layout.target.labels
    links: dict[str, Any] = {"sure": gold.sure, "possible": gold.possible} if store.view.gold else {}
    options: dict[str, Any] = {"row": looked.row, "column": looked.column, **links}
    written = None if looked.row is None else looked.row + 1
    lines = figures.alignment_lines(matrix, source, target, written=written, title=title, **options)
    drawn = figures.alignment_map(matrix, source, target, baseline=looked.baseline, title=title, name=head, **options)

    def table() -> Any:
        return figures.table_alignment_map(matrix, source, target, **links)

    return {
        "lines": Picture(
            lines, figures.describe_alignment_lines(matrix, source, target), table, int(lines.layout.height)
        ),
        "map": Picture(
            drawn,
            figures.describe_alignment_map(
                matrix, source, target, baseline=looked.baseline, sure=links.get("sure", ()), row=looked.row, name=head
            ),
            table,
            int(drawn.layout.height),
        ),
    }


def _alternatives(translation: Translation, step: int | None, name: str) -> Picture | None:
    """The likeliest words of a step, and the one that came, wherever it ranks."""
    if step is None or step >= len(translation.alternatives):
        return None
    found, chosen = with_the_written(translation, step)
    words, shares = [one.text for one in found], [one.probability for one in found]
    figure = figures.next_words(
        words, shares, chosen=chosen, title=_("{name} · next words at step {step}", name=name, step=step + 1)
    )
    return Picture(
        figure,
        figures.describe_next_words(words, shares, chosen=chosen),
        lambda: figures.table_next_words(words, shares),
        int(figure.layout.height),
    )


def with_the_written(translation: Translation, step: int) -> tuple[Sequence[Alternative], int]:
    """The likeliest words of a step, the one that came added where it is none of them; and its place among them."""
    found = list(translation.alternatives[step])
    came = Alternative(translation.predicted.texts[step], float(translation.log_probabilities[step].exp()))
    place = next((at for at, one in enumerate(found) if one.text == came.text), len(found))
    return [*found, came] if place == len(found) else found, place


def _choose(store: TranslationStore, looked: Looked, event: ChartClick) -> None:
    """What was clicked is chosen; what is chosen and clicked again is let go."""
    custom = event.custom
    if not isinstance(custom, list) or len(custom) < 2 or event.figure not in ("lines", "map"):
        return
    row, column = _clicked(custom)
    view = store.view
    if row is not None and row < len(looked.layout.target.labels):
        step = step_of_row(looked, row)
        again = row == looked.row and column is None
        store.change(step=None if again else step, word=view.word if column is None else _word(looked, column))
    elif column is not None and column < len(looked.layout.source.labels):
        store.change(word=None if column == looked.column else _word(looked, column))


def _word(looked: Looked, column: int) -> int | None:
    return word_of_column(looked, column) if column < len(looked.layout.source.labels) else None


def _clicked(custom: list[Any]) -> tuple[int | None, int | None]:
    """Row and column of what was clicked: a word has one of them, a cell or a line both."""
    if isinstance(custom[0], str):
        place = int(custom[1])
        return (place, None) if custom[0] == "target" else (None, place)
    return int(custom[0]), int(custom[1])
