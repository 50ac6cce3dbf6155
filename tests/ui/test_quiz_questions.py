"""The questions: the lesson's own worked by hand, all others from their own numbers, and that each link shows them."""

import ast
import math
from fractions import Fraction
from pathlib import Path

import pytest
import torch

import attnviz.ui.quiz
from attnviz.attention import by_hand
from attnviz.base.language import LANGUAGES, speaking
from attnviz.ui import address
from attnviz.ui.playground.compute import work_out
from attnviz.ui.quiz import cost, ignored, mean, scene, softmax
from attnviz.ui.quiz.draw import draw, stride
from attnviz.ui.quiz.question import Choice, check, is_right
from attnviz.ui.quiz.questions import questions
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.quiz import LAST_SEED, QuizView

SEEDS = range(150)


def _answers(question):
    """The right answer to every field."""
    return {
        field.name: next(option.name for option in field.options if option.right)
        if isinstance(field, Choice)
        else repr(field.answer)
        for field in question.fields
    }


def _said(question, name, given):
    return check(next(field for field in question.fields if field.name == name), given)


# The lesson's own four.


@pytest.fixture
def lesson():
    return {question.name: question for question in questions(0)}


def test_the_dot_products_are_2_and_0_and_the_weights_0_88_and_0_12(lesson):
    given = {"dot0": "2", "dot1": "0", "weight0": "0.88", "weight1": "0,12"}
    assert is_right(lesson["softmax"], given)
    # 1 / (1 + e⁻²), by hand
    assert [field.answer for field in lesson["softmax"].fields] == pytest.approx([2, 0, 0.880797, 0.119203], abs=1e-6)


@pytest.mark.parametrize(
    ("given", "state"), [("0.875", "right"), ("0.8867", "right"), ("0.87", "wrong"), ("0.89", "wrong")]
)
def test_two_decimals_are_enough_for_a_weight_and_one_is_not(lesson, given, state):
    assert _said(lesson["softmax"], "weight0", given).state == state


@pytest.mark.parametrize(("name", "given"), [("weight0", "0.80"), ("weight1", "0.2"), ("weight0", "80 %")])
def test_the_scaled_weights_are_recognised_kindly(lesson, name, given):
    assert _said(lesson["softmax"], name, given) == ("wrong", "That is with ÷ √2; here the question is without.")


def test_other_ways_to_err_are_recognised(lesson):
    asked = lesson["softmax"]
    assert _said(asked, "weight0", "0.12").remark == "That is the weight of the other key."
    assert "share of their sum" in _said(asked, "weight0", "1").remark
    assert "lies between 0 and 1" in _said(asked, "weight0", "88").remark
    assert _said(asked, "dot0", "0").remark == "That is the dot product with the other key."
    assert "divided by √2" in _said(asked, "dot0", "1.41").remark
    assert _said(asked, "dot0", "3") == ("wrong", "")


def test_the_weighted_mean_is_14_exactly(lesson):
    assert is_right(lesson["mean"], {"output": "14"})
    assert is_right(lesson["mean"], {"output": "14.0"})
    assert not is_right(lesson["mean"], {"output": "14.01"})
    assert "plain mean" in _said(lesson["mean"], "output", "20").remark
    assert "of another" in _said(lesson["mean"], "output", "26").remark
    assert "sum of the values" in _said(lesson["mean"], "output", "40").remark


def test_a_thousand_tokens_have_a_million_pairs_and_twice_as_many_four(lesson):
    assert is_right(lesson["cost"], {"few": "1,000,000", "many": "4 000 000"})
    assert not is_right(lesson["cost"], {"few": "1,000,001", "many": "4 000 000"})
    assert "causal mask" in _said(lesson["cost"], "few", "500,500").remark
    assert "causal mask" in _said(lesson["cost"], "many", "2001000").remark
    assert "2 times as many queries" in _said(lesson["cost"], "many", "2,000,000").remark
    assert "pair with itself" in _said(lesson["cost"], "few", "999,000").remark


def test_the_parked_car_may_not_be_ignored_though_its_weight_is_small(lesson):
    asked = lesson["ignored"]
    assert "**0.0095**" in asked.text
    assert "parked car" in asked.text
    assert is_right(asked, {"verdict": "no", "reason": "portion-below"})
    assert not is_right(asked, {"verdict": "yes", "reason": "portion-below"})
    for wrong in ("small", "never-zero", "portion-above"):
        assert _said(asked, "reason", wrong).state == "wrong"
        assert len(_said(asked, "reason", wrong).remark) > 40


def test_the_lessons_numbers_for_the_parked_car():
    found = scene.numbers(scene.view(0))
    assert (found.among, found.value) == (3, 0.1)
    # softmax of (4, 5, −1)/√2; the outputs with value 0.1, with value 1.0, and without it
    assert found.weight == pytest.approx(0.009532, abs=1e-6)
    assert (found.output, found.if_value, found.without) == pytest.approx((0.794247, 0.802826, 0.800928), abs=1e-6)


def test_what_is_not_answered_is_missing_and_what_is_no_number_says_so(lesson):
    assert _said(lesson["mean"], "output", None).state == "missing"
    assert _said(lesson["mean"], "output", "  ").state == "missing"
    assert _said(lesson["mean"], "output", "fourteen").state == "unreadable"
    assert "“fourteen”" in _said(lesson["mean"], "output", "fourteen").remark
    assert _said(lesson["ignored"], "reason", "no such reason").state == "missing"


# Every question that a seed can ask.


def test_the_answers_follow_from_each_questions_own_numbers():
    for asked in (softmax.LESSON, *softmax.others()):
        first, second = (sum(map(int.__mul__, asked.query, key)) for key in asked.keys)
        assert asked.dots == (first, second)
        powers = math.exp(first), math.exp(second)
        assert asked.weights() == pytest.approx([power / sum(powers) for power in powers], abs=1e-12)
    for asked in (mean.LESSON, *mean.others()):
        assert sum(asked.tenths) == 10
        exact = sum(Fraction(tenth, 10) * value for tenth, value in zip(asked.tenths, asked.values, strict=True))
        assert asked.answer == exact, "a whole number, so that it can be worked out by hand"


def test_every_question_accepts_its_own_answers_and_no_known_wrong_one():
    for seed in SEEDS:
        for question in questions(seed):
            assert is_right(question, _answers(question)), (seed, question.name)
            for field in question.fields:
                for known in getattr(field, "known", ()):
                    if known.value != field.answer:
                        assert check(field, repr(known.value)).state == "wrong", (seed, field, known)


def test_the_scaled_weights_are_never_taken_for_right():
    for asked in softmax.others():
        assert abs(asked.weights()[0] - asked.weights(math.sqrt(2))[0]) > 0.05


def test_exactly_one_reason_is_right_and_it_depends_on_the_numbers():
    right = {True: set(), False: set()}
    for seed in range(len(scene.others()) + 1):
        verdict, reason = ignored.question(seed).fields
        found = scene.numbers(scene.view(seed))
        assert len(reason.options) == len({option.name for option in reason.options}) == 4
        assert [option.name for option in verdict.options if option.right] == ["no"]
        (only,) = [option.name for option in reason.options if option.right]
        assert only == ("portion-below" if found.weight < 1 / found.among else "portion-above")
        assert all(option.why for option in reason.options)
        right[found.below].add(next(place for place, option in enumerate(reason.options) if option.right))
    # Both answers occur, each in more than one place of the list.
    assert all(len(places) >= 3 for places in right.values()), right


def test_one_and_the_same_weight_is_below_an_even_share_here_and_above_it_there():
    scenes = scene.others()
    below = {found.weight for found in scenes if found.weight < 1 / found.among}
    above = {found.weight for found in scenes if found.weight > 1 / found.among}
    assert {0.06, 0.08, 0.1, 0.12} <= below & above


def test_a_reason_that_argues_with_a_small_change_has_one():
    seen = 0
    for seed in SEEDS:
        if any(option.name == "removed" for option in ignored.question(seed).fields[1].options):
            found = scene.numbers(scene.view(seed))
            assert abs(found.without - found.output) < 0.02
            seen += 1
    assert seen > 20


def test_neighbouring_seeds_ask_differently_and_nothing_twice_before_its_turn():
    for others in (softmax.others, mean.others, cost.others, scene.others):
        listed = others()
        drawn = [draw(seed, None, others) for seed in range(1, len(listed) + 1)]
        assert set(drawn) == set(listed)
        assert math.gcd(stride(len(listed)), len(listed)) == 1
    # The last seed there is works as well.
    assert len(questions(LAST_SEED)) == 4


# Where the links lead.


def test_the_linked_playground_shows_the_questions_dot_products_and_weights():
    for seed in range(200):
        question = softmax.question(seed)
        steps = work_out(question.links[0].view).steps
        shown = [*steps.dots[0, 0].tolist(), *steps.weights[0, 0].tolist()]
        assert shown == pytest.approx([field.answer for field in question.fields], abs=1e-6)


def test_the_linked_playground_shows_the_questions_weighted_mean():
    for seed in range(200):
        question = mean.question(seed)
        asked = draw(seed, mean.LESSON, mean.others)
        steps = work_out(question.links[0].view).steps
        assert steps.weights[0, 0].tolist() == pytest.approx(asked.weights, abs=1e-6)
        assert float(steps.output) == pytest.approx(question.fields[0].answer, abs=1e-4)


def test_the_two_linked_playgrounds_grow_as_the_question_does():
    for seed in range(80):
        question = cost.question(seed)
        few, many = (work_out(link.view).steps.dots[0].numel() for link in question.links)
        assert Fraction(many, few) == Fraction(int(question.fields[1].answer), int(question.fields[0].answer))
    assert [link.label for link in cost.question(0).links] == [
        "See it move: 4 tokens, 16 scores",
        "See it move: 8 tokens, 64 scores",
    ]


def test_the_linked_intersection_gives_the_road_user_the_questions_weight():
    for asked in scene.others()[::5]:
        view = scene.arranged(asked)
        place = [user.id for user in view.users].index(view.selected)
        steps = by_hand.steps(
            torch.tensor([view.queries[0]]),
            torch.tensor([user.keys[0] for user in view.users]),
            torch.tensor([user.values for user in view.users]),
        )
        assert float(steps.weights[0, 0, place]) == pytest.approx(asked.weight, abs=1e-6)
        # All others have the value 0.5: by hand, w·v + (1 − w)·0.5.
        assert float(steps.output) == pytest.approx(asked.weight * asked.value + (1 - asked.weight) * 0.5, abs=1e-6)
        assert (len(view.users), view.users[place].kind) == (asked.among, asked.kind)


def test_the_lessons_intersection_is_the_pages_own_with_the_parked_car_chosen():
    view = ignored.question(0).links[0].view
    assert view == IntersectionView()
    assert (view.selected, view.value_if) == ("parked", 1.0)


def test_every_linked_view_fits_into_an_address_and_comes_back():
    for seed in SEEDS:
        for question in questions(seed):
            for link in question.links:
                text = address.encode(link.view)
                assert len(text) < address.ADDRESS_LIMIT
                assert address.decode(text, type(link.view)) == link.view


def test_nobody_stands_inside_another():
    for asked in scene.others():
        users = scene.arranged(asked).users
        places = [(user.place.x, user.place.y) for user in users]
        for index, one in enumerate(places):
            assert all(math.dist(one, other) > 2 for other in places[:index]), (asked, one)


# The view, and what the pure part may know.


def test_the_seed_goes_on_and_starts_again():
    assert QuizView().with_other_numbers() == {"seed": 1}
    assert QuizView(seed=LAST_SEED).with_other_numbers() == {"seed": 0}


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_asked_in_every_language_with_the_same_answers(language):
    with speaking(language):
        spoken = questions(7)
    for mine, theirs in zip(questions(7), spoken, strict=True):
        assert _answers(mine) == _answers(theirs)


def test_only_the_board_knows_streamlit():
    for file in Path(attnviz.ui.quiz.__file__).parent.glob("*.py"):
        imported = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
        }
        assert ("streamlit" in imported) == (file.name == "board.py"), file.name
