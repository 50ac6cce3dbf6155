"""Which kinds of road user there are, how they are called, and how large they are where a source does not say."""

from dataclasses import dataclass
from typing import Literal, get_args

from attnviz.base.language import _m

Kind = Literal["car", "parked-car", "van", "bus", "truck", "motorcyclist", "cyclist", "pedestrian", "child", "obstacle"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Size:
    """Length along the heading and width across it, in metres."""

    length: float
    width: float


# Ours, rounded; the adult and the child are the boxes of Euro NCAP's pedestrian targets (0.6 × 0.5 m and
# 0.711 × 0.298 m in vectorgrp/OSC-NCAP-scenarios), the rest are usual sizes of vehicles on European roads.
SIZES: dict[Kind, Size] = {
    "car": Size(4.3, 1.8),
    "parked-car": Size(4.3, 1.8),
    "van": Size(5.5, 2.0),
    "bus": Size(12.0, 2.55),
    "truck": Size(9.0, 2.5),
    "motorcyclist": Size(2.2, 0.8),
    "cyclist": Size(1.8, 0.6),
    "pedestrian": Size(0.6, 0.5),
    "child": Size(0.711, 0.298),
    "obstacle": Size(1.0, 1.0),
}

NAMES: dict[Kind, str] = {
    "car": _m("car"),
    "parked-car": _m("parked car"),
    "van": _m("van"),
    "bus": _m("bus"),
    "truck": _m("truck"),
    "motorcyclist": _m("motorcyclist"),
    "cyclist": _m("cyclist"),
    "pedestrian": _m("pedestrian"),
    "child": _m("child"),
    "obstacle": _m("obstacle"),
}
