"""Risk of each road user at each moment: of what is on collision course, and of what only hides somebody."""

from attnviz.scenes.risk.collision import time_to_collision, time_to_collision_along
from attnviz.scenes.risk.columns import Column, describe
from attnviz.scenes.risk.corridor import Corridor, corridor_of
from attnviz.scenes.risk.deceleration import required_deceleration
from attnviz.scenes.risk.encounter import closest_encounter
from attnviz.scenes.risk.encroachment import post_encroachment_time
from attnviz.scenes.risk.path import Path, along_points, as_recorded, moved, straight_on
from attnviz.scenes.risk.stepping_out import (
    RUNNING,
    WALKING,
    Phantom,
    Walker,
    phantom,
    phantom_ttc,
    shadow_area,
    step_out_time,
)
from attnviz.scenes.risk.table import measures

__all__ = [
    "RUNNING",
    "WALKING",
    "Column",
    "Corridor",
    "Path",
    "Phantom",
    "Walker",
    "along_points",
    "as_recorded",
    "closest_encounter",
    "corridor_of",
    "describe",
    "measures",
    "moved",
    "phantom",
    "phantom_ttc",
    "post_encroachment_time",
    "required_deceleration",
    "shadow_area",
    "step_out_time",
    "straight_on",
    "time_to_collision",
    "time_to_collision_along",
]
