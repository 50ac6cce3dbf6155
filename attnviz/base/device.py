"""Where tensors are computed: CUDA, Apple's MPS or the CPU."""

import os

import torch

from attnviz.base.errors import InputError
from attnviz.base.language import _m

# Set to "cpu", "cuda", "cuda:1", "mps" … to override the choice.
ENVIRONMENT = "ATTNVIZ_DEVICE"


def available() -> tuple[str, ...]:
    """The devices that torch can use here, best first; the CPU is always among them."""
    found = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return (*found, "cpu")


def choose(name: str | None = None) -> torch.device:
    """The device to compute on: `name`, else the environment's ATTNVIZ_DEVICE, else the best available.

    Raises `InputError` for a device that torch does not know or cannot use here.
    """
    wanted = name or os.environ.get(ENVIRONMENT) or available()[0]
    complete = "cuda:0" if wanted == "cuda" else wanted
    if complete not in available():
        raise InputError(
            _m("The device “{device}” cannot be used here; available are: {available}."),
            device=wanted,
            available=", ".join(available()),
        )
    return torch.device(complete)


def describe(device: torch.device) -> str:
    """The device as a person calls it, such as "NVIDIA H200 (cuda:0)" or "CPU"."""
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)} ({device})"
    return "Apple GPU (MPS)" if device.type == "mps" else "CPU"
