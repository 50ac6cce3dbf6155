"""Tensors and numpy arrays into what Plotly takes."""

import numpy as np
import torch
from jaxtyping import Shaped


def to_numpy(values: Shaped[np.ndarray | torch.Tensor, "*any"]) -> Shaped[np.ndarray, "*any"]:
    """The same numbers as numpy; half precisions become float32 (Plotly sends float16 as a plain list)."""
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu()
        values = (values.float() if values.dtype in (torch.bfloat16, torch.float16) else values).numpy()
    array: Shaped[np.ndarray, "*any"] = np.asarray(values)
    return array.astype(np.float32) if array.dtype == np.float16 else array
