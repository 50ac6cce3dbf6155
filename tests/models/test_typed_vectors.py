"""Typed vectors on the path of every model of scenes: table, tokens with ids, attention, trace."""

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.models.typed_vectors import KeyValue, TypedVectors
from attnviz.scenes import Agent, SceneModel, Scenes

HANDED = {
    "oncoming": KeyValue(((2.0, 1.0),), (0.6,)),
    "pedestrian": KeyValue(((1.0, 2.0),), (0.9,)),
    "parked": KeyValue(((-1.0, 0.0),), (0.1,)),
}
QUERIES = ((1.0, 2.0),)


def _scenes(*ids, ego="ego"):
    others = [Agent(name, "car", index * 5.0, 0.0, 0.0) for index, name in enumerate(ids)]
    return Scenes.of_moment([*others, Agent(ego, "car", 0.0, -9.0, 1.57, is_ego=True)])


def _model(handed=HANDED, queries=QUERIES, **labels) -> SceneModel:
    return TypedVectors(queries, handed, labels)


def test_the_lesson_comes_out_of_the_trace():
    trace = _model().trace(_scenes("oncoming", "pedestrian", "parked"))
    assert trace.origin.kind == "typed"
    (attention,) = trace
    assert (attention.role, attention.shape, attention.heads) == ("ego", (1, 3), 1)
    torch.testing.assert_close(attention.weights(0)[0], torch.tensor([0.327090, 0.663377, 0.009532]), rtol=0, atol=1e-6)
    assert attention.output(0).item() == pytest.approx(0.794247, abs=1e-6)


def test_ids_go_with_their_tokens_whatever_the_order():
    attention = _model(parked="parked car").trace(_scenes("parked", "oncoming", "pedestrian"))[0]
    assert attention.key_tokens.kind == "road-user"
    assert attention.key_tokens.ids == ("parked", "oncoming", "pedestrian")
    assert attention.key_tokens.texts[0] == "parked car"
    assert attention.query_tokens.ids == ("ego",)
    assert attention.weights(0)[0, 0].item() == pytest.approx(0.009532, abs=1e-6)


def test_the_ego_looks_at_itself_where_it_has_a_key():
    """A key of zeros has the score 0: e⁰ beside e^(4/√2), e^(5/√2), e^(−1/√2)."""
    handed = {**HANDED, "ego": KeyValue(((0.0, 0.0),), (0.0,))}
    attention = _model(handed).trace(_scenes("oncoming", "pedestrian", "parked"))[0]
    assert attention.key_tokens.ids == ("ego", "oncoming", "pedestrian", "parked")
    scores = torch.tensor([0.0, 4.0, 5.0, -1.0], dtype=torch.float64) / 2**0.5
    torch.testing.assert_close(attention.weights(0)[0].double(), torch.softmax(scores, 0), rtol=0, atol=1e-6)


def test_each_head_has_its_own_query_keys_and_values():
    handed = {name: KeyValue(one.keys * 2, one.values * 2) for name, one in HANDED.items()}
    attention = _model(handed, ((1.0, 2.0), (0.0, 0.0))).trace(_scenes("oncoming", "pedestrian", "parked"))[0]
    assert attention.weights(1)[0].tolist() == pytest.approx([1 / 3] * 3)
    assert attention.output(1).item() == pytest.approx((0.6 + 0.9 + 0.1) / 3)


def test_moving_somebody_changes_no_weight_and_the_model_says_so():
    model = _model()
    before, after = _scenes("oncoming", "parked"), _scenes("oncoming", "parked")
    after.table["x"] += 3.0
    assert not model.uses_positions
    assert torch.equal(model.trace(before)[0].weights(0), model.trace(after)[0].weights(0))


def test_an_empty_street_is_one_sentence():
    with pytest.raises(InputError, match="nobody on the street"):
        _model().trace(_scenes())


@pytest.mark.parametrize(
    "wrong", [KeyValue(((1.0,),), (0.1,)), KeyValue(((1.0, 2.0),) * 2, (0.1,)), KeyValue(((1.0, 2.0),), ())]
)
def test_vectors_that_do_not_fit_are_named(wrong):
    with pytest.raises(InputError, match="“parked” needs 1 vectors of 2 numbers"):
        _model({**HANDED, "parked": wrong}).trace(_scenes("oncoming", "parked"))
