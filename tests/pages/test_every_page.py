import pytest

from attnviz.base.language import LANGUAGES, speaking, translate

from .conftest import no_trace_of_failure, said

PAGES = {
    "start": "What does attention look at?",
    "playground": "Playground",
    "kinds": "Kinds",
    "intersection": "Intersection",
    "cost": "Cost",
    "quiz": "Quiz",
    "heads": "Heads",
    "block": "Block",
    "translation": "Translation",
    "stories": "Stories",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_a_cold_deep_link_opens_in_its_language_and_stays_there(open_page, page, language):
    # The test's own thread speaks too: Streamlit's runner finds a choice by the words it is offered with.
    with speaking(language):
        app = open_page(page, lang=language)
        for _again in range(3):
            no_trace_of_failure(app)
            assert app.title[0].value == translate(PAGES[page])
            assert app.sidebar.segmented_control(key="lang").value == language
            app.run()


@pytest.mark.parametrize("page", PAGES)
def test_an_unknown_language_means_english(open_page, page):
    app = open_page(page, lang="<script>")
    no_trace_of_failure(app)
    assert app.title[0].value == PAGES[page]


@pytest.mark.parametrize(
    "page", ["playground", "kinds", "intersection", "cost", "heads", "block", "translation", "stories"]
)
@pytest.mark.parametrize("address", ["%%%", "eJwDAAAAAAE", "A" * 9000, "x\0y"])
def test_a_tampered_address_is_one_sentence_and_the_page_shows_its_start(open_page, page, address):
    app = open_page(page, view=address)
    no_trace_of_failure(app)
    assert len(app.error) == 1
    assert "address" in app.error[0].value
    assert len(app.get("bidi_component")) >= 3


def test_changing_the_language_keeps_what_was_done(open_page):
    app = open_page("playground")
    app.slider(key="playground:temperature").set_value(2.0).run()
    app.segmented_control(key="lang").set_value("ru").run()
    no_trace_of_failure(app)
    assert app.slider(key="playground:temperature:ru").value == 2.0
    with speaking("ru"):
        assert app.slider(key="playground:temperature:ru").label == translate("Temperature")


def test_the_start_page_computes_the_parked_cars_weight(open_page):
    app = open_page()
    assert "**0.0095**" in said(app)
    assert "**0.794**" in said(app)
    # key (−1, 2): dot product 1·(−1) + 2·2 = 3; softmax of (4, 5, 3)/√2 gives 0.1402 to the third.
    app.slider(key="start:parked").set_value(2.0).run()
    assert "**0.140**" in said(app)
