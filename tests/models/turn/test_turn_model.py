"""A scene as a turn model reads it: from a table, in a mirror, over time, with somebody taken out."""

from dataclasses import replace

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.models.turn import features, networks
from attnviz.models.turn.turn_model import TurnModel
from attnviz.scenes import Agent, Scenes
from attnviz.scenes.simulator.moments import moments
from attnviz.scenes.simulator.tables import scenes_of

NOW = torch.zeros(1, dtype=torch.float64)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(1)
    return TurnModel("trial", None, networks.build("self"))


@pytest.fixture(scope="module")
def simulated():
    found = moments(5, torch.arange(20), near=True, hazard=1.0)
    return found, scenes_of(found.cast, NOW)


def test_a_table_is_read_as_the_simulators_own_scenes_are(model, simulated):
    found, scenes = simulated
    numbers = features.of_cast(found.cast)
    for place in range(20):
        seen = model.seen(scenes, f"scene-{place}")
        assert len(seen.ids) == int(found.tokens[place].sum())
        assert torch.allclose(seen.features[0], numbers[place][found.tokens[place]], atol=1e-6)


def test_right_hand_traffic_is_read_in_a_mirror(model, simulated):
    _found, scenes = simulated
    for place in range(20):
        one, other = (model.seen(side, f"scene-{place}") for side in (scenes, scenes.mirrored()))
        assert one.ids == other.ids
        assert torch.allclose(one.features, other.features, atol=1e-6)
        assert torch.allclose(model.log_odds(one), model.log_odds(other), atol=1e-5)


def test_features_by_hand():
    row = features.of_users(
        torch.tensor([3]),
        *(torch.tensor([n], dtype=torch.float64) for n in (10.0, -5.0, torch.pi / 2, 0.0, 1.5, 0.6, 0.5)),
    )[0]
    assert row.tolist() == pytest.approx(
        [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.5, -0.25, 0, 1, 0, 0.15, 0.12, 0.25, 0, 0, 0], abs=1e-6
    )
    assert features.column_of("pedestrian") == 3
    assert features.column_of("car", ego=True) == 0


def test_who_is_hidden_is_no_token(model):
    agents = [
        Agent("ego", "car", 0.0, 0.0, 0.0, 5.0, 0.0, is_ego=True),
        Agent("child", "child", 9.0, 4.0, 0.0, 0.0, 0.0),
    ]
    scenes = Scenes.of_moment(agents)
    assert model.seen(scenes).ids == ("ego", "child")  # nobody knows: read
    hidden = replace(scenes, table=scenes.table.assign(visible=[None, False]))
    assert model.seen(hidden).ids == ("ego",)
    shown = replace(scenes, table=scenes.table.assign(visible=[None, True]))
    assert model.seen(shown).ids == ("ego", "child")


def test_taking_one_out_is_a_scene_without_it(model, simulated):
    _found, scenes = simulated
    seen = model.seen(scenes, "scene-3")
    without = model.without_each(seen)[0]
    assert without[0].isnan()
    users = scenes.table["agent_id"].tolist()
    for place, name in enumerate(seen.ids[1:], 1):
        if name in users:
            fewer = replace(scenes, table=scenes.table[scenes.table["agent_id"] != name])
            assert float(model.log_odds(model.seen(fewer, "scene-3"))) == pytest.approx(float(without[place]), abs=1e-4)


def test_several_moments_are_those_moments(model):
    found = moments(6, torch.arange(1), near=True, hazard=1.0)
    times = torch.arange(0, 60, dtype=torch.float64) / 10
    scenes = scenes_of(found.cast, times, ["scene"])
    together = model.seen(scenes, "scene", tuple(times.tolist()))
    weights = model.ego_weights(together)
    for place in (0, 17, 59):
        alone = model.seen(scenes, "scene", (float(times[place]),))
        here = together.present[place]
        assert {name for name, there in zip(together.ids, here.tolist(), strict=True) if there} == set(alone.ids)
        assert float(model.log_odds(alone)) == pytest.approx(float(model.log_odds(together)[place]), abs=1e-4)
        assert weights[:, place][..., ~here].isnan().all()
        assert torch.allclose(weights[:, place][..., here].sum(-1), torch.ones(()), atol=1e-5)


def test_a_trace_has_ids_and_the_same_weights(simulated):
    _found, scenes = simulated
    torch.manual_seed(2)
    model = TurnModel("trial", None, networks.build("ego"))
    (attention,) = model.trace(scenes, "scene-3")
    seen = model.seen(scenes, "scene-3")
    assert attention.role == "ego"
    assert attention.key_tokens.ids == seen.ids
    assert attention.query_tokens.ids == ("ego",)
    assert torch.allclose(attention.weights(None)[:, 0], model.ego_weights(seen)[0, 0], atol=1e-6)


def test_too_many_tokens_and_no_ego_are_one_sentence(model):
    crowd = [Agent("ego", "car", 0.0, 0.0, 0.0, is_ego=True)]
    crowd += [Agent(f"p{n}", "pedestrian", float(n), 5.0, 0.0) for n in range(300)]
    with pytest.raises(InputError, match="has 301 road users and signs; the model reads at most 256"):
        model.seen(Scenes.of_moment(crowd))
    with pytest.raises(InputError, match="no ego"):
        model.seen(Scenes.of_moment(crowd[1:3]))
