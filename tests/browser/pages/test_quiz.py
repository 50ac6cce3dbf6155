"""The Quiz as a person uses it: typing, the Enter key, and the links to what shows why."""

import pytest
from playwright.sync_api import expect

from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui.quiz.questions import questions
from attnviz.ui.views.quiz import QuizView

pytestmark = pytest.mark.browser


@pytest.fixture
def quiz(chromium_page, site):
    page = chromium_page(f"{site}/quiz")
    page.get_by_role("textbox", name="Output").wait_for(timeout=90_000)
    return page


def _box(page, label):
    return page.get_by_role("textbox", name=label, exact=True)


def _answer_the_mean(page):
    _box(page, "Output").fill("14")
    _box(page, "Output").press("Enter")
    page.get_by_text("Right so far: 1 of 4").wait_for()


def test_four_numbers_typed_and_checked_by_key_alone(quiz):
    _box(quiz, "Dot product with key A").focus()
    for typed in ("2", "0", "0,88", ".12"):
        quiz.keyboard.type(typed)
        quiz.keyboard.press("Tab")
    quiz.keyboard.press("Enter")  # the button has the focus now
    quiz.get_by_text("Right so far: 1 of 4").wait_for()
    expect(quiz.get_by_text("Right", exact=True)).to_have_count(4)


def test_enter_in_a_field_checks_its_question_alone(quiz):
    _box(quiz, "Weight of key A").fill("0.80")
    _box(quiz, "Weight of key A").press("Enter")
    quiz.get_by_text("That is with ÷ √2; here the question is without.").wait_for()
    expect(quiz.get_by_text("Not right", exact=True)).to_have_count(1)
    expect(quiz.get_by_text("No answer yet", exact=True)).to_have_count(3)


def test_leaving_a_field_checks_nothing(quiz):
    _box(quiz, "Output").fill("14")
    _box(quiz, "Output").press("Tab")
    _box(quiz, "Pairs for 1,000 tokens").fill("1e6")
    _box(quiz, "Pairs for 1,000 tokens").press("Enter")
    quiz.get_by_text("No answer yet", exact=True).wait_for()
    expect(quiz.get_by_text("Right", exact=True)).to_have_count(1)


def test_a_reason_is_chosen_and_checked(quiz):
    quiz.get_by_text("No", exact=True).click()
    quiz.get_by_text("Its weight is below an even share. But a weight only says").click()
    quiz.get_by_role("button", name="Check").last.click()
    quiz.get_by_text("Right so far: 1 of 4").wait_for()
    quiz.get_by_text("Show how").click()
    quiz.get_by_text("An even share is 1/3 = 0.333").wait_for()


def test_a_link_shows_the_questions_numbers_and_the_answers_are_there_on_return(quiz):
    _answer_the_mean(quiz)
    quiz.get_by_role("link", name="See it move").click()
    quiz.get_by_role("heading", name="Playground", exact=True).wait_for(timeout=90_000)
    weights = quiz.locator("[data-figure=weights] svg text")
    weights.filter(has_text="0.800").wait_for(timeout=60_000)
    weights.filter(has_text="0.200").wait_for()
    quiz.locator("[data-figure=output] svg text").filter(has_text="14.0").wait_for()
    quiz.get_by_role("link", name="Quiz", exact=True).click()
    quiz.get_by_text("Right so far: 1 of 4").wait_for()
    expect(_box(quiz, "Output")).to_have_value("14")


def test_two_links_followed_one_after_the_other_and_again_each_show_their_own(quiz):
    _box(quiz, "Pairs for 1,000 tokens").fill("10^6")
    _box(quiz, "Pairs for 1,000 tokens").press("Enter")
    for tokens in (4, 8, 4):
        quiz.get_by_role("link", name=f"{tokens} tokens, {tokens**2} scores").click()
        quiz.get_by_role("heading", name="Playground", exact=True).wait_for(timeout=90_000)
        quiz.wait_for_function(
            "count => [...document.querySelectorAll('[data-figure=weights] svg text')]"
            ".filter(one => /^[01]?[.][0-9]+$/.test(one.textContent)).length === count",
            arg=tokens**2,
            timeout=60_000,
        )
        quiz.get_by_role("link", name="Quiz", exact=True).click()
        quiz.get_by_role("heading", name="Quiz", exact=True).wait_for()


def test_the_link_of_the_parked_car_opens_the_intersection(quiz):
    quiz.get_by_text("Yes", exact=True).click()
    quiz.get_by_role("button", name="Check").last.click()
    quiz.get_by_role("link", name="See it move").click()
    quiz.get_by_role("heading", name="Intersection", exact=True).wait_for(timeout=90_000)


def test_other_numbers_are_in_the_address_and_no_answer_is(quiz, chromium_page):
    before = quiz.url
    _answer_the_mean(quiz)
    answered = quiz.url
    quiz.get_by_role("button", name="Other numbers").click()
    quiz.get_by_text("Numbers: set 1").wait_for()
    quiz.get_by_text(questions(1)[1].text).wait_for()
    expect(_box(quiz, "Output")).to_have_value("")
    quiz.wait_for_function("before => location.href !== before", arg=answered)
    fresh = chromium_page(quiz.url)
    fresh.get_by_text("Numbers: set 1").wait_for(timeout=90_000)
    fresh.get_by_text("Right so far: 0 of 4").wait_for()
    assert before.split("?")[0] == answered.split("?")[0]


def test_cleared_answers_are_gone(quiz):
    _answer_the_mean(quiz)
    quiz.get_by_role("button", name="Clear my answers").click()
    quiz.get_by_text("Right so far: 0 of 4").wait_for()
    expect(_box(quiz, "Output")).to_have_value("")
    quiz.get_by_text("Show how").wait_for(state="detached")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_is_answered_in_every_language(chromium_page, link, language):
    with speaking(language):
        page = chromium_page(link(QuizView(seed=3), lang=language), width=700)
        mean = questions(3)[1]
        box = page.get_by_role("textbox", name=translate("Output"), exact=True)
        box.wait_for(timeout=90_000)
        # As it comes from a Japanese keyboard: full-width digits.
        box.fill(str(mean.fields[0].answer).translate(str.maketrans("0123456789-", "０１２３４５６７８９－")))
        box.press("Enter")
        page.get_by_text(translate("Right"), exact=True).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
