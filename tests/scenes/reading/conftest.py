"""Small files of every format, written by hand: what is in them is read off the lines below."""

import json
import math
import struct
from io import BytesIO

import pandas as pd
import pytest

INTERACTION = b"""track_id,frame_id,timestamp_ms,agent_type,x,y,vx,vy,psi_rad,length,width
1,1,100,car,1.5,2.5,10,0,0.0,4.1,1.8
1,2,200,car,2.5,2.5,10,0,0.0,4.1,1.8
2,1,100,truck,20,6,-8,0,3.14,9,2.4
2,2,200,truck,19.2,6,-8,0,3.14,9,2.4
"""
WALKING = b"""track_id,frame_id,timestamp_ms,agent_type,x,y,vx,vy
P1,1,100,pedestrian/bicycle,1,2,0,1.5
P1,2,200,pedestrian/bicycle,1,2.15,0,1.5
"""
IND = b"""recordingId,trackId,frame,trackLifetime,xCenter,yCenter,heading,width,length,xVelocity,yVelocity
7,0,0,0,10,-20,90,1.8,4.2,0,5
7,0,25,1,10,-15,90,1.8,4.2,0,5
7,1,25,0,12,-18,180,0,0,-1.2,0
"""
IND_TRACKS_META = b"""recordingId,trackId,initialFrame,finalFrame,numFrames,width,length,class
7,0,0,25,2,1.8,4.2,car
7,1,25,25,1,0,0,pedestrian
"""
IND_RECORDING_META = b"""recordingId,locationId,frameRate,speedLimit
7,1,25.0,13.9
"""
HIGHD = b"""frame,id,x,y,width,height,xVelocity,yVelocity,laneId
1,1,100,10,4,2,-30,0.5,2
2,1,98.8,10.02,4,2,-30,0.5,2
1,2,50,20,12,2.5,25,0,5
"""
HIGHD_TRACKS_META = b"""id,width,height,initialFrame,finalFrame,numFrames,class,drivingDirection
1,4,2,1,2,2,Car,1
2,12,2.5,1,1,1,Truck,2
"""
HIGHD_RECORDING_META = b"""id,frameRate,locationId,speedLimit,upperLaneMarkings,lowerLaneMarkings
1,25,2,36.11,8;12;16,20;24
"""
WALKERS = b"""0\t1\t1.0\t2.0
10\t1\t1.4\t2.0
0\t2\t5.0\t5.0
20\t1.0\t1.8\t2.0
"""
OWN = b"""t,agent_id,class,x,y
0,ego,car,0,0
0.5,ego,car,5,0
0,kid,child,20,-3
0.5,kid,child,20,-2
"""

STATE = """<{tag}><position><point><x>{x}</x><y>{y}</y></point></position><orientation><exact>{heading}</exact>
</orientation><time><exact>{time}</exact></time><velocity><exact>{speed}</exact></velocity></{tag}>"""


def state(tag, time, x, y, heading, speed):
    return STATE.format(tag=tag, time=time, x=x, y=y, heading=heading, speed=speed)


def bound(side, *corners):
    return f"<{side}Bound>" + "".join(f"<point><x>{x}</x><y>{y}</y></point>" for x, y in corners) + f"</{side}Bound>"


COMMONROAD_2020A = f"""<?xml version="1.0"?>
<commonRoad timeStepSize="0.1" commonRoadVersion="2020a" benchmarkID="DEU_Test-1_1_T-1">
<lanelet id="1">{bound("left", (0, 4), (50, 4))}{bound("right", (0, 0), (50, 0))}
<stopLine><point><x>49</x><y>0</y></point><point><x>49</x><y>4</y></point><lineMarking>solid</lineMarking></stopLine>
<laneletType>urban</laneletType><trafficSignRef ref="90"/><trafficLightRef ref="80"/></lanelet>
<lanelet id="2">{bound("left", (52, 0), (52, 9))}{bound("right", (55, 0), (55, 9))}
<laneletType>crosswalk</laneletType></lanelet>
<trafficSign id="90"><trafficSignElement><trafficSignID>274</trafficSignID><additionalValue>13.89</additionalValue>
</trafficSignElement></trafficSign>
<trafficLight id="80"><cycle><cycleElement><duration>1</duration><color>red</color></cycleElement>
<cycleElement><duration>1</duration><color>green</color></cycleElement></cycle></trafficLight>
<staticObstacle id="30"><type>parkedVehicle</type><shape><rectangle><length>4.4</length><width>1.9</width></rectangle>
</shape>{state("initialState", 0, 30, -2, 0, 0)}</staticObstacle>
<dynamicObstacle id="31"><type>pedestrian</type><shape><circle><radius>0.35</radius></circle></shape>
{state("initialState", 0, 53, 0, 1.5707963267948966, 1.5)}
<trajectory>{state("state", 1, 53, 0.15, 1.5707963267948966, 1.5)}</trajectory></dynamicObstacle>
<planningProblem id="100">{state("initialState", 0, 5, 2, 0, 9)}<goalState/></planningProblem>
</commonRoad>""".encode()

COMMONROAD_2018B = f"""<?xml version="1.0"?>
<commonRoad timeStepSize="0.1" commonRoadVersion="2018b" benchmarkID="JPN_Test-1_1_T-1">
<lanelet id="1">{bound("left", (0, 4), (50, 4))}{bound("right", (0, 0), (50, 0))}<speedLimit>11.1</speedLimit></lanelet>
<obstacle id="7"><role>dynamic</role><type>bicycle</type><shape><rectangle><length>1.7</length><width>0.5</width>
</rectangle></shape>{state("initialState", 0, 1, 1, 0, 4)}<trajectory>{state("state", 1, 1.4, 1, 0, 4)}</trajectory>
</obstacle>
<obstacle id="8"><role>static</role><type>unknown</type><shape><polygon><point><x>0</x><y>0</y></point>
<point><x>2</x><y>0</y></point><point><x>2</x><y>1</y></point></polygon></shape>
{state("initialState", 0, 9, 9, 0, 0)}</obstacle>
<planningProblem id="7">{state("initialState", 0, 1, 1, 0, 4)}</planningProblem>
</commonRoad>""".encode()

QUARTER_TURN = [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]


def nuscenes_tables(location="singapore-onenorth"):
    """One scene of two samples: a moving car, a parked one, and the ego, which drives north at 4 m/s."""

    def annotation(token, sample, instance, at, visibility, attributes=()):
        return {
            "token": token, "sample_token": sample, "instance_token": instance, "attribute_tokens": list(attributes),
            "visibility_token": visibility, "translation": [*at, 0.0], "size": [1.9, 4.5, 1.6],
            "rotation": QUARTER_TURN, "prev": "", "next": "", "num_lidar_pts": 1, "num_radar_pts": 0,
        }  # fmt: skip

    def pose(token, timestamp, y):
        return {"token": token, "timestamp": timestamp, "rotation": QUARTER_TURN, "translation": [100.0, y, 0.0]}

    tables = {
        "sample_annotation": [
            annotation("a1", "s1", "moving", (110.0, 200.0), "1"),
            annotation("a2", "s2", "moving", (110.0, 201.0), "4"),
            annotation("a3", "s1", "parked", (104.0, 220.0), "4", ["att-parked"]),
        ],
        "sample": [
            {"token": "s1", "timestamp": 1_500_000_000_000_000, "scene_token": "sc", "prev": "", "next": "s2"},
            {"token": "s2", "timestamp": 1_500_000_000_500_000, "scene_token": "sc", "prev": "s1", "next": ""},
        ],
        "scene": [
            {"token": "sc", "name": "scene-0061", "description": "", "log_token": "l", "nbr_samples": 2,
             "first_sample_token": "s1", "last_sample_token": "s2"},
        ],
        "log": [{"token": "l", "logfile": "n", "vehicle": "n", "date_captured": "2018-07-24", "location": location}],
        "instance": [
            {"token": name, "category_token": "cat-car", "nbr_annotations": 1, "first_annotation_token": "",
             "last_annotation_token": ""}
            for name in ("moving", "parked")
        ],
        "category": [{"token": "cat-car", "name": "vehicle.car", "description": ""}],
        "attribute": [{"token": "att-parked", "name": "vehicle.parked", "description": ""}],
        "visibility": [
            {"token": "1", "level": "v0-40", "description": ""}, {"token": "4", "level": "v80-100", "description": ""},
        ],
        "ego_pose": [pose("p1", 1_500_000_000_000_000, 190.0), pose("p2", 1_500_000_000_500_000, 192.0),
                     pose("p9", 1_500_000_009_000_000, 999.0)],
    }  # fmt: skip
    return {name: json.dumps(rows, indent=0).encode() for name, rows in tables.items()}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    """A field as it lies in a file (protobuf.dev, “Encoding”): an int, a double, or bytes; floats of 4 bytes by f32."""
    if isinstance(value, bool | int):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def f32(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def crc32c(content):
    """Bit by bit, as in the definition."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def record(content):
    def masked(crc):
        return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)

    head = struct.pack("<Q", len(content))
    return head + masked(crc32c(head)) + content + masked(crc32c(content))


def waymo_scenario(name=b"s-1", ego=1):
    """Field numbers of scenario.proto and map.proto, written here a second time."""

    def waymo_state(x, y, heading, vx, vy, valid=True):
        box = field(2, x) + field(3, y) + f32(5, 4.5) + f32(6, 2.0)
        return field(3, box + f32(8, heading) + f32(9, vx) + f32(10, vy) + field(11, valid))

    def point(x, y):
        return field(1, x) + field(2, y)

    walker = (
        field(1, 77) + field(2, 2) + waymo_state(8.0, 1.0, 1.5, 0.0, 1.25) + waymo_state(0.0, 0.0, 0.0, 0.0, 0.0, False)
    )
    car = field(1, 5) + field(2, 1) + waymo_state(0.0, 0.0, 0.0, 10.0, 0.0) + waymo_state(1.0, 0.0, 0.0, 10.0, 0.0)
    lane = field(1, 40) + field(3, field(1, 25.0) + field(8, point(0.0, -2.0)) + field(8, point(0.0, 8.0)))
    stop = field(1, 41) + field(7, field(1, 40) + field(2, point(3.0, 3.0)))
    crossing = field(1, 42) + field(
        8, field(1, point(5.0, 0.0)) + field(1, point(6.0, 0.0)) + field(1, point(6.0, 4.0))
    )
    signals = [field(1, field(1, 40) + field(2, state) + field(3, point(2.0, 9.0))) for state in (4, 3)]
    return b"".join(
        [
            field(1, 0.0), field(1, 0.1), field(2, walker), field(2, car), field(5, name), field(6, ego),
            *(field(7, signal) for signal in signals), field(8, lane), field(8, stop), field(8, crossing),
            field(12, b"lidar that is not read"),
        ]
    )  # fmt: skip


def argoverse_table():
    rows = []
    for step in range(2):
        rows.append((step == 0, "AV", "vehicle", 3, step, 10.0 + step, 20.0, 0.5, 8.0, 4.0))
        rows.append((step == 0, "17", "pedestrian", 2, step, 12.0, 25.0 - step, -1.5, 0.0, -1.0))
        rows.append((step == 0, "18", "riderless_bicycle", 0, step, 1.0, 2.0, 0.0, 0.0, 0.0))
    names = [
        "observed",
        "track_id",
        "object_type",
        "object_category",
        "timestep",
        "position_x",
        "position_y",
        "heading",
    ]
    return pd.DataFrame(rows, columns=[*names, "velocity_x", "velocity_y"]).assign(scenario_id="0a1e", city="austin")


def parquet(table):
    file = BytesIO()
    table.to_parquet(file, index=False)
    return file.getvalue()


ARGOVERSE_MAP = json.dumps(
    {
        "drivable_areas": {
            "1": {"id": 1, "area_boundary": [{"x": x, "y": y, "z": 0} for x, y in ((0, 0), (9, 0), (9, 9))]}
        },
        "lane_segments": {
            "2": {
                "id": 2,
                "left_lane_boundary": [{"x": 0, "y": 4, "z": 0}, {"x": 9, "y": 4, "z": 0}],
                "right_lane_boundary": [{"x": 0, "y": 1, "z": 0}, {"x": 9, "y": 1, "z": 0}],
                "centerline": [{"x": 0, "y": 2.5, "z": 0}, {"x": 9, "y": 2.5, "z": 0}],
            }
        },
        "pedestrian_crossings": {
            "3": {"id": 3, "edge1": [{"x": 5, "y": 0}, {"x": 5, "y": 5}], "edge2": [{"x": 7, "y": 0}, {"x": 7, "y": 5}]}
        },
    }
).encode()


@pytest.fixture(scope="session")
def made():
    """By format: the file, and what is handed over with it."""
    tables = nuscenes_tables()
    drone = {"ego": "0", "companions": (IND_RECORDING_META, IND_TRACKS_META)}
    return {
        "argoverse": (parquet(argoverse_table()), {"companions": (ARGOVERSE_MAP,)}),
        "interaction": (INTERACTION, {"ego": "1"}),
        "interaction-walking": (WALKING, {"ego": "P1"}),
        "ind": (IND, drone),
        "highd": (HIGHD, {"ego": "1", "companions": (HIGHD_TRACKS_META, HIGHD_RECORDING_META)}),
        "commonroad-2020a": (COMMONROAD_2020A, {}),
        "commonroad-2018b": (COMMONROAD_2018B, {}),
        "nuscenes": (tables["sample_annotation"], {"companions": tuple(tables.values())[1:]}),
        "walkers": (WALKERS, {"ego": "2"}),
        "waymo": (record(waymo_scenario()), {}),
        "own": (OWN, {"ego": "ego"}),
    }


@pytest.fixture(scope="session")
def build():
    """The functions with which files are made, for tests that need others."""
    return {
        "nuscenes_tables": nuscenes_tables, "record": record, "waymo_scenario": waymo_scenario,
        "argoverse_table": argoverse_table, "parquet": parquet, "field": field, "state": state, "crc32c": crc32c,
    }  # fmt: skip
