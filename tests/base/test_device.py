import pytest
import torch

from attnviz.base import device
from attnviz.base.errors import InputError


def test_the_cpu_is_always_there():
    assert device.available()[-1] == "cpu"


def test_the_environment_overrides_the_choice(monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DEVICE", "cpu")
    assert device.choose() == torch.device("cpu")


def test_a_name_overrides_the_environment(monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DEVICE", "nowhere")
    assert device.choose("cpu") == torch.device("cpu")


def test_a_gpu_is_taken_where_torch_sees_one(monkeypatch):
    monkeypatch.delenv("ATTNVIZ_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert device.choose() == torch.device("cuda:0")
    assert device.choose("cuda") == torch.device("cuda:0")
    assert device.choose("cuda:1") == torch.device("cuda:1")


def test_an_unknown_device_is_named_with_what_there_is():
    with pytest.raises(InputError, match=r"nowhere.*cpu"):
        device.choose("nowhere")
