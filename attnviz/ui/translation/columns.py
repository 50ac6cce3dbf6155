"""The columns of the page: each a model, its translation, and what of its attention is looked at, or what went wrong."""

from dataclasses import dataclass

from attnviz.base.errors import InputError
from attnviz.translation import Translation
from attnviz.ui.translation.looked import Looked, has_cross_attention, look
from attnviz.ui.translation.translated import Wanted, translation, wanted
from attnviz.ui.views.translation import TranslationView


@dataclass(frozen=True, eq=False)
class Column:
    """translation: None where there is none; then `error` says why. looked: None where there is no cross-attention."""

    wanted: Wanted
    translation: Translation | None = None
    looked: Looked | None = None
    error: InputError | None = None


def columns(view: TranslationView, wrong: InputError | None) -> list[Column]:
    """All columns of the view; `wrong`: what is wrong with the sentence for our own models, said elsewhere."""
    return [_column(one, view) for one in wanted(view) if wrong is None or one.model == "other"]


def _column(one: Wanted, view: TranslationView) -> Column:
    try:
        found = translation(one)
        return Column(one, found, look(found, view) if has_cross_attention(found) else None)
    except InputError as error:
        return Column(one, error=error)


def steps(found: list[Column]) -> int:
    """How many steps the longest translation took, its end among them."""
    return max((len(column.translation.predicted) for column in found if column.translation), default=0)


def written(found: list[Column], step: int) -> str:
    """What all translations write at this step; "" where they differ, or have no such step."""
    texts = {
        column.translation.predicted.label(step) if step < len(column.translation.predicted) else ""
        for column in found
        if column.translation
    }
    return texts.pop() if len(texts) == 1 else ""
