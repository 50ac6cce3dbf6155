"""Stories on the page: walking one, making one, opening one."""

import json

import pytest

from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui import address
from attnviz.ui.stories import catalogue
from attnviz.ui.stories.model import from_json, said, step_of
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.playground import PlaygroundView
from attnviz.ui.views.stories import StoriesView

from .conftest import no_trace_of_failure
from .conftest import said as read

STORY = catalogue.shipped("not-zero")


def _bar(app):
    """What the bar is told: where one is, and what is to be said."""
    found = [one for one in app.main.get("bidi_component") if one.proto.component_name == "attnviz_story"]
    return json.loads(found[0].proto.json) if found else None


def _draft(app):
    return app.session_state["store:stories"].view


def _click(app, key):
    app.button(key=key).click().run()
    no_trace_of_failure(app)
    return app


@pytest.mark.parametrize("language", LANGUAGES)
def test_shipped_stories_are_offered_in_the_language_of_the_page(open_page, language):
    with speaking(language):
        app = open_page("stories", lang=language)
        no_trace_of_failure(app)
        assert app.title[0].value == translate("Stories")
        assert app.subheader[0].value.replace("\\", "") == said(STORY.title)
        _click(app, "walk:not-zero")
        assert _bar(app)["sentence"] == said(STORY.steps[0].say)
        assert app.title[0].value == translate("What does attention look at?")


def test_a_walk_shows_each_steps_page_and_view(open_page):
    app = _click(open_page("stories"), "walk:not-zero")
    assert app.title[0].value == "What does attention look at?"
    assert (_bar(app)["at"], _bar(app)["count"]) == (0, 8)


@pytest.mark.parametrize("number", range(1, 9))
def test_a_link_opens_at_its_step_presenting(open_page, number):
    app = open_page("start", story="not-zero", step=str(number))
    no_trace_of_failure(app)
    step = STORY.steps[number - 1]
    assert (_bar(app)["at"], _bar(app)["sentence"]) == (number - 1, step.say.en)
    titles = {"start": "What does attention look at?", "playground": "Playground", "intersection": "Intersection"}
    assert app.title[0].value == titles[step.page]
    if step.view is not None:
        assert app.session_state[f"store:{step.page}"].view == step.shown()
    assert app.toggle(key="presenting").value


@pytest.mark.parametrize("number", range(1, 8))
def test_the_story_of_what_fits_opens_at_each_of_its_steps(open_page, number):
    story = catalogue.shipped("does-it-fit")
    step = story.steps[number - 1]
    app = open_page(step.page, story="does-it-fit", step=str(number))
    no_trace_of_failure(app)
    assert (_bar(app)["at"], _bar(app)["sentence"]) == (number - 1, step.say.en)
    assert app.title[0].value == {"cost": "Cost", "kinds": "Kinds"}[step.page]
    assert app.session_state[f"store:{step.page}"].view == step.shown()


def test_a_view_in_the_link_goes_before_that_of_the_step(open_page):
    other = PlaygroundView.start("quiz")
    app = open_page("playground", story="not-zero", step="2", view=address.encode(other))
    no_trace_of_failure(app)
    assert _bar(app)["at"] == 1
    assert app.session_state["store:playground"].view == other


@pytest.mark.parametrize(
    ("step", "at"), [("", 0), ("0", 0), ("-1", 0), ("999", 7), ("٣", 0), ("1e9", 0), ("9" * 9, 7), ("9" * 500, 7)]
)
def test_a_step_that_is_none_is_the_nearest_or_the_first(open_page, step, at):
    app = open_page("start", story="not-zero", step=step)
    no_trace_of_failure(app)
    assert _bar(app)["at"] == at


def test_a_story_that_is_none_is_one_sentence(open_page):
    app = open_page("start", story="<b>*none*")
    no_trace_of_failure(app)
    assert [error.value.replace("\\", "") for error in app.error] == ["There is no story “<b>*none*”."]
    assert _bar(app) is None
    app.run()
    assert not app.error


def test_what_was_looked_at_is_listed_and_added(open_page):
    app = open_page("playground", view=address.encode(PlaygroundView.start("intersection")))
    app.switch_page("../../pages/start.py").run()
    app.switch_page("../../pages/stories.py").run()
    no_trace_of_failure(app)
    listed = [text.value.replace("\\", "") for text in app.markdown if text.value.startswith("**")]
    assert listed == ["**Start**", "**Playground** — Intersection · ego car (1, 2)"]
    _click(app, "stories:add:1")
    assert [step.page for step in _draft(app).steps] == ["playground"]
    assert _draft(app).steps[0].shown() == PlaygroundView.start("intersection")


def test_what_a_slider_passes_is_not_listed_and_the_same_view_once(open_page):
    app = open_page("playground")
    for temperature in (1.5, 2.0, 2.5):
        app.slider(key="playground:temperature").set_value(temperature).run()
    app.switch_page("../../pages/start.py").run()
    app.switch_page("../../pages/playground.py").run()
    app.switch_page("../../pages/stories.py").run()
    listed = [text.value.replace("\\", "") for text in app.markdown if text.value.startswith("**")]
    assert listed == ["**Playground** — Random vectors, seed 0 · token 0 · Temperature 2.50", "**Start**"]


def test_a_view_that_rested_stays_in_the_list(open_page, monkeypatch):
    from attnviz.ui.stories import visits

    monkeypatch.setattr(visits, "REST", 0.0)
    app = open_page("playground")
    app.slider(key="playground:temperature").set_value(1.5).run()
    app.switch_page("../../pages/stories.py").run()
    assert len([text for text in app.markdown if text.value.startswith("**Playground")]) == 2


def test_the_sidebar_adds_what_is_shown(open_page):
    app = open_page("playground", view=address.encode(PlaygroundView.start("quiz")))
    _click(app, "add:playground")
    app.switch_page("../../pages/start.py").run()
    _click(app, "add:start")
    assert [toast.value for toast in app.toast] == ["Added to your story as step 2."]
    assert _draft(app).steps == (step_of("playground", PlaygroundView.start("quiz")), step_of("start", None))


@pytest.fixture
def made(open_page):
    """The page with a draft of three steps."""
    steps = tuple(step_of(page, None, page.title()) for page in ("start", "playground", "heads"))
    return open_page("stories", view=address.encode(StoriesView(title="Mine", steps=steps)))


def _pages(app):
    return [step.page for step in _draft(app).steps]


def _of(app, action, page):
    """Presses a button of the step of this page; the three steps are named 1, 2, 3 as they were opened."""
    return _click(app, f"{action}-{('start', 'playground', 'heads').index(page) + 1}")


def test_steps_move_go_and_come_back(made):
    _of(made, "up", "heads")
    assert _pages(made) == ["start", "heads", "playground"]
    _of(made, "down", "start")
    assert _pages(made) == ["heads", "start", "playground"]
    assert made.button(key="up-3").disabled
    assert made.button(key="down-2").disabled
    _of(made, "remove", "start")
    assert _pages(made) == ["heads", "playground"]
    _click(made, "stories:undo")
    assert _pages(made) == ["heads", "start", "playground"]
    _click(made, "stories:reset")
    assert _pages(made) == []


def test_a_sentence_goes_with_its_step(made):
    made.text_area(key="stories:say-3").set_value("Now look.").run()
    _of(made, "up", "heads")
    no_trace_of_failure(made)
    assert [step.say for step in _draft(made).steps] == ["Start", "Now look.", "Playground"]
    assert made.text_area(key="stories:say-3").value == "Now look."


@pytest.mark.parametrize(
    ("action", "left"),
    [
        ("up", [("start", "Start"), ("heads", "Now look."), ("playground", "Playground")]),
        ("remove", [("start", "Start"), ("playground", "Playground")]),
    ],
)
def test_a_press_counts_that_comes_with_the_words_before_the_page_was_drawn_anew(made, action, left):
    # As on a slow machine: both arrive together, and what is pressed was drawn for the step with its old words.
    made.text_area(key="stories:say-3").set_value("Now look.")
    made.button(key=f"{action}-3").click()
    made.run()
    no_trace_of_failure(made)
    assert [(step.page, step.say) for step in _draft(made).steps] == left


def test_going_there_shows_the_step_without_a_walk(open_page):
    view = IntersectionView(selected="pedestrian")
    steps = (step_of("intersection", view, "Look."),)
    app = open_page("stories", view=address.encode(StoriesView(steps=steps)))
    _click(app, "go-1")
    assert app.title[0].value == "Intersection"
    assert app.session_state["store:intersection"].view == view
    assert _bar(app) is None


def test_ones_own_story_is_walked(made):
    _click(made, "stories:walk")
    assert made.title[0].value == "What does attention look at?"
    assert (_bar(made)["at"], _bar(made)["count"], _bar(made)["sentence"]) == (0, 3, "Start")


def _upload(app, raw):
    app.file_uploader(key="stories:open").upload("story.json", raw, "application/json").run()
    no_trace_of_failure(app)
    return app


def test_a_file_is_opened_and_can_be_undone(made):
    raw = json.dumps({"version": 1, "title": "Theirs", "steps": [{"page": "start", "say": "Only this."}]}).encode()
    _upload(made, raw)
    assert (_draft(made).title, _pages(made)) == ("Theirs", ["start"])
    _click(made, "stories:undo")
    assert (_draft(made).title, len(_pages(made))) == ("Mine", 3)


@pytest.mark.parametrize(
    "raw", [b"", b"\x00", b'{"version": 1, "steps": [{"page": "<script>alert(1)</script>"}]}', b"[" * 100_000]
)
def test_a_file_that_cannot_be_used_is_one_sentence_and_the_draft_stays(made, raw):
    _upload(made, raw)
    assert len(made.error) == 1
    assert "<script>" not in made.error[0].value
    assert len(_pages(made)) == 3


def test_markup_in_a_story_stays_text(open_page):
    steps = (step_of("start", None, "<img src=x onerror=alert(1)> **bold**"),)
    app = open_page("stories", view=address.encode(StoriesView(title="<b>*x*", steps=steps)))
    no_trace_of_failure(app)
    assert "<img" not in read(app)
    _click(app, "stories:walk")
    assert _bar(app)["sentence"] == "<img src=x onerror=alert(1)> **bold**"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shipped_story_becomes_ones_own_in_ones_language(open_page, language):
    with speaking(language):
        app = open_page("stories", lang=language)
        _click(app, "copy:not-zero")
        draft = _draft(app)
        assert draft.title == said(STORY.title)
        assert [step.say for step in draft.steps] == [said(step.say) for step in STORY.steps]
        # With all its words and views it still fits into the address.
        assert len(address.encode(draft)) <= address.ADDRESS_LIMIT
        assert from_json(json.dumps({"version": 1} | draft.story().model_dump(exclude_defaults=True)).encode())


def test_another_page_by_the_browsers_way_back_is_the_nearest_step_there(open_page):
    app = open_page("start", story="not-zero", step="5")
    assert (app.title[0].value, _bar(app)["at"]) == ("Intersection", 4)
    app.switch_page("../../pages/playground.py").run()
    no_trace_of_failure(app)
    assert (app.title[0].value, _bar(app)["at"]) == ("Playground", 1)
    # No step is on this page: the walk waits where it was.
    app.switch_page("../../pages/heads.py").run()
    assert _bar(app)["at"] == 1
