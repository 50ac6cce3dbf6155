"""Two small pictures, one filter, and the attention of one patch: weights that do not depend on the picture, and weights that do."""

import math
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

SIZE = 8
"""Rows and columns."""

SHARPNESS = 4.0
"""W_Q is so many times the identity: without it, the weights would be nearly even."""

FILTER = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))
"""Sobel's filter for upright edges, a usual example of a filter; a learnt one is as fixed once training is over."""

Picture = Literal["bar", "corner"]
PICTURES: tuple[Picture, ...] = ("bar", "corner")


def picture(name: Picture) -> Float[Tensor, "rows columns"]:
    """An upright bar, or the corner of a square: bright (1) on dark (0)."""
    made = torch.zeros(SIZE, SIZE, dtype=torch.float64)
    if name == "bar":
        made[:, 3:5] = 1.0
    else:
        made[4:, 4:] = 1.0
    return made


def filtered(image: Float[Tensor, "rows columns"]) -> Float[Tensor, "rows columns"]:
    """The filter laid on every place, zeros beyond the edge: the same nine weights everywhere and in every picture."""
    weights = torch.tensor(FILTER, dtype=image.dtype)
    return F.conv2d(image[None, None], weights[None, None], padding=1)[0, 0]


def features(image: Float[Tensor, "rows columns"]) -> Float[Tensor, "tokens 9"]:
    """What stands for each place: its 3 × 3 surroundings, minus their mean over the picture."""
    around = F.unfold(image[None, None], 3, padding=1)[0].T
    return around - around.mean(0)


def attention(image: Float[Tensor, "rows columns"], row: int, column: int) -> Float[Tensor, "rows columns"]:
    """softmax(q kᵀ / √9) of one place over all, with W_Q = 4·I and W_K = I on the features; nothing is learnt."""
    found = features(image)
    query = SHARPNESS * found[row * image.shape[1] + column]
    scores = found @ query / math.sqrt(found.shape[1])
    return torch.softmax(scores, 0).reshape(image.shape)
