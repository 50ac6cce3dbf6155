"""A forward pass that is recorded against a plain one, in pairs, in turns."""

import random
import time

import torch

import attnviz
from benchmarks.report import Result, ratios

PAIRS = 100
TOKENS = (16, 128, 512)
BOUND = 1.05


def measure() -> list[Result]:
    """One result for each length of input."""
    model = attnviz.models.load("minilm", device="cpu")
    return [_at(model, count) for count in TOKENS]


def _at(model: attnviz.models.TextModel, count: int) -> Result:
    inputs = {
        "input_ids": torch.randint(1000, 20000, (1, count), generator=torch.Generator().manual_seed(0)),
        "attention_mask": torch.ones(1, count, dtype=torch.long),
    }

    def plain() -> float:
        start = time.perf_counter()
        model.module(**inputs)
        return time.perf_counter() - start

    def recorded() -> float:
        start = time.perf_counter()
        with attnviz.capture(model.module):
            model.module(**inputs)
        return time.perf_counter() - start

    order = random.Random(0)  # noqa: S311 - which of a pair comes first
    pairs: list[tuple[float, float]] = []
    with torch.inference_mode():
        for _warming_up in range(5):
            plain(), recorded()
        for _pair in range(PAIRS):
            if order.random() < 0.5:
                first = plain()
                pairs.append((recorded(), first))
            else:
                first = recorded()
                pairs.append((first, plain()))
    values = ratios([one for one, _other in pairs], [other for _one, other in pairs])
    return Result(f"recording, {count} tokens", values, "× a plain forward pass", BOUND)
