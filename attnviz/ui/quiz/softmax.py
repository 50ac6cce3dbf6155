"""The first kind of question: dot products of a query with two keys, and their softmax, without ÷ √d."""

import functools
import itertools
import math
from typing import NamedTuple

from attnviz.base.language import _
from attnviz.ui.quiz.draw import draw
from attnviz.ui.quiz.question import Blank, Known, Link, Question
from attnviz.ui.quiz.wording import LINE, number, vector
from attnviz.ui.views.playground import PlaygroundView

Pair = tuple[int, int]
ROOT = math.sqrt(2)


class Asked(NamedTuple):
    """A query and two keys."""

    query: Pair
    keys: tuple[Pair, Pair]

    @property
    def dots(self) -> Pair:
        """The dot product with each key."""
        first, second = (self.query[0] * key[0] + self.query[1] * key[1] for key in self.keys)
        return first, second

    def weights(self, divisor: float = 1.0) -> tuple[float, float]:
        """The softmax of the dot products, each divided by `divisor` first."""
        first = 1 / (1 + math.exp((self.dots[1] - self.dots[0]) / divisor))
        return first, 1 - first


LESSON = Asked((1, 0), ((2, 0), (0, 2)))


@functools.cache
def others() -> tuple[Asked, ...]:
    """Small whole numbers whose dot products differ by 1, 2 or 3: a pocket calculator's e to a small power."""
    components = range(-1, 3)
    queries = [query for query in itertools.product(range(3), range(3)) if any(query)]
    keys = [key for key in itertools.product(components, components) if any(key)]
    listed = (Asked(query, (first, second)) for query in queries for first, second in itertools.permutations(keys, 2))
    return tuple(
        asked
        for asked in listed
        if asked != LESSON and 1 <= abs(asked.dots[0] - asked.dots[1]) <= 3 and max(map(abs, asked.dots)) <= 4
    )


def question(seed: int) -> Question:
    """The question that goes with this seed, in the current language."""
    asked = draw(seed, LESSON, others)
    names = (_("key A"), _("key B"))
    return Question(
        name="softmax",
        title=_("Dot products and softmax"),
        text=_(
            "The query is {query}; the keys are A = {first} and B = {second}. What are the two dot products, "
            "and which weights does the softmax make of them **without** dividing by √d?",
            query=vector(asked.query),
            first=vector(asked.keys[0]),
            second=vector(asked.keys[1]),
        ),
        fields=(
            *(_dot(asked, place, name) for place, name in enumerate(names)),
            *(_weight(asked, place, name) for place, name in enumerate(names)),
        ),
        steps=_steps(asked),
        links=(Link(_("See it move"), view(asked)),),
    )


def _dot(asked: Asked, place: int, name: str) -> Blank:
    answer, other = asked.dots[place], asked.dots[1 - place]
    return Blank(
        f"dot{place}",
        _("Dot product with {key}", key=name),
        "number",
        answer,
        (
            Known(other, _("That is the dot product with the other key.")),
            Known(answer / ROOT, _("That is divided by √2; here the question is without.")),
        ),
    )


def _weight(asked: Asked, place: int, name: str) -> Blank:
    dots = asked.dots
    known = [
        Known(asked.weights(ROOT)[place], _("That is with ÷ √2; here the question is without.")),
        Known(asked.weights()[1 - place], _("That is the weight of the other key.")),
    ]
    if min(dots) >= 0:
        remark = _("That is the dot product's share of their sum; the softmax takes e to the power of each first.")
        known.append(Known(dots[place] / sum(dots), remark))
    return Blank(f"weight{place}", _("Weight of {key}", key=name), "weight", asked.weights()[place], tuple(known))


def _steps(asked: Asked) -> tuple[str, ...]:
    (q1, q2), dots, weights, scaled = asked.query, asked.dots, asked.weights(), asked.weights(ROOT)
    products = LINE.join(
        rf"$q \cdot k_{name} = {q1} \cdot {_inside(key[0])} + {q2} \cdot {_inside(key[1])} = {dot}$"
        for name, key, dot in zip("AB", asked.keys, dots, strict=True)
    )
    powers = [math.exp(dot) for dot in dots]
    total = sum(powers)
    raised = LINE.join(rf"$e^{{{dot}}} = {power:.3f}$" for dot, power in zip(dots, powers, strict=True))
    shares = LINE.join(
        rf"$w_{name} = {power:.3f} / {total:.3f} = {weight:.3f}$"
        for name, power, weight in zip("AB", powers, weights, strict=True)
    )
    return (
        products,
        raised,
        shares,
        _(
            "With ÷ √2 it would be {first} and {second}: the division makes weights more even.",
            first=number(scaled[0], 3),
            second=number(scaled[1], 3),
        ),
    )


def _inside(component: int) -> str:
    return f"({component})" if component < 0 else str(component)


def view(asked: Asked) -> PlaygroundView:
    """The Playground with this query and these keys; the values let the output be the first key's weight."""
    return PlaygroundView(
        example="quiz",
        query_tokens=(_("query"),),
        key_tokens=(_("key A"), _("key B")),
        query=(_floats(asked.query),),
        key=tuple(map(_floats, asked.keys)),
        value=((1.0,), (0.0,)),
        cross=True,
        scale=False,
    )


def _floats(vector: Pair) -> tuple[float, ...]:
    return tuple(map(float, vector))
