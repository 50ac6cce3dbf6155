"""The second kind of question: the mean of values, weighted."""

import functools
import itertools
import math
from typing import NamedTuple

from attnviz.base.language import _
from attnviz.ui.quiz.draw import draw
from attnviz.ui.quiz.question import Blank, Known, Link, Question
from attnviz.ui.quiz.wording import vector
from attnviz.ui.views.playground import PlaygroundView


class Asked(NamedTuple):
    """Weights in tenths, which sum to 10, and as many values, all tens: the mean is a whole number."""

    tenths: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def answer(self) -> int:
        """The weighted mean."""
        return sum(map(int.__mul__, self.tenths, self.values)) // 10

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights as they are asked."""
        return tuple(tenth / 10 for tenth in self.tenths)


LESSON = Asked((8, 2), (10, 30))


@functools.cache
def others() -> tuple[Asked, ...]:
    """Two or three weights in tenths, values from −20 to 60 in tens; nowhere the plain mean."""
    weights = [
        *itertools.permutations((9, 1)), *itertools.permutations((8, 2)), *itertools.permutations((7, 3)),
        *itertools.permutations((6, 4)), *itertools.permutations((7, 2, 1)), *itertools.permutations((6, 3, 1)),
        *itertools.permutations((5, 3, 2)),
    ]  # fmt: skip
    tens = (-20, 10, 20, 30, 40, 50, 60)
    listed = (Asked(tenths, values) for tenths in weights for values in itertools.permutations(tens, len(tenths)))
    return tuple(
        asked
        for asked in listed
        if asked != LESSON
        and len(asked.tenths) * asked.answer != sum(asked.values)
        and asked.answer not in asked.values
    )


def question(seed: int) -> Question:
    """The question that goes with this seed, in the current language."""
    asked = draw(seed, LESSON, others)
    plain = sum(asked.values) / len(asked.values)
    backwards = Asked(asked.tenths[::-1], asked.values).answer
    return Question(
        name="mean",
        title=_("The weighted mean"),
        text=_(
            "The weights are {weights}, the values {values}. What is the output?",
            weights=vector(asked.weights),
            values=vector(asked.values),
        ),
        fields=(
            Blank(
                "output",
                _("Output"),
                "number",
                asked.answer,
                (
                    Known(
                        sum(asked.values), _("That is the sum of the values; each is multiplied by its weight first.")
                    ),
                    Known(plain, _("That is the plain mean, with every value weighted alike.")),
                    Known(backwards, _("That gives each value the weight of another.")),
                ),
            ),
        ),
        steps=(f"${_sum(asked)} = {asked.answer}$",),
        links=(Link(_("See it move"), view(asked)),),
    )


def _sum(asked: Asked) -> str:
    return " + ".join(
        rf"{weight} \cdot {f'({value})' if value < 0 else value}"
        for weight, value in zip(asked.weights, asked.values, strict=True)
    )


def view(asked: Asked) -> PlaygroundView:
    """The Playground with these values, and keys whose softmax is exactly these weights.

    The softmax undoes the logarithm: with query 1 and keys ln(w / smallest w), the weights are w.
    """
    names = (_("key A"), _("key B"), _("key C"))[: len(asked.values)]
    smallest = min(asked.tenths)
    return PlaygroundView(
        example="quiz",
        query_tokens=(_("query"),),
        key_tokens=names,
        query=((1.0,),),
        key=tuple((round(math.log(tenth / smallest), 6),) for tenth in asked.tenths),
        value=tuple((float(value),) for value in asked.values),
        cross=True,
        scale=False,
        limit=60.0,
    )
