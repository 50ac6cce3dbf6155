"""The third kind of question: how many pairs of tokens attention compares, and how their number grows."""

import functools
import math
from typing import NamedTuple

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.ui.quiz.draw import draw
from attnviz.ui.quiz.question import Blank, Known, Link, Question
from attnviz.ui.quiz.wording import LINE
from attnviz.ui.views.playground import PlaygroundView

SMALL = 4
"""Tokens on the Playground that stand for the many of the question."""


class Asked(NamedTuple):
    """So many tokens, and then `times` as many."""

    tokens: int
    times: int

    @property
    def more(self) -> int:
        """The larger number of tokens."""
        return self.tokens * self.times


LESSON = Asked(1000, 2)


@functools.cache
def others() -> tuple[Asked, ...]:
    """Round numbers of tokens; two, three or four times as many."""
    tokens = (
        10,
        12,
        20,
        25,
        30,
        40,
        50,
        60,
        80,
        *(round_ * 100 for round_ in (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 30, 40, 50)),
    )
    listed = (Asked(few, times) for few in tokens for times in (2, 3, 4))
    return tuple(asked for asked in listed if asked != LESSON)


def question(seed: int) -> Question:
    """The question that goes with this seed, in the current language."""
    asked = draw(seed, LESSON, others)
    return Question(
        name="cost",
        title=_("How the cost grows"),
        text=_(
            "Every token is compared with every token, itself included, without a mask. How many pairs are there "
            "for {few} tokens, and how many for {many}?",
            few=grouped(asked.tokens),
            many=grouped(asked.more),
        ),
        fields=(
            _blank("few", asked.tokens, ()),
            _blank("many", asked.more, (_grown_once(asked),)),
        ),
        steps=(
            LINE.join(f"${_latex(tokens)}^2 = {_latex(tokens**2)}$" for tokens in (asked.tokens, asked.more)),
            _(
                "{times} times the tokens, {squared} times the pairs: there are more queries, and each meets more keys. "
                "That is the attention core; what is computed for each token alone grows only {times} times.",
                times=asked.times,
                squared=asked.times**2,
            ),
        ),
        links=tuple(
            Link(_("See it move: {tokens} tokens, {scores} scores", tokens=tokens, scores=tokens**2), view(tokens))
            for tokens in (SMALL, SMALL * asked.times)
        ),
    )


def _blank(name: str, tokens: int, more: tuple[Known, ...]) -> Blank:
    return Blank(
        name,
        _("Pairs for {tokens} tokens", tokens=grouped(tokens)),
        "count",
        tokens**2,
        (
            *more,
            Known(
                tokens * (tokens + 1) // 2,
                _("That is right under a causal mask: n(n + 1)/2. Here there is no mask."),
            ),
            Known(tokens * (tokens - 1), _("That leaves out each token's pair with itself.")),
            Known(
                tokens * (tokens - 1) // 2,
                _("That counts each two tokens once; but query and key are different roles, so both ways count."),
            ),
            Known(tokens, _("That is the number of tokens; each of them meets all of them.")),
            Known(2 * tokens, _("That is twice the number of tokens; each of them meets all of them.")),
        ),
    )


def _grown_once(asked: Asked) -> Known:
    return Known(
        asked.times * asked.tokens**2,
        _(
            "That is {times} times as many pairs; but there are {times} times as many queries and as many keys.",
            times=asked.times,
        ),
    )


def _latex(number: int) -> str:
    return f"{number:,}".replace(",", r"\,")


def view(tokens: int) -> PlaygroundView:
    """The Playground with so many tokens on a circle, each looking at its neighbours: a score for every pair."""
    angles = [2 * math.pi * token / tokens for token in range(tokens)]
    vectors = tuple((round(2 * math.cos(angle), 2) + 0.0, round(2 * math.sin(angle), 2) + 0.0) for angle in angles)
    names = tuple(_("token {index}", index=index) for index in range(tokens))
    return PlaygroundView(
        example="quiz", query_tokens=names, key_tokens=names, query=vectors, key=vectors, value=vectors
    )
