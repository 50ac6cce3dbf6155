"""How a translation model is fitted to sentence pairs: batches, learning rate, loss."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.models.translation.vocabulary import BEGIN, END, PADDING

Example = tuple[list[int], list[int]]
"""The numbers of the source words and of the target words, without special ones."""


@dataclass(frozen=True)
class Recipe:
    """How long and how fast: Adam (Kingma and Ba 2014), warm-up, then down to nothing in a straight line."""

    epochs: int
    batch: int = 128
    learning_rate: float = 2e-3
    warm_up: int = 400
    smoothing: float = 0.0
    longest_gradient: float = 1.0


def fit(
    model: nn.Module,
    examples: Sequence[Example],
    recipe: Recipe,
    seed: int,
    *,
    most_steps: int | None = None,
    report: Callable[[int, int, float], None] | None = None,
) -> list[float]:
    """Fits the model in place; returns the loss of every step in nats for each target word.

    The seed decides the order of the batches and, through torch's generator, what dropout leaves out.
    most_steps: stop after so many, for a trial. report: told step, number of steps and loss.
    """
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - an order, no secret
    steps = recipe.epochs * math.ceil(len(examples) / recipe.batch)
    optimizer = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.98))
    losses: list[float] = []
    model.train()
    for batch in _epochs(examples, recipe, order):
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * _rate(len(losses) + 1, steps, recipe.warm_up)
        loss = _loss(model, batch, recipe.smoothing)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own gap
        nn.utils.clip_grad_norm_(model.parameters(), recipe.longest_gradient)
        optimizer.step()
        losses.append(loss.item())
        if report is not None:
            report(len(losses), steps, losses[-1])
        if most_steps is not None and len(losses) >= most_steps:
            break
    model.eval()
    return losses


def padded(rows: Sequence[Sequence[int]]) -> Int[Tensor, "items longest"]:
    """Rows of numbers, filled up with padding at the end."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows])


def _epochs(examples: Sequence[Example], recipe: Recipe, order: random.Random) -> Iterator[list[Example]]:
    """All examples once in every epoch, in batches of like length."""
    for _ in range(recipe.epochs):
        shuffled = order.sample(range(len(examples)), len(examples))
        batches: list[list[Example]] = []
        together = 50 * recipe.batch
        for start in range(0, len(shuffled), together):
            near = sorted(
                (examples[place] for place in shuffled[start : start + together]),
                key=lambda example: (len(example[1]), len(example[0])),
            )
            batches += [near[at : at + recipe.batch] for at in range(0, len(near), recipe.batch)]
        order.shuffle(batches)
        yield from batches


def _rate(step: int, steps: int, warm_up: int) -> float:
    warm_up = min(warm_up, max(1, steps // 10))
    return min(step / warm_up, max(0.02, 1 - (step - warm_up) / max(1, steps - warm_up)))


def _loss(model: nn.Module, batch: Sequence[Example], smoothing: float) -> Float[Tensor, ""]:
    source = padded([[*source, END] for source, _ in batch])
    consumed = padded([[BEGIN, *target] for _, target in batch])
    predicted = padded([[*target, END] for _, target in batch])
    logits = model(source, consumed)
    return F.cross_entropy(logits.flatten(0, 1), predicted.flatten(), ignore_index=PADDING, label_smoothing=smoothing)
