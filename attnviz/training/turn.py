"""Makes the shipped turn models again: `python -m attnviz train turn --hazard 0.5 --runouts 60 --seed 3`."""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Float32
from torch import Tensor, nn

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.turn import features, networks, shipped
from attnviz.models.turn import study as study_facts
from attnviz.models.turn.networks import Kind
from attnviz.models.turn.shipped import Cell, Remedy
from attnviz.scenes.simulator.cast import CHILD, OBJECTS, PARKED, USERS
from attnviz.scenes.simulator.chance import uniform
from attnviz.scenes.simulator.moments import Moments, conflict_with, moments
from attnviz.training import turn_measures

Say = Callable[[str], None]

BACKGROUND = 60_000
"""Scenes without a parked vehicle near the way."""
FIRST_NEAR = 10_000_000
"""Numbers of scenes with one begin here, so that they are others than the background's."""
MOST_VEHICLES = 150_000
"""Of scenes with a parked vehicle near the way that are simulated for one model."""
WITHOUT_HAZARD = 0.5
"""At a hazard of 0 there are no run-outs to count: the vehicles are as many as at this hazard."""


@dataclass(frozen=True)
class Recipe:
    """steps of `batch` moments each, AdamW, learning rate to zero along a cosine. drop: share of moments in which
    objects are taken away, each with probability `each`, and the outcome found again without them. remedy: against
    rarity, see `shipped.REMEDIES`."""

    steps: int = 1500
    batch: int = 512
    rate: float = 3e-3
    drop: float = 0.5
    each: float = 0.15
    remedy: Remedy = "none"


@dataclass(frozen=True, eq=False)
class Examples:
    """What a model is trained on: features, what is present, and the truth of every moment."""

    features: Float32[Tensor, "scenes tokens features"]
    present: Bool[Tensor, "scenes tokens"]
    hit: Bool[Tensor, "scenes users"]
    hit_unlit: Bool[Tensor, "scenes users"]
    near: Bool[Tensor, " scenes"]

    def __len__(self) -> int:
        return len(self.present)


def vehicles(hazard: float, runouts: int) -> int:
    """How many scenes have a parked vehicle near the way, so that about so many children run out."""
    return round(runouts / (hazard or WITHOUT_HAZARD))


class Source:
    """The scenes of one data seed; what was simulated once is kept, for another cell or another model."""

    def __init__(self, seed: int, background: int = BACKGROUND) -> None:
        self.seed = seed
        self._background = examples_of(moments(seed, torch.arange(background), near=False, hazard=0.0))
        self._near: Moments | None = None

    def examples(self, hazard: float, runouts: int) -> Examples:
        """The training data of one cell of the study."""
        count = vehicles(hazard, runouts)
        if not count:
            return self._background
        if self._near is None or len(self._near) < count:
            self._near = moments(self.seed, FIRST_NEAR + torch.arange(count), near=True, hazard=1.0)
        chance = uniform(self.seed, FIRST_NEAR + torch.arange(count), "run-out")[:, 0]
        return joined([self._background, examples_of(self._near.part(slice(count)).with_hazard(hazard, chance))])


def fit(model: nn.Module, examples: Examples, seed: int, recipe: Recipe | None = None) -> Iterator[float]:
    """Fits the model in place to the outcomes, a step at a time; yields the loss of every step in nats.

    The seed decides which moments come when and what is taken away.
    """
    recipe = recipe or Recipe()
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, recipe.steps)
    for _step in range(recipe.steps):
        decided, happened = _batch(model, examples, recipe, draw)
        loss = F.binary_cross_entropy_with_logits(decided, happened, weight=_weight(happened, recipe.remedy))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own gap
        optimizer.step()
        schedule.step()
        yield loss.item()


def _batch(
    model: nn.Module, examples: Examples, recipe: Recipe, draw: torch.Generator
) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
    """What the model says and what happened, with objects taken away in some of the scenes."""
    chosen = torch.randint(len(examples), (recipe.batch,), generator=draw)
    if recipe.remedy == "oversampled":
        chosen = _oversampled(chosen, examples.near, draw)
    dropping = torch.rand(recipe.batch, 1, generator=draw) < recipe.drop
    kept = ~(dropping & (torch.rand(recipe.batch, len(OBJECTS), generator=draw) < recipe.each))
    kept[:, OBJECTS.index(CHILD)] &= kept[:, OBJECTS.index(PARKED)]
    present = examples.present[chosen].clone()
    present[:, 1:] &= kept
    happened = conflict_with(examples.hit[chosen], examples.hit_unlit[chosen], kept)
    return model(examples.features[chosen], present), happened.to(torch.float32)


def _oversampled(chosen: Tensor, near: Bool[Tensor, " scenes"], draw: torch.Generator) -> Tensor:
    """The batch with scenes of a vehicle near the way in place of others, until they are as many as they should be."""
    rare = near.nonzero()[:, 0]
    lacking = round(shipped.OVERSAMPLED * len(chosen)) - int(near[chosen].sum())
    if lacking <= 0 or not len(rare):
        return chosen
    others = (~near[chosen]).nonzero()[:, 0][:lacking]
    more = rare[torch.randint(len(rare), (len(others),), generator=draw)]
    return chosen.index_copy(0, others, more)


def _weight(happened: Float[Tensor, " batch"], remedy: Remedy) -> Float[Tensor, " batch"] | None:
    return 1 + (shipped.CONFLICT_WEIGHT - 1) * happened if remedy == "weighted" else None


def corrected(module: nn.Module) -> None:
    """Takes the logarithm of the weight of conflicts from the log-odds: with weight w every odds is w times too large."""
    last = module.get_parameter("decide.2.bias")
    with torch.no_grad():
        last.sub_(math.log(shipped.CONFLICT_WEIGHT))


def examples_of(found: Moments) -> Examples:
    """What a model is trained on, of these moments."""
    return Examples(
        features.of_cast(found.cast),
        found.tokens,
        found.hit,
        found.hit_unlit,
        found.cast.present[:, USERS.index(PARKED)],
    )


def joined(parts: Sequence[Examples]) -> Examples:
    """All of them together."""
    return Examples(*(torch.cat([getattr(part, one.name) for part in parts]) for one in fields(Examples)))


def train(cell: Cell, seed: int, source: Source, recipe: Recipe | None = None) -> nn.Module:
    """The model of a cell and seed. On the same machine, with one thread, the same seed gives the same weights."""
    torch.manual_seed(shipped.first_seed(seed))
    module = networks.build(cell.kind)
    recipe = replace(recipe or Recipe(), remedy=cell.remedy)
    for _loss in fit(module, source.examples(cell.hazard, cell.runouts), shipped.first_seed(seed), recipe):
        pass
    if cell.remedy == "weighted":
        corrected(module)
    return module.eval()


def study(seeds: Sequence[int], cells: Sequence[Cell], folder: Path, say: Say, recipe: Recipe | None = None) -> None:
    """Trains these cells with these seeds, one file each; what is there already stays, and that is said.

    Seeds with the same data come after one another, so that scenes are simulated once.
    """
    for data in sorted({shipped.data_seed(seed) for seed in seeds}):
        source: Source | None = None
        for cell in sorted(cells, key=lambda one: -vehicles(one.hazard, one.runouts)):
            for seed in (one for one in seeds if shipped.data_seed(one) == data):
                path = folder / f"{cell.file.removesuffix('.safetensors')}-seed-{seed}.safetensors"
                if path.is_file():
                    say(f"{cell.name}/seed-{seed}: {path.name} is there already and stays")
                    continue
                started = time.perf_counter()
                source = source or Source(data)
                module = train(cell, seed, source, recipe)
                seconds = time.perf_counter() - started
                shipped.write(
                    path, module.state_dict(), {"name": f"{cell.name}/seed-{seed}", "seconds": round(seconds, 1)}
                )
                say(f"{cell.name}/seed-{seed}: {seconds:.0f} s → {path.name}")


def wanted(kind: Kind, hazard: float | None, runouts: int | None) -> list[Cell]:
    """The cells of the study with this hazard and this number of run-outs, all where None is given.

    A cell that is not in the study is trained as well: any hazard from 0 to 1, any number up to that of the study's
    largest. Raises `InputError` for others.
    """
    if hazard is not None and not 0 <= hazard <= 1:
        raise InputError(_m("A hazard is a probability from 0 to 1, not {found}."), found=hazard)
    if runouts is not None and not 0 <= runouts <= shipped.RUNOUTS[-1]:
        raise InputError(
            _m("{found} run-outs were asked for; 0 to {most} were expected."), found=runouts, most=shipped.RUNOUTS[-1]
        )
    if hazard is not None and 0 < hazard < shipped.HAZARDS[1] and (runouts is None or runouts / hazard > MOST_VEHICLES):
        raise InputError(
            _m("At hazard {hazard} that many run-outs need more than {most} scenes; ask for fewer."),
            hazard=hazard, most=MOST_VEHICLES,
        )  # fmt: skip
    hazards = shipped.HAZARDS if hazard is None else (hazard,)
    counts = shipped.RUNOUTS if runouts is None else (runouts,)
    return list(dict.fromkeys(Cell(kind, one, count).trained_as for one in hazards for count in counts))


def gather(kind: Kind, folder: Path, into: Path) -> list[Path]:
    """Puts the seeds of each cell together into one file; returns the files that were written.

    Raises `InputError` where a seed is missing.
    """
    written = []
    for cell in shipped.cells(kind):
        paths = [
            folder / f"{cell.file.removesuffix('.safetensors')}-seed-{seed}.safetensors"
            for seed in range(shipped.SEEDS)
        ]
        modules = [shipped.read(path, kind) for path in paths]
        shipped.write(into / cell.file, shipped.stacked(modules), {"name": cell.name, "seeds": shipped.SEEDS})
        written.append(into / cell.file)
    return written


def ship(folder: Path, into: Path, say: Say) -> None:
    """Puts all seeds of all cells together, measures what is shipped, and writes `study.json`.

    Raises `InputError` where a seed is missing.
    """
    for kind in networks.KINDS:
        for path in gather(kind, folder, into):
            say(path.name)
    say("simulating the held-out scenes")
    found = card(into, turn_measures.held_out(), say)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    unfinished = into / f"{study_facts.FILE}.unfinished"
    unfinished.write_text(text.replace('},"turn/', '},\n"turn/') + "\n", encoding="utf-8")
    unfinished.replace(into / study_facts.FILE)


def card(models: Path, held: turn_measures.Held, say: Say) -> dict[str, object]:
    """The facts of the study, measured on the gathered weights in this folder: what `study.json` holds.

    What is measured is what is shipped: half precision, read again. Without run-outs one model stands for every
    hazard, and is held against each.
    """
    found: dict[str, object] = {}
    for kind in networks.KINDS:
        for cell in _measured(kind):
            for seed in range(shipped.SEEDS):
                module = shipped.read(models / cell.file, kind, seed)
                found[f"{cell.name}/seed-{seed}"] = turn_measures.measure(module, held, cell.hazard)
            say(cell.name)
    truth = {f"{hazard:g}": held.truth(hazard) for hazard in shipped.HAZARDS}
    return {"facts": _facts(), "truth": truth, "models": found}


def _facts() -> dict[str, object]:
    """How the study was made."""
    return {
        "command": "python -m attnviz train turn --model KIND --seed 0 1 2 3 4 5 6 7 8 9",
        "date": datetime.now().date().isoformat(),
        "torch": torch.__version__,
        "background": BACKGROUND,
        "recipe": asdict(Recipe()),
        "parameters": {kind: sum(one.numel() for one in networks.build(kind).parameters()) for kind in networks.KINDS},
    }


def _measured(kind: Kind) -> list[Cell]:
    hazards = shipped.HAZARDS if kind != "uniform" else (shipped.WITHOUT_ATTENTION_AT,)
    plain = [Cell(kind, hazard, runouts) for hazard in hazards for runouts in shipped.RUNOUTS]
    return plain + (list(shipped.remedied()) if kind == "ego" else [])
