"""The turn models that come with attnviz: a study of hazard and exposure, ten seeds a cell, and how they are read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models.card import Card
from attnviz.models.turn import networks
from attnviz.models.turn.networks import Kind
from attnviz.models.turn.turn_model import TurnModel

WEIGHTS = Path(__file__).parent / "weights"
MOST_BYTES = 2_000_000
"""Of a file that somebody brings; ours have a twentieth of it."""
PREFIX = "turn/"
HAZARDS = (0.0, 0.1, 0.5, 1.0)
RUNOUTS = (0, 10, 60, 600, 15_000)
WITHOUT_ATTENTION_AT = 0.5
"""The hazard at which the baseline without attention was trained."""
SEEDS = 10
DATA_SEEDS = 5
"""Seed 7 is the data of 7 − 5 = 2 with the second initial weights: data and initial weights are crossed."""

Remedy = Literal["none", "oversampled", "weighted"]
REMEDIES: tuple[Remedy, ...] = get_args(Remedy)
"""What was done in training against rarity. oversampled: scenes with a parked vehicle near the way make up
`OVERSAMPLED` of every batch; which of them end in a conflict is as before, so that nothing has to be corrected where
the vehicle is seen. Where it is hidden itself the model takes it to be there far too often, and that is not corrected.
weighted: a conflict counts `CONFLICT_WEIGHT` times in the loss, and the log-odds are corrected by its logarithm."""
OVERSAMPLED = 0.3
CONFLICT_WEIGHT = 5.0
REMEDIED_HAZARD, REMEDIED = 0.5, (10, 60, 600)
"""The cells in which remedies were tried, with one layer."""

_NAME = re.compile(
    r"turn/(ego|self|uniform)/hazard-([0-9.]{1,8})/runouts-([0-9]{1,8})(?:/(oversampled|weighted))?/seed-([0-9]{1,4})"
)
_TITLES: dict[Kind, str] = {
    "ego": _m("Turn model, one layer: the ego asks everybody"),
    "self": _m("Turn model, two layers: everybody asks everybody"),
    "uniform": _m("Turn model without attention: everybody counts the same"),
}
_NOT_OURS = _m("{file} is no turn model of attnviz: {reason}.")


@dataclass(frozen=True)
class Cell:
    """One cell of the study. hazard: how probable a child runs out from behind a parked vehicle near the way.
    runouts: about how many such children are in the training data; at hazard 0, of which there are none, the vehicles
    are as many as at 0.5."""

    kind: Kind
    hazard: float
    runouts: int
    remedy: Remedy = "none"

    @property
    def name(self) -> str:
        """As in a model's name."""
        return f"{PREFIX}{self.kind}/hazard-{self.hazard:g}/runouts-{self.runouts}" + self._remedy("/")

    def _remedy(self, before: str) -> str:
        return "" if self.remedy == "none" else before + self.remedy

    @property
    def trained_as(self) -> "Cell":
        """Without run-outs there are no vehicles near the way, and the hazard changes nothing."""
        return self if self.runouts else Cell(self.kind, 0.0, 0, self.remedy)

    @property
    def file(self) -> str:
        """The file that holds the weights of all seeds."""
        cell = self.trained_as
        return f"{cell.kind}-hazard-{cell.hazard:g}-runouts-{cell.runouts}{cell._remedy('-')}.safetensors"


def data_seed(seed: int) -> int:
    """Which scenes a seed's model was trained on."""
    return seed % DATA_SEEDS


def first_seed(seed: int) -> int:
    """Which initial weights, order of moments and choice of what is taken away."""
    return seed // DATA_SEEDS


def cells(kind: Kind) -> tuple[Cell, ...]:
    """The cells that were trained: without run-outs there is one, whatever the hazard."""
    hazards = (WITHOUT_ATTENTION_AT,) if kind == "uniform" else HAZARDS
    plain = (Cell(kind, hazard, runouts) for hazard in hazards for runouts in RUNOUTS if runouts)
    return (Cell(kind, 0.0, 0), *plain, *(remedied() if kind == "ego" else ()))


def remedied() -> tuple[Cell, ...]:
    """The cells with a remedy."""
    return tuple(Cell("ego", REMEDIED_HAZARD, runouts, remedy) for remedy in REMEDIES[1:] for runouts in REMEDIED)


def load(name: str) -> TurnModel | None:
    """The shipped model of this name; None for names of other kinds. Raises `InputError` where there is none such."""
    if not name.startswith(PREFIX):
        return None
    found = _NAME.fullmatch(name)
    cell = found and Cell(found[1], _number(found[2]), int(found[3]), found[4] or "none")  # type: ignore[arg-type]  # what the pattern allows
    if not found or not cell or cell.trained_as not in cells(cell.kind) or int(found[5]) >= SEEDS:
        raise InputError(
            _m(
                "There is no turn model “{name}”; a name such as turn/ego/hazard-0.5/runouts-60/seed-3 was expected, "
                "with the hazards {hazards}, the run-outs {runouts} and the seeds 0 to {last}."
            ),
            name=name[:60],
            hazards=", ".join(f"{one:g}" for one in HAZARDS),
            runouts=", ".join(map(str, RUNOUTS)),
            last=SEEDS - 1,
        )
    return TurnModel(name, card(name, cell.kind), read(WEIGHTS / cell.file, cell.kind, int(found[5])))


def card(name: str, kind: Kind) -> Card:
    """What the catalogue says about one."""
    return Card(
        name=name,
        title=_(_TITLES[kind]),
        description=_("Trained on scenes of a simulator; what would have happened in each is known."),
        licence="MIT",
        source="https://arxiv.org/abs/1911.12250" if kind == "ego" else "https://arxiv.org/abs/1706.03762",
        layers=networks.LAYERS if kind == "self" else int(kind == "ego"),
        heads=networks.HEADS if kind != "uniform" else 0,
        installed=True,
        how_to_get=_("Make it with: python -m attnviz train turn"),
    )


def read(path: Path, kind: Kind, seed: int | None = None) -> nn.Module:
    """The network in this file; seed: which one, where the file holds several. Raises `InputError` for another file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            names = list(file.keys())
            weights = {
                name: (file.get_tensor(name) if seed is None else file.get_slice(name)[seed]).float() for name in names
            }
        module = networks.build(kind)
        module.load_state_dict(weights)
        if not all(bool(weight.isfinite().all()) for weight in weights.values()):
            raise ValueError("weights that are no finite numbers")
    except (OSError, SafetensorError, ValueError, KeyError, IndexError, RuntimeError) as reason:
        raise InputError(_NOT_OURS, file=path.name, reason=" ".join(str(reason).split())[:100]) from reason
    return module.eval()


def read_own(raw: bytes, file: str) -> tuple[Kind, nn.Module]:
    """A network that somebody trained with `attnviz train turn`. Raises `InputError` for what is none, or has no attention."""
    from safetensors import SafetensorError
    from safetensors.torch import load as load_tensors

    if len(raw) > MOST_BYTES:
        raise InputError(
            _m("{file} has {found} bytes; at most {most} were expected."), file=file, found=len(raw), most=MOST_BYTES
        )
    try:
        weights = {name: tensor.float() for name, tensor in load_tensors(raw).items()}
        kind: Kind = "self" if any(name.startswith("layers.") for name in weights) else "ego"
        module = networks.build(kind)
        module.load_state_dict(weights)
        if not all(bool(weight.isfinite().all()) for weight in weights.values()):
            raise ValueError("weights that are no finite numbers")
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as reason:
        raise InputError(_NOT_OURS, file=file[:60], reason=" ".join(str(reason).split())[:100]) from reason
    return kind, module.eval()


def write(path: Path, weights: Mapping[str, Tensor], facts: Mapping[str, object]) -> None:
    """Writes weights as float16 beside the path and moves them into place."""
    from safetensors.torch import save_file

    unfinished = path.with_suffix(".unfinished")
    halves = {name: weight.detach().half().contiguous() for name, weight in weights.items()}
    save_file(halves, unfinished, metadata={key: json.dumps(value) for key, value in facts.items()})
    unfinished.replace(path)


def stacked(modules: list[nn.Module]) -> dict[str, Tensor]:
    """The weights of several networks of one kind, the first dimension telling them apart."""
    states = [module.state_dict() for module in modules]
    return {name: torch.stack([state[name] for state in states]) for name in states[0]}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0
