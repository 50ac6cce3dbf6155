"""A recorded trace beside a scene: weights by id, and what is wrong with others in one sentence."""

import io
import math

import numpy as np
import pytest
import torch

from attnviz import models
from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.scenes import Agent, Scenes
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace
from attnviz.ui.intersection.recorded.weights import read, row_of, told
from attnviz.ui.views.driving import MEAN

# Two heads, three tokens; the ego is the second one.
WEIGHTS = torch.tensor(
    [
        [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3], [1.0, 0.0, 0.0]],
        [[0.2, 0.3, 0.5], [0.5, 0.2, 0.3], [1.0, 0.0, 0.0]],
    ]
)


def attention(ids=("van", "me", 7), queries=None):
    tokens = Tokens(tuple(map(str, ids)), kind="road-user", ids=ids)
    asking = tokens if queries is None else Tokens(tuple(map(str, queries)), kind="road-user", ids=queries)
    return Attention.from_weights(WEIGHTS, query_tokens=asking, key_tokens=tokens)


def raw(trace, tmp_path):
    trace.save(tmp_path / "trace.safetensors")
    return (tmp_path / "trace.safetensors").read_bytes()


def test_the_egos_row_by_id_wherever_it_stands():
    assert row_of(attention(), "me", 0).weights == pytest.approx({"van": 0.1, "me": 0.6, "7": 0.3})
    assert row_of(attention(), "me", MEAN).weights == pytest.approx({"van": 0.3, "me": 0.4, "7": 0.3})
    # A head that another trace had, and this one has not, is the last.
    assert row_of(attention(), "me", 9).weights == pytest.approx({"van": 0.5, "me": 0.2, "7": 0.3})


def test_a_row_without_weights_is_nan():
    empty = Attention.from_weights(
        torch.full((1, 1, 2), math.nan),
        query_tokens=Tokens(("a",), ids=("a",)),
        key_tokens=Tokens(("a", "b"), ids=("a", "b")),
    )
    assert all(math.isnan(weight) for weight in row_of(empty, "a", MEAN).weights.values())


@pytest.mark.parametrize(
    ("ids", "queries", "ego", "said"),
    [
        (("van", "van", 7), ("a", "me", "b"), "me", "Two tokens of the trace have the id “van”"),
        (("van", "me", 7), ("me", "b", "me"), "me", "Two tokens of the trace have the id “me”"),
        (("van", "me", 7), None, "you", "nobody asks with the id “you”, who is the ego of this scene; those who ask: van, me, 7"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_to_anybody(ids, queries, ego, said):
    with pytest.raises(InputError, match=said):
        row_of(attention(ids, queries), ego, MEAN)


def test_who_is_not_here_and_who_is_no_token_are_named():
    found = Trace([attention()], origin=Origin(kind="recorded", model="mine"))
    said = " ".join(told(found, row_of(attention(), "me", 0), ("me", "7", "child")))
    assert "10.0 % of the weight is on tokens that are not drawn here: van." in said
    assert "No token, and so no line: child." in said
    assert "Recorded weights of mine" in said


def test_a_file_without_ids_or_of_another_kind_is_one_sentence(tmp_path):
    plain = Trace([Attention.from_weights(WEIGHTS)], origin=Origin(kind="recorded"))
    opened = read(raw(plain, tmp_path), "key", "plain.safetensors")
    assert opened.trace is None
    assert "No attention of plain.safetensors has tokens with the ids of road users" in str(opened.error)
    array = io.BytesIO()
    np.save(array, np.ones(3))
    assert read(array.getvalue()[:40], "key", "short.safetensors").error is not None


def test_the_trace_of_a_turn_model_fits_the_scene_it_was_made_of(tmp_path):
    rows = [
        Agent("me", "car", -1.7, -11.5, math.pi / 2, 0.0, 4.0, is_ego=True),
        Agent("van", "parked-car", 15.5, 4.5, 0.0, 0.0, 0.0),
    ]
    scenes = Scenes.of_moment(rows, traffic="left")
    model = models.load("turn/ego/hazard-0.5/runouts-15000/seed-0")
    opened = read(raw(model.trace(scenes), tmp_path), "key", "moment.safetensors")
    assert opened.trace is not None
    row = row_of(opened.trace[0], "me", MEAN)
    assert set(row.weights) == {"me", "van"}
    assert sum(row.weights.values()) == pytest.approx(1.0, abs=1e-6)
    assert row.weights["van"] == pytest.approx(
        float(model.ego_weights(model.seen(scenes))[0, 0, :, 1].mean()), abs=1e-6
    )
