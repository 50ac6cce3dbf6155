"""Scenes: road users over time, files of them, and how a model sees them."""

from attnviz.scenes.kinds import KINDS, NAMES, SIZES, Kind, Size
from attnviz.scenes.openscenario import TestPlan, test_plan
from attnviz.scenes.reading import EgoMissing, read, write
from attnviz.scenes.road import Area, Lane, Road
from attnviz.scenes.scene_model import SceneModel
from attnviz.scenes.table import COLUMNS, Agent, Scenes, Traffic

__all__ = [
    "COLUMNS",
    "KINDS",
    "NAMES",
    "SIZES",
    "Agent",
    "Area",
    "EgoMissing",
    "Kind",
    "Lane",
    "Road",
    "SceneModel",
    "Scenes",
    "Size",
    "TestPlan",
    "Traffic",
    "read",
    "test_plan",
    "write",
]
