"""The four questions that go with a seed."""

from attnviz.ui.quiz import cost, ignored, mean, softmax
from attnviz.ui.quiz.question import Question


def questions(seed: int) -> tuple[Question, ...]:
    """One question of each kind, in the current language; seed 0 asks the lesson's own."""
    return tuple(kind.question(seed) for kind in (softmax, mean, cost, ignored))
