"""Whether an attention belongs to an encoder or a decoder, and the number of its layer."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from torch import nn

from attnviz.attention import Role

Part = Literal["encoder", "decoder"]


def part_of(name: str, modules: Mapping[str, nn.Module]) -> Part | None:
    """What the model itself calls the part around a layer, the innermost word first; None where it says nothing.

    Words are the names of attributes ("decoder") and of classes ("LlamaDecoderLayer").
    """
    while True:
        kind = type(modules[name]).__name__ if name in modules else ""
        attribute = name.rpartition(".")[2]
        # A class such as EncoderDecoderModel holds both.
        if "EncoderDecoder" not in kind:
            if attribute == "decoder" or "Decoder" in kind:
                return "decoder"
            if attribute == "encoder" or "Encoder" in kind:
                return "encoder"
        if not name:
            return None
        name = name.rpartition(".")[0]


def role_of(*, causal: bool, elsewhere: bool, part: Part | None) -> Role:
    """Cross where the keys come from another sequence, decoder where no query sees a later key or the model says so."""
    if elsewhere:
        return "cross"
    return "decoder" if causal or part == "decoder" else "encoder"


def layer_numbers(calls: Sequence[tuple[Role, str, int]]) -> list[int]:
    """The layer of each call, given its role, the name of its module and its run of the model.

    The first number in the name, as in "encoder.layer.3.attention", is the layer where it tells all layers
    of a role apart; so layers without attention keep their number. Otherwise layers are counted as they run.
    """
    stated = {role: _stated(role, calls) for role in {role for role, _, _ in calls}}
    seen: Counter[tuple[Role, int]] = Counter()
    numbers = []
    for role, name, run in calls:
        known = stated[role]
        numbers.append(seen[role, run] if known is None else known[name])
        seen[role, run] += 1
    return numbers


def _stated(role: Role, calls: Sequence[tuple[Role, str, int]]) -> dict[str, int] | None:
    """The first number in the name of each layer, where there is one and no two calls of a run share it."""
    found: dict[str, int] = {}
    for name in {name for called, name, _ in calls if called == role}:
        number = re.search(r"(?:^|\.)(\d+)(?=\.|$)", name)
        if number is None:
            return None
        found[name] = int(number.group(1))
    runs = Counter((name, run) for called, name, run in calls if called == role)
    unique = len(set(found.values())) == len(found) and all(count == 1 for count in runs.values())
    return found if unique else None
