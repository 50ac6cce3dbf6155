import pytest
from pydantic import ValidationError

from attnviz.ui.playground.compute import work_out
from attnviz.ui.playground.editable import editables
from attnviz.ui.views.playground import PlaygroundView, Projection


def _changed(view, **fields):
    return PlaygroundView(**{**dict(view), **fields})


def test_a_new_token_is_zero_and_shares_evenly():
    view = PlaygroundView.start("seed-0")
    larger = _changed(view, **view.with_tokens(5, "both", str))
    weights = work_out(larger).steps.weights[0]
    assert larger.query[4] == (0.0,) * 8
    # A query of zeros scores every key 0: five equal weights.
    assert weights[4].tolist() == pytest.approx([0.2] * 5)


def test_adding_and_removing_a_token_changes_nothing():
    view = PlaygroundView.start("seed-0")
    larger = _changed(view, **view.with_tokens(5, "both", str))
    assert _changed(larger, **larger.with_tokens(4, "both", str)) == view


def test_a_new_dimension_is_zero_and_leaves_the_dot_products():
    view = PlaygroundView.start("intersection")
    wider = _changed(view, **view.with_dimensions(3, "query and key"))
    assert work_out(wider).steps.dots[0].tolist() == [[4.0, 5.0, -1.0]]
    assert wider.key[0] == (2.0, 1.0, 0.0)


def test_fewer_dimensions_forget_the_last():
    view = PlaygroundView.start("intersection")
    assert _changed(view, **view.with_dimensions(1, "query and key")).key == ((2.0,), (1.0,), (-1.0,))


def test_selecting_stays_valid_when_the_selected_token_goes():
    view = _changed(PlaygroundView.start("seed-0"), selected=3, row=3)
    assert _changed(view, **view.with_tokens(3, "both", str)).selected == 2


def test_the_seed_0_example_shows_the_weights_of_the_lesson():
    weights = work_out(PlaygroundView.start("seed-0")).steps.weights[0, 0]
    assert weights.tolist() == pytest.approx([0.12107915, 0.74096185, 0.10595296, 0.03200600], abs=1e-6)


def test_the_intersection_shows_the_parked_car_at_0_0095():
    worked = work_out(PlaygroundView.start("intersection"))
    assert worked.steps.weights[0, 0].tolist() == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert worked.steps.output[0, 0].tolist() == pytest.approx([0.794247], abs=1e-6)


def test_the_quiz_is_unscaled():
    worked = work_out(PlaygroundView.start("quiz"))
    assert worked.steps.weights[0, 0].tolist() == pytest.approx([0.880797, 0.119203], abs=1e-6)
    scaled = work_out(_changed(PlaygroundView.start("quiz"), scale=True))
    assert scaled.steps.weights[0, 0].tolist() == pytest.approx([0.804430, 0.195570], abs=1e-6)


def test_in_the_translation_noir_looks_at_black_and_the_word_order_crosses():
    weights = work_out(PlaygroundView.start("translation")).steps.weights[0]
    assert weights.argmax(-1).tolist() == [0, 2, 1]  # le → the, chat → cat, noir → black


def test_projections_multiply_features_and_output():
    identity = ((1.0, 0.0), (0.0, 1.0))
    made = Projection(
        features=((1.0, 0.0), (0.0, 2.0)),
        query=(identity,),
        key=(identity,),
        value=(((3.0, 0.0), (0.0, 5.0)),),
        output=((0.0, 1.0), (1.0, 0.0)),
    )
    view = PlaygroundView(
        query_tokens=("a", "b"), key_tokens=("a", "b"), query=((0.0,), (0.0,)), key=((0.0,), (0.0,)),
        value=((0.0,), (0.0,)), scale=False, projection=made, part="x",
    )  # fmt: skip
    worked = work_out(view)
    assert worked.steps.dots[0].tolist() == [[1.0, 0.0], [0.0, 4.0]]
    assert worked.steps.value[0].tolist() == [[3.0, 0.0], [0.0, 10.0]]
    swapped = worked.steps.output[0].flip(-1)
    assert worked.projected.tolist() == swapped.tolist()


def test_every_matrix_of_a_projection_can_be_edited():
    start = PlaygroundView.start("seed-0")
    view = _changed(start, projection=Projection.start(4), part="x", heads=2, head=1)
    for name, editable in editables(view).items():
        changed = _changed(view, **editable.with_number(0, 0, 7.5))
        assert editables(changed)[name].matrix[0][0] == 7.5
        assert changed.projection.key[0] == view.projection.key[0], "the other head stays as it was"


def test_projections_need_as_many_heads_everywhere():
    made = Projection.start(4)
    with pytest.raises(ValidationError, match="W_K"):
        Projection(**{**dict(made), "key": made.key[:1]})
