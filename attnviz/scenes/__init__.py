"""Scenes: road users over time, and how a model sees them."""

from attnviz.scenes.kinds import KINDS, NAMES, SIZES, Kind, Size
from attnviz.scenes.scene_model import SceneModel
from attnviz.scenes.table import COLUMNS, Agent, Scenes, Traffic

__all__ = ["COLUMNS", "KINDS", "NAMES", "SIZES", "Agent", "Kind", "SceneModel", "Scenes", "Size", "Traffic"]
