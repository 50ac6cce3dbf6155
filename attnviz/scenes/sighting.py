"""Whom the ego can see, for scenes of which nobody says so: lines of sight past every vehicle."""

from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool
from torch import Tensor

from attnviz.scenes import occlusion
from attnviz.scenes.boxes import corners
from attnviz.scenes.table import SAME_TIME, Scenes

EYE = 0.5
"""Metres ahead of the ego's middle where its eye is."""
LOW = ("pedestrian", "child", "cyclist", "motorcyclist", "obstacle")
"""Kinds that hide nobody: boxes know no height, and these are low or narrow enough to look past."""


def with_sight(scenes: Scenes) -> Scenes:
    """The same, with `visible` found where nobody says it: see `occlusion.visible` for the share that must be seen.

    Moments without an ego stay as they are.
    """
    visible = scenes.table["visible"].astype(object).to_numpy(copy=True)
    unknown = scenes.table["visible"].isna().to_numpy() & scenes.table["valid"].to_numpy(dtype=bool)
    places = pd.Series(np.arange(len(scenes.table)))
    # Files round times: those that are nearer than `SAME_TIME` are one moment.
    moments = (scenes.table["t"].to_numpy(dtype=np.float64) / SAME_TIME).round()
    keys = [scenes.table["scene_id"].astype(str).to_numpy(), moments]
    for _moment, rows in places.groupby(keys, sort=False):
        here = rows.to_numpy()
        if unknown[here].any():
            seen = _seen(scenes.table.iloc[here])
            if seen is not None:
                visible[here[unknown[here]]] = seen.numpy()[unknown[here]]
    return replace(
        scenes, table=scenes.table.assign(visible=pd.Series(visible, index=scenes.table.index, dtype=object))
    )


def _seen(rows: pd.DataFrame) -> Bool[Tensor, " rows"] | None:
    """Of the rows of one moment; None without an ego."""
    ego = np.flatnonzero(rows["is_ego"].to_numpy(dtype=bool) & rows["valid"].to_numpy(dtype=bool))
    if not len(ego):
        return None
    x, y, heading, length, width = (
        torch.from_numpy(rows[name].to_numpy(dtype=np.float64).copy())
        for name in ("x", "y", "heading", "length", "width")
    )
    mine = int(ego[0])
    boxes = corners(x, y, heading, length, width)
    eye = torch.stack([x[mine] + EYE * heading[mine].cos(), y[mine] + EYE * heading[mine].sin()])
    there = torch.from_numpy(rows["valid"].to_numpy(dtype=bool).copy())
    hiding = there & torch.tensor(~rows["class"].isin(LOW).to_numpy(dtype=bool))
    hiding[mine] = False
    found = occlusion.visible(eye, boxes, boxes, hiding.expand(len(rows), -1))
    found[mine] = True
    return found & there
