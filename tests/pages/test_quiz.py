import pytest

from attnviz.base.language import LANGUAGES, speaking
from attnviz.ui import address
from attnviz.ui.page import plain
from attnviz.ui.quiz.question import Choice
from attnviz.ui.quiz.questions import questions
from attnviz.ui.views.quiz import QuizView

from .conftest import no_trace_of_failure, said


def _type(app, question, **answers):
    for field, answer in answers.items():
        app.text_input(key=f"quiz:answer:{question}:{field}").set_value(answer)
    app.button(key=f"quiz:check:{question}").click().run()
    no_trace_of_failure(app)


def _choose(app, question, **answers):
    for field, answer in answers.items():
        app.radio(key=f"quiz:answer:{question}:{field}").set_value(answer)
    app.button(key=f"quiz:check:{question}").click().run()
    no_trace_of_failure(app)


def _answer_everything(app, seed):
    for question in questions(seed):
        numbers = {field.name: repr(field.answer) for field in question.fields if not isinstance(field, Choice)}
        chosen = {
            field.name: next(option.name for option in field.options if option.right)
            for field in question.fields
            if isinstance(field, Choice)
        }
        _type(app, question.name, **numbers) if numbers else _choose(app, question.name, **chosen)


def test_nothing_is_right_or_wrong_before_it_is_checked(open_page):
    app = open_page("quiz")
    no_trace_of_failure(app)
    assert "Right so far: **0 of 4**" in said(app)
    assert "**Right**" not in said(app)
    assert "No answer yet" not in said(app)
    assert not app.expander or all(expander.label != "Show how" for expander in app.expander)
    assert not app.get("page_link")


def test_the_lessons_answers_are_right_and_counted(open_page):
    app = open_page("quiz")
    _type(app, "softmax", dot0="2", dot1="0", weight0="0,88", weight1="12 %")
    assert "Right so far: **1 of 4**" in said(app)
    _type(app, "mean", output="14")
    _type(app, "cost", few="1 000 000", many="4.000.000")
    _choose(app, "ignored", verdict="no", reason="portion-below")
    assert "Right so far: **4 of 4**" in said(app)
    assert "**Not right**" not in said(app)


def test_each_field_has_its_own_verdict_and_what_is_known_gets_a_sentence(open_page):
    app = open_page("quiz")
    _type(app, "softmax", dot0="2", dot1="nought", weight0="0.80")
    text = said(app)
    assert text.count("**Right**") == 1
    assert text.count("**Not a number**") == 1
    assert text.count("**Not right**") == 1
    assert text.count("No answer yet") == 1
    assert "**Weight of key A:** That is with ÷ √2" in text
    assert "“nought” is not a number" in text
    assert "Right so far: **0 of 4**" in text


def test_a_checked_question_can_be_shown_and_leads_somewhere(open_page):
    app = open_page("quiz")
    _type(app, "cost", few="500,500", many="")
    assert [expander.label for expander in app.expander].count("Show how") == 1
    assert r"$1\,000^2 = 1\,000\,000$" in said(app)
    links = [link.proto.label for link in app.get("page_link")]
    assert links == ["See it move: 4 tokens, 16 scores", "See it move: 8 tokens, 64 scores"]


def test_a_link_carries_the_view_of_its_question(open_page):
    app = open_page("quiz")
    _type(app, "mean", output="1")
    (link,) = app.get("page_link")
    view = questions(0)[1].links[0].view
    assert address.encode(view) in link.proto.query_string


def test_a_wrong_reason_says_why(open_page):
    app = open_page("quiz")
    _choose(app, "ignored", verdict="yes", reason="small")
    assert "No weight, small or large, allows that by itself" in said(app).replace("\\", "")
    assert "The comparison is right, the conclusion is not" in said(app)


def test_other_numbers_ask_anew_and_forget_what_was_answered(open_page):
    app = open_page("quiz")
    _type(app, "mean", output="14")
    app.button(key="quiz:other").click().run()
    no_trace_of_failure(app)
    assert app.session_state["store:quiz"].view == QuizView(seed=1)
    assert "Right so far: **0 of 4**" in said(app)
    assert app.text_input(key="quiz:answer:mean:output").value == ""
    _answer_everything(app, 1)
    assert "Right so far: **4 of 4**" in said(app)
    app.button(key="quiz:lesson").click().run()
    assert questions(0)[1].text in said(app)
    assert "Right so far: **0 of 4**" in said(app)


def test_clearing_forgets_the_answers_and_keeps_the_numbers(open_page):
    app = open_page("quiz", view=address.encode(QuizView(seed=7)))
    _answer_everything(app, 7)
    app.button(key="quiz:clear").click().run()
    no_trace_of_failure(app)
    assert "Right so far: **0 of 4**" in said(app)
    assert {field.value for field in app.text_input if field.key.startswith("quiz:")} == {""}
    assert {radio.value for radio in app.radio} == {None}
    assert app.session_state["store:quiz"].view == QuizView(seed=7)


def test_no_answer_reaches_the_address(open_page):
    app = open_page("quiz")
    before = app.session_state["store:quiz"].address()
    _type(app, "mean", output="14")
    assert app.session_state["store:quiz"].address() == before == address.encode(QuizView())


@pytest.mark.parametrize("hostile", ["<img src=x onerror=alert(1)>", "**14**", "$x$ [a](javascript:b)", "x" * 40])
def test_what_is_typed_is_shown_as_it_is_and_never_interpreted(open_page, hostile):
    app = open_page("quiz")
    _type(app, "mean", output=hostile)
    assert "**Not a number**" in said(app)
    assert f"“{plain(hostile)}”" in said(app)


@pytest.mark.parametrize("fields", [{"seed": -1}, {"seed": 10000}, {"seed": "x"}, {"seed": 1.5}, {"other": 1}])
def test_a_link_to_what_cannot_be_asked_is_one_sentence(open_page, fields):
    import base64
    import json
    import zlib

    packed = zlib.compress(json.dumps({"page": "quiz", **fields}).encode())
    app = open_page("quiz", view=base64.urlsafe_b64encode(packed).rstrip(b"=").decode())
    no_trace_of_failure(app)
    assert len(app.error) == 1
    assert questions(0)[1].text in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answers_stay_when_the_language_changes(open_page, language):
    app = open_page("quiz")
    _type(app, "mean", output="14")
    app.segmented_control(key="lang").set_value(language).run()
    with speaking(language):
        no_trace_of_failure(app)
        field = f"quiz:answer:mean:output:{language}" if language != "en" else "quiz:answer:mean:output"
        assert app.text_input(key=field).value == "14"
        assert questions(0)[1].text in said(app)


def test_the_answers_are_there_when_one_comes_back_from_what_a_link_showed(open_page):
    app = open_page("quiz")
    _type(app, "mean", output="14")
    app.switch_page("../../pages/playground.py").run()
    app.switch_page("../../pages/quiz.py").run()
    no_trace_of_failure(app)
    assert app.text_input(key="quiz:answer:mean:output").value == "14"
    assert "Right so far: **1 of 4**" in said(app)


def test_a_choice_and_its_verdict_go_along_into_another_language_and_back(open_page):
    app = open_page("quiz")
    _choose(app, "ignored", verdict="yes", reason="portion-below")
    for language in ("ja", "en"):
        app.segmented_control(key="lang").set_value(language).run()
        with speaking(language):
            no_trace_of_failure(app)
            suffix = "" if language == "en" else f":{language}"
            assert app.radio(key=f"quiz:answer:ignored:verdict{suffix}").value == "yes"
            assert app.radio(key=f"quiz:answer:ignored:reason{suffix}").value == "portion-below"
