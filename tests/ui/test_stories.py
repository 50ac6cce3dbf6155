"""Stories as data: what is shipped is true, and what comes from outside is checked."""

import json
import math
import re

import pytest
import torch
from babel.numbers import format_decimal

from attnviz import models
from attnviz.base.errors import InputError
from attnviz.base.language import LANGUAGES, speaking
from attnviz.cost.chips import chips
from attnviz.models.turn import shipped
from attnviz.training import turn_live
from attnviz.translation import grammar
from attnviz.ui import address
from attnviz.ui.intersection.driving import compute, phantoms
from attnviz.ui.kinds import compute as kinds_compute
from attnviz.ui.kinds import fewer_street
from attnviz.ui.navigation import PLACES
from attnviz.ui.stories import catalogue
from attnviz.ui.stories.model import InLanguages, Step, Story, from_json, said, step_of, to_json
from attnviz.ui.views.heads import HeadsView
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.kinds import CHILD
from attnviz.ui.views.playground import PlaygroundView
from attnviz.ui.views.stories import StoriesView

STEP = {"page": "playground", "view": {"page": "playground", "example": "quiz"}, "say": "Look."}


def _file(**changes):
    return json.dumps({"version": 1, "title": "Mine", "steps": [STEP]} | changes).encode()


def _two(**step):
    return _file(steps=[STEP, STEP | step])


# What is shipped.


@pytest.mark.parametrize("name", catalogue.SHIPPED)
def test_a_shipped_story_speaks_every_language_and_every_step_can_be_shown(name):
    story = catalogue.shipped(name)
    for words in (story.title, *(step.say for step in story.steps)):
        assert isinstance(words, InLanguages)
        assert all(getattr(words, code).strip() for code in LANGUAGES)
        assert len({words.en, words.ja, words.ru}) == 3
    for step in story.steps:
        step.shown()
    assert 7 <= len(story.steps) <= 9


def test_every_file_is_offered_and_in_the_order_that_is_stated():
    assert {path.stem for path in catalogue.FOLDER.iterdir()} == set(catalogue.SHIPPED)
    assert catalogue.find("../../../secrets") is None
    assert catalogue.find("") is None


def test_the_first_story_goes_from_the_question_to_the_point():
    story = catalogue.shipped("not-zero")
    assert [step.page for step in story.steps] == ["start", "playground", *["intersection"] * 6]
    assert said(story.title) == "From “what do you look at?” to “0.01 is not zero”"
    with speaking("ru"):
        assert "0.01 — это не ноль" in said(story.title)
    assert "0.01 is not zero" in story.steps[-1].say.en


def _attention(query, keys, values):
    """Scores, weights and output by the formula, in float64."""
    dots = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
    raised = [math.exp(dot / math.sqrt(len(query))) for dot in dots]
    weights = [one / sum(raised) for one in raised]
    return dots, weights, sum(weight * value for weight, value in zip(weights, values, strict=True))


def _of(view):
    """The same for what a step shows."""
    if isinstance(view, PlaygroundView):
        return _attention(view.query[0], view.key, [value[0] for value in view.value])
    return _attention(view.queries[0], [user.keys[0] for user in view.users], [user.values[0] for user in view.users])


def _without_parked(view):
    users = [user for user in view.users if user.id != "parked"]
    return _attention(view.queries[0], [user.keys[0] for user in users], [user.values[0] for user in users])[2]


def _numbers_of(step):
    """What the view of the step gives, as the sentence must print it; None of it is read from the sentence."""
    view = step.shown()
    dots, weights, output = _of(view)
    return dots, weights, output, view


def test_the_numbers_in_the_sentences_are_those_that_the_views_give():
    steps = catalogue.shipped("not-zero").steps
    dots, *_rest = _numbers_of(steps[1])
    assert dots == [4, 5, -1]
    assert _printed(steps[1]) == {"4", "5", "−1"}

    _dots, weights, output, view = _numbers_of(steps[2])
    oncoming, pedestrian, parked = weights
    assert _printed(steps[2]) == {f"{oncoming:.3f}", f"{pedestrian:.3f}", f"{parked:.4f}"}
    assert pedestrian == max(weights)

    values = [user.values[0] for user in view.users]
    assert _printed(steps[3]) == {*(f"{value:.1f}" for value in values), f"{output:.3f}"}

    assert _printed(steps[4]) == {f"{1 / 3:.3f}", f"{parked * 3:.4f}"}

    tried = output + parked * (steps[5].shown().value_if - 0.1)
    assert steps[5].shown().selected == "parked"
    assert _printed(steps[5]) == {"1.0", "0.1", f"{tried:.3f}", f"{_without_parked(view):.3f}"}

    _dots, turned, _output, changed = _numbers_of(steps[6])
    assert changed.user("parked").keys == ((1.0, 2.0),)
    assert turned[2] == turned[1], "as large as the pedestrian's"
    assert _printed(steps[6]) == {"1", "2", f"{parked:.4f}", f"{turned[2]:.3f}"}

    assert steps[7].shown().users == view.users


def _printed(step):
    """The numbers in the sentence; the same in every language."""
    found = [set(re.findall(r"−?\d+(?:\.\d+)?", getattr(step.say, code))) for code in LANGUAGES]
    # Japanese counts with figures where the others use words: “3つ”, “1つ”.
    found[1] -= {"3", "1"} - found[0]
    assert found[0] == found[1] == found[2]
    return found[0]


def test_the_numbers_in_the_second_story_are_those_that_the_models_give():
    steps = catalogue.shipped("not-quite-an-alignment").steps
    vector = models.load("translation/en-fr/bottleneck", device="cpu").module.first_state.in_features
    assert str(vector) in _printed(steps[0])

    found = models.load("translation/en-fr/gru", device="cpu").translate(steps[2].shown().text)
    weights = found.trace[0].weights(0)
    noir, black, cat = 2, 1, 2
    assert found.predicted.texts[noir] == "noir"
    assert f"{float(weights[noir, black]):.3f}" in _printed(steps[2])
    # The step that writes “le” looks most at “cat”, and gold does not link them.
    assert steps[6].shown().step == 0
    assert int(weights[0].argmax()) == cat
    assert (cat, 0) not in grammar.translate("fr", ("the", "black", "cat")).links.possible


def test_the_numbers_in_the_third_story_are_those_that_the_models_give():
    steps = catalogue.shipped("not-there-yet").steps
    drives = [step.shown().drive for step in steps]
    # One seed for all of them, the first: none was picked.
    assert {drive.seed for drive in drives} == {0}
    for step, drive in zip(steps[:4], drives[:4], strict=True):
        judged = compute.judge(drive)
        place = judged.found.ids.index("parked")
        weight = judged.weights(drive)["parked"]
        printed = {f"{weight:.3f}" if weight > 0.01 else f"{weight:.4f}", f"{judged.probability:.3f}"}
        if drive.runouts:
            printed.add(str(drive.runouts))
        else:
            printed.add(f"{judged.found.without[0, place].sigmoid():.3f}")
        assert printed <= _printed(step)
    for step, drive in zip(steps[6:8], drives[6:8], strict=True):
        (probe,) = phantoms.found(drive)
        assert {f"{probe.warning:.2f}", f"{1 / (1 + math.exp(-probe.with_child)):.3f}"} <= _printed(step)
        assert (probe.with_child > 0) == ("waits" in step.say.en)
    assert (drives[8].ratio, round(drives[8].threshold, 2)) == (10, round(1 / 11, 2))


@torch.no_grad()
def test_what_the_third_story_says_of_all_seeds_is_so():
    steps = catalogue.shipped("not-there-yet").steps
    drive = steps[2].shown().drive
    said = [compute.judge(drive.model_copy(update={"seed": seed})).probability for seed in range(shipped.SEEDS)]
    assert {f"{min(said):.3f}", f"{max(said):.3f}"} <= _printed(steps[2])

    # Scenes with a vehicle near the way where nothing is seen to happen, as in the picture of the fifth step.
    probe = turn_live._probe()

    def means(runouts):
        file = shipped.WEIGHTS / shipped.Cell("ego", 0.5, runouts).file
        models = [shipped.read(file, "ego", seed) for seed in range(shipped.SEEDS)]
        return [float(model(probe.features, probe.present).sigmoid().mean()) for model in models]

    hardly, sometimes = means(10), means(60)
    assert "no model knows the danger" in steps[4].say.en
    assert max(hardly) < 0.15  # the truth is nearly a half
    assert "it depends on chance" in steps[4].say.en
    assert min(sometimes) < 0.15
    assert max(sometimes) > 0.3


def _says(step, *texts):
    """Whether the sentence prints each of these in every language; whole numbers as that language groups them."""
    for code in LANGUAGES:
        with speaking(code):
            for text in texts:
                written = text if isinstance(text, str) else format_decimal(text, locale=code)
                assert written in getattr(step.say, code), (code, written)


def _operations(n, d):
    """Of a block: the core 4n²d, projections 8nd², feed-forward 16nd²; the core's, and all."""
    return 4 * n * n * d, 4 * n * n * d + 24 * n * d * d


def test_the_numbers_in_the_fourth_story_are_those_of_the_formulas():
    steps = catalogue.shipped("does-it-fit").steps
    few, many = (step.shown().image.tokens().count for step in steps[:2])
    width, heads = steps[1].shown().priced.width, steps[1].shown().priced.heads
    assert (few, many, width, heads) == (20 * 20, 80 * 80, 256, 4)
    _says(steps[0], "640 × 640", "32 × 32", "20 × 20", 400, 160_000)
    (few_core, few_all), (many_core, many_all) = _operations(few, width), _operations(many, width)
    assert few_core / few_all == pytest.approx(1 / 5, abs=0.02)
    assert "a fifth" in steps[0].say.en
    assert many_core / many_all == pytest.approx(4 / 5, abs=0.02)
    assert "four fifths" in steps[1].say.en
    _says(steps[1], "8 × 8", 6_400, "16", 40_960_000, str(many_core // few_core), f"{many_all / few_all:.1f}")

    # Scores and weights of four heads at 16 bits; a log-sum-exp in 32 bits for each row and head.
    _says(steps[2], f"{2 * heads * many**2 * 2 // 2**20} ", f"{4 * heads * many // 2**10} ", "4", "16")

    time, orin = steps[3].shown().time, chips()["orin"]
    assert (time.chip, time.form, time.width, time.heads, bool(orin.derived)) == ("orin", "fused", width, heads, True)
    fused = 4 * many**2 * width / (orin.tflops * 1e12)
    written_out = (8 * many * width + 8 * heads * many**2) / (orin.gigabytes * 1e9)
    _says(
        steps[3], "30", "5", "6", f"{1000 / 30 * 0.05 / 6:.2f}", 6_400, f"{1e3 * fused:.2f}", f"{1e3 * written_out:.2f}"
    )


def test_what_the_fourth_story_says_would_fit_is_the_mildest_window_that_does():
    step = catalogue.shipped("does-it-fit").steps[4]
    view, rate = step.shown(), chips()["orin"].tflops * 1e12
    assert (view.priced.layers, view.image.tokens().count, view.priced.width) == (6, 6_400, 256)
    assert view.budget.milliseconds == pytest.approx(1000 / 30 * 0.05, abs=0.005)

    def pairs(reach):
        """In a row of 80 patches 80(2w + 1) − w(w + 1) pairs are near; in an image as many in rows times in columns."""
        return (80 * (2 * reach + 1) - reach * (reach + 1)) ** 2

    def milliseconds(count):
        return 6 * 4 * count * 256 / rate * 1e3

    assert milliseconds(pairs(24)) <= view.budget.milliseconds < milliseconds(pairs(25))
    kept = pairs(24) / 6_400**2
    _says(
        step,
        f"{view.budget.milliseconds}",
        "6",
        f"{milliseconds(6_400**2):.2f}",
        "49 × 49",
        "80 × 80",
        f"{100 * kept:.0f}",
    )


def test_what_the_fourth_story_says_of_the_picture_and_the_crossing_is_computed():
    *_rest, window, merged = catalogue.shipped("does-it-fit").steps
    view = window.shown()
    found = kinds_compute.both(view)
    # Rows of twelve patches: the car is in row 7, column 9, the child in row 4, column 6, three rows and columns away.
    assert (divmod(view.query, 12), divmod(CHILD, 12)) == ((6, 8), (3, 5))
    assert view.window == 2
    weight = float(found.left.weights[CHILD])
    _says(window, f"{weight:.3f}", f"{weight * 96:.1f}", "2")
    assert not found.right.allowed[CHILD]

    fewer = merged.shown().fewer
    street = fewer_street.seen(fewer, "en")
    child = next(at for at in street.merged if street.street.bodies[at].label == "child")
    company = [street.street.bodies[at].label for at in street.kept.company(child)]
    assert len(company) == 2
    assert all(label.startswith("parked car") for label in company)
    before, after = street.before, street.after
    probabilities = [1 / (1 + math.exp(-float(one.log_odds))) for one in (before, after)]
    weights = [
        float(before.weights[fewer.head, child]),
        float(after.weights[fewer.head, int(street.kept.became[child])]),
    ]
    _says(merged, "13", "8", *(f"{number:.3f}" for number in (*weights, *probabilities)))
    assert len(street.street.bodies) == 13


def test_a_step_of_an_example_speaks_the_language_of_whoever_walks():
    step = catalogue.shipped("not-zero").steps[1]
    assert step.shown() == PlaygroundView.start("intersection")
    with speaking("ja"):
        assert step.shown().query_tokens == ("自車",)


# Files.


def test_a_story_that_was_saved_opens_again():
    story = Story(
        title="Mine “<b>” 日本語",
        steps=(
            step_of("start", None, "First."),
            step_of("heads", HeadsView(layer=3, text="A text."), "Then.\nAnd then."),
            step_of("playground", PlaygroundView(**{**dict(PlaygroundView.start("quiz")), "scale": True})),
        ),
    )
    opened = from_json(to_json(story).encode())
    assert opened == story
    assert opened.steps[1].shown() == HeadsView(layer=3, text="A text.")


def test_a_shipped_file_opens_as_a_persons_own():
    raw = (catalogue.FOLDER / "not-zero.json").read_bytes()
    assert from_json(raw) == catalogue.shipped("not-zero")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "JSON was expected"),
        (b"\x00\xff\xfe", "JSON was expected"),
        (b"[]", "an object was expected"),
        (b"{" * 100_000, "JSON was expected"),
        (b'{"version": 1, "steps": ' + b"[" * 5000 + b"]" * 5000 + b"}", "JSON was expected"),
        (_file(version=2), "at version: another value was expected"),
        (_file(steps=[]), "The story has no steps; at least one was expected."),
        (_file(steps={}), "at steps: a list was expected"),
        (_file(steps=[STEP] * 101), "at steps: it is longer than a page can show"),
        (_file(title="x" * 121), "the text is longer than a page can show"),
        (_file(more=1), "at more: this name is not known"),
        (b" " * (1024 * 1024 + 1), "The story file has 1048577 bytes; at most 1048576 were expected."),
        (_two(say="x" * 601), "Step 2 of the story cannot be shown; at say: the text is longer than a page can show."),
        (_two(say={"en": "Only one language."}), "Step 2 of the story cannot be shown; at say"),
        (_two(say=5), "Step 2 of the story cannot be shown; at say: text was expected."),
        (_two(page="stories", view=None), "Step 2 of the story: There is no page “stories” to show; there are: start"),
        (_two(page="../../etc/passwd"), "Step 2 of the story: There is no page “../../etc/passwd” to show"),
        (_two(page="start"), "Step 2 of the story: The page “start” has no view; none was expected."),
        (_two(page="heads"), "Step 2 of the story: The view belongs to another page than “heads”."),
        (_two(view={"page": "playground", "example": "none"}), "Step 2 of the story: "),
        (_two(view={"page": "playground", "example": ["quiz"]}), "Step 2 of the story: "),
        (_two(view=STEP["view"] | {"temperature": 900}), "at temperature: another value was expected."),
        (_two(view=STEP["view"] | {"temperature": float("nan")}), "at temperature: a finite number was expected"),
        (_two(view=[1]), "Step 2 of the story cannot be shown; at view: an object was expected."),
        (_two(script="alert(1)"), "Step 2 of the story cannot be shown; at script: this name is not known."),
    ],
)
def test_a_file_that_cannot_be_used_says_which_step_and_what_was_expected(raw, expected):
    with pytest.raises(InputError) as caught:
        from_json(raw)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    with speaking("ja"):
        assert str(caught.value)


# The draft.


def test_a_draft_fits_into_an_address_and_comes_back():
    view = StoriesView(title="Mine", steps=(step_of("intersection", IntersectionView(selected=""), "Look."),) * 3)
    assert address.decode(address.encode(view), StoriesView) == view


def test_an_address_with_a_step_that_cannot_be_shown_is_refused():
    text = json.dumps({"page": "stories", "steps": [STEP | {"page": "nowhere"}]}).encode()
    with pytest.raises(InputError, match="There is no page “nowhere”"):
        address.from_json(text, StoriesView)


def test_steps_are_moved_said_anew_and_taken_away():
    one, two, three = (step_of("start", None, word) for word in ("one", "two", "three"))
    view = StoriesView(steps=(one, two, three))
    assert view.moved(three, -1) == (one, three, two)
    assert view.moved(three, -9) == (three, one, two)
    assert view.moved(one, 1) == (two, one, three)
    assert view.without(two) == (one, three)
    assert [step.say for step in view.saying(two, "other")] == ["one", "other", "three"]
    # A click from a page that still shows what is gone.
    gone = step_of("start", None, "gone")
    assert view.moved(gone, 1) == view.without(gone) == view.saying(gone, "x") == view.steps
    assert view.with_step(one) == (one, two, three, one)


def test_every_page_but_this_one_can_be_a_step():
    for place in PLACES:
        if place.path != "stories":
            start = place.start() if place.start is not None else None
            assert Step.model_validate(step_of(place.path, start)).shown() == start


def test_every_view_says_in_plain_words_what_it_shows():
    assert PlaygroundView.start("quiz").summary() == "Quiz · query (1, 0) · not divided"
    assert HeadsView(layer=2, head=5, text="One two").summary() == "minilm · Layer 2, head 5 · One two"
    assert "parked car: (−1, 0), 0.1" in IntersectionView().summary()
