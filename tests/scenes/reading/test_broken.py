"""Broken and hostile files: each is one clear sentence, and never another exception."""

import contextlib
import json
import re
import struct
import warnings
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz import scenes as rooms
from attnviz.base.errors import InputError
from attnviz.scenes.table import MOST_AT_ONCE, MOST_ROWS

FORMATS = (
    "argoverse", "interaction", "interaction-walking", "ind", "highd", "commonroad-2020a", "commonroad-2018b", "nuscenes",
    "walkers", "waymo", "own",
)  # fmt: skip
TEXT = ("interaction", "ind", "highd", "own")


def refused(raw, **more):
    """The sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        rooms.read(raw, name="f", **more)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert "{" not in said
    return said


@pytest.mark.parametrize("name", FORMATS)
def test_cut_short(made, name):
    raw, given_ = made[name]
    cut = (
        raw[: raw.rindex(b"\n", 0, len(raw) - 1) + 4]
        if name in (*TEXT, "walkers", "interaction-walking")
        else raw[:-40]
    )
    refused(cut, **given_)


@pytest.mark.parametrize(
    ("name", "before", "after", "sentence"),
    [
        ("interaction", b"2,1,100,truck,20,6", b"2,1,100,truck,far,6", "f, line 4: “far” was read in the column “x”"),
        ("interaction", b"2,1,100,truck,20,6", b"2,1,100,truck,nan,6", "f, line 4: “” was read as “x” of the road user “2”"),
        ("interaction", b"2,1,100,truck,20,6", b"2,1,100,truck,inf,6", "f, line 4: “inf” was read as “x” of the road user “2”"),
        ("interaction", b"1,2,200,car", b"1,2,100,car", "f, line 3: the road user “1” has two rows for the moment 0.1 s"),
        ("interaction", b"1,2,200,car", b"1,2,50,car", "f, line 3: the time of the road user “1” goes back from 0.1 s to 0.05 s"),
        ("interaction", b"9,2.4", b"-9,2.4", "f, line 4: “-9” was read as “length”"),
        ("interaction", b",truck,20,6,", b",truck,20,", "f, line 4: 10 cells were read; 11 were expected"),
        ("interaction", b"truck", b"tr\xffck", "f is no text in UTF-8"),
        ("interaction", b"vx,vy", b"vx,vx", "f has the columns track_id"),
        ("interaction", b"psi_rad", b"length", "f has two columns “length”; one was expected"),
        ("interaction", b"truck", b"t" * 300, "longer than 200 signs"),
        ("interaction", b"truck", b"t" * 2_000_000, "f has a line of more than 1048576 bytes|longer than 200 signs"),
        ("ind", b"7,0,25,1,10,-15,90", b"7,0,25,1,10,-15,north", "“north” was read in the column “heading”"),
        ("ind", b"7,1,25,0,12", b"7,9,25,0,12", "tracksMeta file says nothing of the road user “9”"),
        ("highd", b"2,1,98.8", b"0,1,98.8", "goes back from 0.04 s to 0.0 s"),
        ("walkers", b"10\t1\t1.4", b"10\t1\tleft", "f, line 2: “10 1 left 2.0” was read"),
        ("walkers", b"10\t1\t1.4", b"10\t1\tnan", "f, line 2: “” was read as “x”"),
        ("walkers", b"20\t1.0\t1.8", b"-20\t1.0\t1.8", "f, line 4: the time of the road user “1” goes back"),
        ("own", b"kid,child,20,-3", b"kid,gnome,20,-3", "f, line 4: the class “gnome” was read"),
        ("own", b"0.5,ego", b"soon,ego", "f, line 3: “soon” was read in the column “t”"),
        ("commonroad-2020a", b"<x>53</x><y>0.15</y>", b"<x>53</x><y>NaN</y>", "“dynamicObstacle” 31: “NaN” was read in “y”"),
        ("commonroad-2020a", b'Obstacle id="30"', b'Obstacle id="31"', "“dynamicObstacle” 31: an id that no other element"),
        ("commonroad-2020a", b"<x>53</x><y>0.15</y>", b"", "has a state without a position"),
        ("commonroad-2020a", b'timeStepSize="0.1"', b'timeStepSize="0"', "“0” was read in “timeStepSize”"),
        ("commonroad-2020a", b'Version="2020a"', b'Version="2031"', "the version “2031” was read"),
        ("commonroad-2020a", b"<x>50</x>", b"<x>1e400</x>", "“lanelet” 1: “1e400” was read in “x”"),
        ("commonroad-2020a", b"</lanelet>", b"</lane>", "the XML is cut short or damaged"),
        ("nuscenes", b'"s2"', b'"s9"', "f, record 2: what was read is no record of the table “sample_annotation”"),
        ("nuscenes", b"201.0", b'"x"', "f, record 2: what was read is no record"),
        ("nuscenes", b"201.0", b"1e300", "f, record 2: “1e.300” was read as “y” of the road user “moving”"),
    ],
)  # fmt: skip
def test_damage_says_where_and_what(made, name, before, after, sentence):
    raw, given_ = made[name]
    assert before in raw
    count = -1 if before == b"</lanelet>" else 1
    assert re.search(sentence, refused(raw.replace(before, after, count), **given_))


@pytest.mark.parametrize("name", ["interaction", "interaction-walking", "ind", "highd", "walkers", "own"])
def test_without_an_ego_the_sentence_names_some(made, name):
    raw, given_ = made[name]
    with pytest.raises(rooms.EgoMissing, match="choose one with ego=, for example ") as caught:
        rooms.read(raw, companions=given_.get("companions", ()))
    assert given_["ego"] in caught.value.candidates


def test_vehicles_are_the_first_candidates(made):
    with pytest.raises(rooms.EgoMissing) as caught:
        rooms.read(made["own"][0].replace(b"ego,car", b"ego,pedestrian").replace(b"kid,child", b"kid,van"))
    assert caught.value.candidates == ("kid", "ego")


@pytest.mark.parametrize("name", FORMATS)
def test_an_ego_that_is_not_there_is_told_near_ones(made, name):
    said = refused(made[name][0], **(made[name][1] | {"ego": "17-not-there"}))
    assert "f has no road user “17-not-there”" in said or "“17-not-there”" in said


def test_near_ids_are_near(made):
    raw = made["own"][0].replace(b"kid", b"pedestrian-17")
    assert "near ones are pedestrian-17" in refused(raw, ego="pedestrian-71")


def crowd(count):
    rows = "\n".join(f"0,{number},car,{number},0" for number in range(count))
    return f"t,agent_id,class,x,y\n{rows}\n".encode()


def test_ten_thousand_road_users_at_one_moment():
    said = refused(crowd(10_000), ego="1")
    assert "there are 10000 road users at the moment 0.0 s; at most 1000" in said
    assert len(rooms.read(crowd(MOST_AT_ONCE), ego="1").table) == MOST_AT_ONCE


def test_ten_thousand_obstacles_of_commonroad(build, made):
    head, tail = made["commonroad-2018b"][0].decode().split('<obstacle id="7">')
    one = (
        "<obstacle id='{0}'><role>static</role><type>car</type>"
        + build["state"]("initialState", 0, 1, 1, 0, 0)
        + "</obstacle>"
    )
    many = "".join(one.format(1000 + number) for number in range(10_000))
    assert "at most 1000 were expected" in refused(f'{head}{many}<obstacle id="7">{tail}'.encode())


BOMB = b"""<?xml version="1.0"?><!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><commonRoad>&c;</commonRoad>"""
STRANGER = b"""<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><commonRoad>&x;</commonRoad>"""
DTD = b"""<!DOCTYPE c SYSTEM "http://example.org/c.dtd"><commonRoad/>"""


@pytest.mark.parametrize("raw", [BOMB, STRANGER, DTD])
def test_entities_and_document_types_are_refused(raw):
    assert "a document type, an entity or an external reference, none of which is read" in refused(raw)
    with pytest.raises(InputError, match="none of which is read"):
        rooms.test_plan(raw)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "f is empty"),
        (b"<a>" * 100_000, "“a” was expected|begins with “a”"),
        (b"<commonRoad timeStepSize='1' commonRoadVersion='2020a'>" + b"<a>" * 10_000, "deeper than 40"),
        (b"<commonRoad", "line 1, column"),
        (b"<html></html>", "begins with “html”"),
        (b"<?xml version='1.0' encoding='klingon'?><commonRoad/>", "no XML that can be read|cut short or damaged"),
        (b"PAR1" + b"\0" * 500 + b"PAR1", "a complete Parquet file was expected"),
        (b"PAR1", "a complete Parquet file was expected"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "in no format that is read"),
        (b"[" * 1_000_000, "f: the JSON is nested deeper than 50 levels|in no format"),
        (b"[{", "in no format that is read"),
        (b'{"lane_segments": {}}', "is a map of Argoverse 2"),
        (b'{"rows": [' + b"[" * 1_000_000, "nested deeper than 50 levels"),
        (b'{"rows": ["' + b"]" * 1_000_000 + b'",' + b"[" * 1_000_000, "nested deeper than 50 levels"),
        (b'{"rows": []}', "has no rows with the keys"),
        (b"a,b\n1,2\n", "f has the columns a, b, which are those of no format"),
        (b"t,agent_id,class,x,y\n", "f has no rows"),
        (b"\0" * 1000, "in no format that is read"),
        ("t,agent_id,class,x,y\n0,1,car,0,0\n".encode("utf-16"), "in no format that is read"),
    ],
)
def test_what_is_no_scene_at_all(raw, sentence):
    assert re.search(sentence, refused(raw, ego="1"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"nobody\.csv could not be read: No such file"):
        rooms.read(tmp_path / "nobody.csv")
    with pytest.raises(InputError, match="has 0 files"):
        rooms.read(tmp_path)


def test_a_file_that_is_open_as_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(crowd(1))
    with path.open() as file, pytest.raises(InputError, match="open in binary mode was expected"):
        rooms.read(file)


def test_meta_files_that_are_missing_or_another_recordings(made):
    raw, given_ = made["ind"]
    assert "needs its tracksMeta file" in refused(raw, ego="0")
    other = given_["companions"][1].replace(b"\n7,", b"\n8,")
    assert "needs its tracksMeta file" in refused(raw, ego="0", companions=(other,))
    meta = given_["companions"][0].replace(b"25.0", b"none")
    assert "“none” was read as “frameRate”" in refused(raw, ego="0", companions=(meta, given_["companions"][1]))


# Waymo: lengths that lie, contents that were changed.


def test_a_length_that_lies(build):
    head = struct.pack("<Q", 1 << 40)
    crc = build["crc32c"](head)
    masked = struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)
    assert "f, record 1: it says that it has 1099511627776 bytes; there are 3 left" in refused(head + masked + b"abc")


def test_a_content_or_a_length_that_was_changed(made):
    raw = made["waymo"][0]
    changed = bytearray(raw)
    changed[100] ^= 1
    assert "record 1: its content does not agree with its checksum" in refused(bytes(changed))
    changed = bytearray(raw)
    changed[0] ^= 1
    assert "record 1: its length does not agree with its checksum" in refused(bytes(changed))
    assert "record 2: its length does not agree" in refused(raw + raw[:7])


def test_records_that_are_no_scenarios(build):
    assert "record 1 is no Scenario message" in refused(build["record"](b"\xff" * 50))
    assert "it has 0 tracks and 0 moments" in refused(build["record"](b""))
    assert "the ego is track 9; there are 2 tracks" in refused(build["record"](build["waymo_scenario"](ego=9)))
    twice = build["record"](build["waymo_scenario"]())
    assert "record 2: its scenario “s-1” was there before" in refused(twice + twice)


# Parquet.


def test_parquet_with_columns_of_another_kind(build):
    table = build["argoverse_table"]()
    assert "string; double was expected" in refused(build["parquet"](table.assign(position_x="far")))
    assert "“heading” holds bool" in refused(build["parquet"](table.assign(heading=True)))
    assert "f, row 2: “” was read as “x” of the road user “17”" in refused(
        build["parquet"](table.assign(position_x=[1, np.nan, 3, 4, 5, 6]))
    )
    assert "two rows for the moment" in refused(build["parquet"](table.assign(timestep=0)))
    assert "goes back" in refused(build["parquet"](table.assign(timestep=-table["timestep"])))
    assert "choose one with ego=" in refused(build["parquet"](table.replace("AV", "A")))
    assert "f has the columns a" in refused(build["parquet"](table[["timestep"]].rename(columns={"timestep": "a"})))


def test_a_text_that_stands_in_many_rows_is_held_once(build):
    """A dictionary of one text of a hundred thousand signs, in as many rows, would be ten gigabytes."""
    rows = 100_000
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * rows]))
    ones = pa.array(np.ones(rows))
    names = ("timestep", "position_x", "position_y", "heading", "velocity_x", "velocity_y")
    table = pa.table({"track_id": text, "object_type": text} | dict.fromkeys(names, ones))
    file = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, file)
    assert "longer than 200 signs" in refused(file.getvalue().to_pybytes())


def test_more_rows_than_are_read(build):
    rows = MOST_ROWS + 1
    table = pa.table({name: pa.array(np.zeros(rows, np.int8)) for name in ("t", "agent_id", "class", "x", "y")})
    file = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, file)
    assert f"f has more than {MOST_ROWS} rows of road users" in refused(file.getvalue().to_pybytes())


# Our own JSON.


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rows": [{"t": 0, "agent_id": "1", "class": "car", "x": 0, "y": []}]}, "f, row 1: “\\[\\]” was read as “y”"),
        ({"version": 2}, "the version “2” was read; one of 1"),
        ({"traffic": "middle"}, "traffic, origin or licence is none"),
        ({"road": {"lanes": [{"id": 1, "left": [[0, "a"]]}]}}, "“lanes” 1 has a point that is none"),
        ({"road": {"lanes": [7]}}, "“lanes”: objects with an id were expected"),
        ({"signs": [["a", 0]]}, "“signs”: rows of scene_id, t, sign_id"),
        ({"notes": "many"}, "“notes”: a list was expected"),
    ],
)
def test_damage_in_our_own_json(change, sentence):
    rows = [{"t": 0, "agent_id": "1", "class": "car", "x": 0, "y": 1}]
    assert re.search(sentence, refused(json.dumps({"rows": rows} | change).encode(), ego="1"))


# Anything at all.


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_bytes_give_scenes_or_one_sentence(made, name, data):
    raw, given_ = made[name]
    changed = bytearray(raw)
    for place, value in data.draw(
        st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), min_size=1, max_size=4)
    ):
        changed[place] = value
    cut = data.draw(st.integers(1, len(raw)))
    whole = bytes(changed[:cut] if data.draw(st.booleans()) else changed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.suppress(InputError):
            assert isinstance(rooms.read(whole, **given_), rooms.Scenes)


# What can be read in two ways, or only in part.


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b'[{"t":0,"t":5,"agent_id":"1","class":"car","x":0,"y":1}]', "f, row 1: an object has two keys “t”"),
        (b'{"traffic":"left","traffic":"right","rows":[]}', "f: an object has two keys “traffic”|has no rows"),
        (b'{"rows":[%s],"rows":[%s]}', "f: an object has two keys “rows”"),
        (b'{"traffic":"left","rows":[%s],"traffic":"right"}', "f: an object has two keys “traffic”"),
        (b'#attnviz {"traffic":"left","traffic":"right"}\nt,agent_id,class,x,y\n0,1,car,0,0\n', "two keys “traffic”"),
        (b'[{"t":0,"agent_id":"1","class":"car","x":1e999,"y":1}]', "f, row 0: the JSON is cut short or damaged"),
        (b'{"rows":[%s],"road":{"lanes":[{"id":"a","limit":1' + b"0" * 400 + b"}]}}", "lanes.*damaged|“limit”|damaged"),
        (b'#attnviz {"road":{"lanes":[{"limit":1' + b"0" * 400 + b"}]}}\nt,agent_id,class,x,y\n0,1,car,0,0\n", "in “limit”"),
        (b'#attnviz {"signs":[["s",null,"a","speed-limit",1' + b"0" * 400 + b',0,0,null,3]]}\nt,agent_id,class,x,y\n0,1,car,0,0\n',
         "“signs”: rows of scene_id"),
        (b"t,agent_id,class,x,y\n0,1,car,0,0\n0,,car,9,0\n", "f, line 3: a road user without an id was read"),
        (b"0\t1\t1_0.0\t2.0\n", "in no format"),
        (b"0\t1\t1.0\t2.0\n1\t1\t1_0.0\t2.0\n", "f, line 2: “1 1 1_0.0 2.0” was read"),
        (b"0\t1\t1.0\t2.0\n0\tnan\t1.0\t2.0\n", "f, line 2: “0 nan 1.0 2.0” was read"),
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways(raw, sentence):
    row = b'{"t":0,"agent_id":"1","class":"car","x":0,"y":1}'
    assert re.search(sentence, refused(raw.replace(b"%s", row), ego="1"))


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (b"<x>53</x><y>0.15</y>", b"<x>5_3</x><y>0.15</y>", "“5_3” was read in “x”"),
        (b"<x>53</x><y>0.15</y>", "<x>٥٣</x><y>0.15</y>".encode(), "“٥٣” was read in “x”"),
        (b"<time><exact>1</exact></time>", b"", "“dynamicObstacle” 31 has a state without a time"),
    ],
)
def test_numbers_and_times_of_commonroad(made, before, after, sentence):
    raw = made["commonroad-2020a"][0]
    assert raw.count(before) == 1
    assert sentence in refused(raw.replace(before, after))


def one_more(tables, table, **change):
    rows = json.loads(tables[table])
    return tables | {table: json.dumps([*rows, rows[0] | change]).encode()}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sample", {"timestamp": 1_500_000_001_000_000}),
        ("scene", {"name": "another"}),
        ("instance", {"category_token": "another"}),
        # Otherwise every car would be a pedestrian, without a word.
        ("category", {"name": "human.pedestrian.adult"}),
    ],
)
def test_a_token_that_stands_twice_in_a_table_of_nuscenes(build, name, change):
    tables = one_more(build["nuscenes_tables"](), name, **change)
    told = "names" if name == "category" else name
    said = refused(tables.pop("sample_annotation"), companions=tuple(tables.values()))
    assert f"what was read is no record of the table “{told}” of nuScenes" in said


def test_a_table_of_nuscenes_that_is_cut_short_is_not_passed_over(build):
    """The classes would all be unknown without it, and every car an obstacle."""
    tables = build["nuscenes_tables"]()
    tables["category"] = tables["category"][:-5]
    assert "cut short or damaged" in refused(tables.pop("sample_annotation"), companions=tuple(tables.values()))


@pytest.mark.parametrize("rotation", [[0, 0, 0, 0], ["1", "0", "0", "nan"], [1e300, 1e300, 0, 0], [1, 1, 1, 1]])
def test_a_rotation_of_nuscenes_that_is_none(build, rotation):
    tables = build["nuscenes_tables"]()
    rows = json.loads(tables.pop("sample_annotation"))
    rows[0]["rotation"] = rotation
    said = refused(json.dumps(rows).encode(), companions=tuple(tables.values()))
    assert "f, record 1: what was read is no record of the table “sample_annotation”" in said


def test_a_tracks_meta_that_says_two_things_of_one_road_user(made):
    recording, tracks = made["ind"][1]["companions"]
    twice = tracks + b"7,0,0,25,2,1.8,4.2,pedestrian\n"
    assert "has two rows for the road user “0”" in refused(made["ind"][0], ego="0", companions=(recording, twice))


def test_damaged_numbers_of_waymo(build):
    nan = float("nan")
    field = build["field"]
    lane = field(8, field(1, 90) + field(3, field(8, field(1, nan) + field(2, 0.0))))
    stop = field(8, field(1, 91) + field(7, field(2, field(1, nan) + field(2, 9.0))))
    for more in (lane, stop):
        said = refused(build["record"](build["waymo_scenario"]() + more))
        assert "f, record 1 has a point that is none" in said
    said = refused(build["record"](build["waymo_scenario"]() + field(1, nan)))
    assert "f, record 1: a time that is no number was read" in said


def test_an_ego_of_waymo_that_is_nowhere_has_to_be_chosen(build):
    field = build["field"]
    ghost = field(2, field(1, 6) + field(2, 1) + field(3, field(2, 1.0) + field(3, 1.0) + field(11, False)))
    raw = build["record"](build["waymo_scenario"](ego=2) + ghost)
    with pytest.raises(rooms.EgoMissing) as caught:
        rooms.read(raw)
    assert caught.value.candidates == ("5", "77")


def test_two_parts_of_one_name_in_a_script():
    raw = b"<OpenSCENARIO><FileHeader/><Entities/><Entities/></OpenSCENARIO>"
    with pytest.raises(InputError, match="f has two elements “Entities”; one was expected"):
        rooms.test_plan(raw, name="f")


# What never ends. The parsers begin a word again with every piece of a file: minutes for a few megabytes.


@pytest.mark.parametrize(
    "raw",
    [
        b"<commonRoad><!--" + b" > " * 3_000_000 + b"--></commonRoad>",
        b"<commonRoad " + b" ".join(b'a%d="1"' % number for number in range(900_000)) + b"/>",
        b'<commonRoad a="' + b"x" * 9_000_000 + b'"/>',
    ],
)
def test_a_tag_that_does_not_end(raw):
    assert "the XML has a tag or comment of more than 1000000 bytes" in refused(raw)


@pytest.mark.parametrize("word", [b'"' + b"x" * 9_000_000 + b'"', b"1" * 9_000_000, b'"' + b"\\n" * 4_500_000 + b'"'])
def test_a_text_or_number_that_does_not_end(word):
    raw = b'{"rows":[{"t":0,"agent_id":"1","class":"car","x":0,"y":' + word + b"}]}"
    assert "the JSON has a text or number of more than 1000000 bytes" in refused(raw, ego="1")


# What is no file.


@pytest.mark.parametrize("given_", ["a\0b", "a" * 5_000 + ".csv"])
def test_what_is_no_file(given_):
    assert "could not be read" in refused(given_)
    assert "could not be read" in refused(crowd(1), ego="0", companions=(given_,))


def test_a_file_that_is_closed():
    file = BytesIO(crowd(1))
    file.close()
    assert "is no open file" in refused(file)


# The parser passes over empty lines; the sentence counts them.


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("0,kid,gnome,1,1,true", "the class “gnome”"),
        ("0,kid,car,far,1,true", "“far” was read in the column “x”"),
        ("0,kid,car,1,1,perhaps", "“perhaps” was read in the column “visible”"),
        ("0,kid,car,1", "4 cells were read"),
        ("0,ego,car,1,1,true", "has two rows for the moment"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_are_counted(row, sentence, end):
    lines = ["#a comment", "t,agent_id,class,x,y,visible", "", "0,ego,car,0,0,", "", "", row, ""]
    said = refused(end.join(lines).encode(), ego="ego")
    assert said.startswith("f, line 7: ")
    assert sentence in said
