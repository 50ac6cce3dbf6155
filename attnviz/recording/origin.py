"""Where the numbers of a recording come from."""

import sys

import torch
from torch import nn

from attnviz.trace import Origin


def origin_of(model: nn.Module) -> Origin:
    """The model, where it runs, and with which versions."""
    first = next(model.parameters(), None)
    config = getattr(model, "config", None)
    transformers = sys.modules.get("transformers")
    return Origin(
        kind="recorded",
        model=type(model).__name__,
        device="" if first is None else str(first.device),
        dtype="" if first is None else str(first.dtype).removeprefix("torch."),
        attention_implementation=str(getattr(config, "_attn_implementation", None) or ""),
        torch_version=torch.__version__,
        transformers_version="" if transformers is None else transformers.__version__,
    )
