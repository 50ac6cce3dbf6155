"""The messages of Waymo Open Motion, with the public field numbers, and just the fields that are read.

After waymo-research/waymo-open-dataset, src/waymo_open_dataset/protos/scenario.proto and map.proto. Built here, so that
neither TensorFlow nor generated code is needed; fields that are not listed are skipped by protobuf.
"""

import functools
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "attnviz.waymo"

# Message → field → (number, kind); “*” before a kind means many. A kind is a number, bytes or another message.
FIELDS: dict[str, dict[str, tuple[int, str]]] = {
    "ObjectState": {
        "center_x": (2, "double"),
        "center_y": (3, "double"),
        "length": (5, "float"),
        "width": (6, "float"),
        "heading": (8, "float"),
        "velocity_x": (9, "float"),
        "velocity_y": (10, "float"),
        "valid": (11, "bool"),
    },
    "Track": {"id": (1, "int32"), "object_type": (2, "int32"), "states": (3, "*ObjectState")},
    "MapPoint": {"x": (1, "double"), "y": (2, "double")},
    "TrafficSignalLaneState": {"lane": (1, "int64"), "state": (2, "int32"), "stop_point": (3, "MapPoint")},
    "DynamicMapState": {"lane_states": (1, "*TrafficSignalLaneState")},
    "LaneCenter": {"speed_limit_mph": (1, "double"), "type": (2, "int32"), "polyline": (8, "*MapPoint")},
    "StopSign": {"lane": (1, "*int64"), "position": (2, "MapPoint")},
    "Crosswalk": {"polygon": (1, "*MapPoint")},
    "MapFeature": {
        "id": (1, "int64"),
        "lane": (3, "LaneCenter"),
        "stop_sign": (7, "StopSign"),
        "crosswalk": (8, "Crosswalk"),
    },
    "Scenario": {
        "timestamps_seconds": (1, "*double"),
        "tracks": (2, "*Track"),
        # A string there; bytes here, for a damaged one is no UTF-8.
        "scenario_id": (5, "bytes"),
        "sdc_track_index": (6, "int32"),
        "dynamic_map_states": (7, "*DynamicMapState"),
        "map_features": (8, "*MapFeature"),
    },
}

_Field = descriptor_pb2.FieldDescriptorProto
_KINDS = {
    "double": _Field.TYPE_DOUBLE,
    "float": _Field.TYPE_FLOAT,
    "bool": _Field.TYPE_BOOL,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "bytes": _Field.TYPE_BYTES,
}


@functools.cache
def scenario_class() -> Any:
    """The class of a Scenario message."""
    file = descriptor_pb2.FileDescriptorProto(name="attnviz/waymo.proto", package=PACKAGE, syntax="proto2")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            many, plain = kind.startswith("*"), kind.removeprefix("*")
            added = message.field.add(
                name=field, number=number, label=_Field.LABEL_REPEATED if many else _Field.LABEL_OPTIONAL
            )
            added.type = _KINDS.get(plain, _Field.TYPE_MESSAGE)
            if plain not in _KINDS:
                added.type_name = f".{PACKAGE}.{plain}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.Scenario"))
