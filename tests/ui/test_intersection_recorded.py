"""A recorded trace beside a scene: weights by id, and what is wrong with others in one sentence."""

import io
import math
import time
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attnviz import models
from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.scenes import Agent, Scenes, write
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace
from attnviz.ui.intersection.recorded import opened as opened_files
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


def test_a_head_without_weights_is_left_out_of_the_mean_and_counted():
    holed = WEIGHTS.clone()
    holed[1, 1] = math.nan
    tokens = Tokens(("van", "me", "7"), ids=("van", "me", 7))
    found = Attention.from_weights(holed, query_tokens=tokens, key_tokens=tokens)
    row = row_of(found, "me", MEAN)
    assert row.weights == pytest.approx({"van": 0.1, "me": 0.6, "7": 0.3})
    assert "In 1 head this row has no weights" in " ".join(
        told(Trace([found], origin=Origin(kind="recorded")), row, ("me", "van", "7"))
    )
    assert math.isnan(row_of(found, "me", 1).weights["van"])


def test_weights_that_are_no_shares_are_not_called_a_share():
    gates = Attention.from_weights(
        torch.tensor([[[0.9, 0.8, 0.7]]]), normalised=False,
        query_tokens=Tokens(("me",), ids=("me",)), key_tokens=Tokens(("a", "b", "me"), ids=("a", "b", "me")),
    )  # fmt: skip
    said = " ".join(told(Trace([gates], origin=Origin(kind="recorded")), row_of(gates, "me", 0), ("me",)))
    assert "stand weights of 1.700 together: a, b." in said
    assert "even share" not in said


def test_of_a_batch_the_first_item_is_shown_and_that_is_said():
    row = row_of(attention(), "me", 0)
    assert "Item 0 of 3 is shown" in " ".join(
        told(Trace([attention()], origin=Origin(kind="recorded")), row, ("me",), 3)
    )
    assert "Item" not in " ".join(told(Trace([attention()], origin=Origin(kind="recorded")), row, ("me",)))


def test_thousands_of_tokens_are_checked_in_no_time():
    ids = tuple(f"a{number}" for number in range(20_000))
    wide = Attention.from_weights(
        torch.full((1, 1, len(ids)), 1 / len(ids)),
        query_tokens=Tokens(ids[:1], ids=ids[:1]), key_tokens=Tokens(ids, ids=ids),
    )  # fmt: skip
    started = time.perf_counter()
    assert len(row_of(wide, "a0", 0).weights) == len(ids)
    # Each id against each other would be 200 million comparisons.
    assert time.perf_counter() - started < 2


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
    assert "On tokens that are not drawn here stand weights of 0.100 together: van." in said
    assert "An even share of 3 tokens would be 0.333." in said
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


def test_an_ego_that_is_not_in_the_file_is_told_once_and_asked_for_again(monkeypatch, tmp_path):
    write(Scenes.of_moment([Agent("a", "car", 0.0, 0.0, 0.0), Agent("b", "car", 9.0, 0.0, 0.0)]), tmp_path / "own.csv")
    file = SimpleNamespace(name="own.csv", getvalue=(tmp_path / "own.csv").read_bytes)
    asked = opened_files._read("key", [(file.name, file.getvalue())], None)
    assert (asked.scenes, asked.candidates) == (None, ("a", "b"))
    session = {}
    monkeypatch.setattr(opened_files.st, "session_state", session)
    told_of = []
    monkeypatch.setattr(opened_files, "complain", told_of.append)
    monkeypatch.setattr(opened_files.st, "selectbox", lambda *_given, **_named: "nobody")
    answer = opened_files._with_ego(asked, [file])
    # The page says it, where it says whatever cannot be read: not here too.
    assert "has no road user “nobody”" in str(answer.error)
    assert (answer.scenes, answer.candidates, told_of, session) == (None, (), [], {})
    monkeypatch.setattr(opened_files.st, "selectbox", lambda *_given, **_named: "b")
    assert opened_files._with_ego(asked, [file]).scenes.moment("scene", 0.0).iloc[0]["agent_id"] == "b"
