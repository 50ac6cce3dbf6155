"""The one table of road users: what it holds, and what it refuses in one sentence."""

import math

import pandas as pd
import pytest

from attnviz.base.errors import InputError
from attnviz.scenes import COLUMNS, KINDS, NAMES, SIZES, Agent, Scenes

AGENTS = (
    Agent("17", "pedestrian", 7.0, -0.6, math.pi / 2),
    Agent("ego", "car", -1.7, -11.5, math.pi / 2, is_ego=True),
    Agent("3", "parked-car", 15.5, 4.4, 0.0, length=5.1, width=2.0),
)


@pytest.fixture
def table():
    return Scenes.of_moment(AGENTS).table


def test_every_row_has_its_id_and_the_columns_of_the_house(table):
    assert tuple(table.columns) == COLUMNS
    assert list(table["agent_id"]) == ["17", "ego", "3"]


def test_a_size_that_is_not_given_is_that_of_the_kind(table):
    assert list(table["length"]) == [SIZES["pedestrian"].length, SIZES["car"].length, 5.1]
    assert list(table["width"]) == [SIZES["pedestrian"].width, SIZES["car"].width, 2.0]


def test_every_kind_has_a_name_and_a_size():
    assert set(NAMES) == set(SIZES) == set(KINDS)


def test_the_adult_and_the_child_are_the_published_boxes():
    """Euro NCAP's targets as in vectorgrp/OSC-NCAP-scenarios: 0.6 × 0.5 m and 0.711 × 0.298 m."""
    assert (SIZES["pedestrian"].length, SIZES["pedestrian"].width) == (0.6, 0.5)
    assert (SIZES["child"].length, SIZES["child"].width) == (0.711, 0.298)


def test_the_ego_comes_first_and_the_rest_keeps_its_order():
    assert list(Scenes.of_moment(AGENTS).moment()["agent_id"]) == ["ego", "17", "3"]


def test_who_is_not_there_at_a_moment_is_not_in_it(table):
    table.loc[table["agent_id"] == "17", "valid"] = False
    assert list(Scenes(table).moment()["agent_id"]) == ["ego", "3"]


def test_a_moment_without_an_ego_says_so():
    with pytest.raises(InputError, match="no ego at 0"):
        Scenes.of_moment(AGENTS[:1]).moment()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda table: table.drop(columns="heading"), "no column “heading”"),
        (lambda table: table.assign(x=[1.0, math.nan, 2.0]), "“x” of the table of road users holds what is no number"),
        (lambda table: table.assign(length=[1.0, math.inf, 2.0]), "“length”"),
        (lambda table: table.assign(**{"class": "tram"}), "class “tram” of a road user is unknown"),
        (lambda table: pd.concat([table, table.iloc[:1]]), "“17” has two rows for the same moment"),
        (lambda table: table.assign(is_ego=True), "has two egos"),
    ],
)
def test_bad_tables_are_one_sentence(table, change, sentence):
    with pytest.raises(InputError, match=sentence):
        Scenes(change(table))


@pytest.mark.parametrize("size", [0.0, -4.0, 1e-300])
def test_a_box_without_extent_is_refused(size):
    # It has no sides: every measure of it would be unknown, or, worse, harmless.
    with pytest.raises(InputError, match=r"“width” of the table of road users holds a size of less than 0\.001 m"):
        Scenes.of_moment([Agent("a", "car", 0.0, 0.0, 0.0, width=size)])
