"""Whether an attention belongs to an encoder or a decoder, and the number of its layer."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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


def says_cross(name: str) -> bool:
    """Whether a layer's own name says that it looks at another sequence: "cross_attention", "crossattention.self"."""
    return any(part.lower().startswith("cross") or part == "encoder_attn" for part in name.split(".")[-2:])


def role_of(*, causal: bool, elsewhere: bool, part: Part | None) -> Role:
    """Cross where the keys come from another sequence, decoder where no query sees a later key or the model says so."""
    if elsewhere:
        return "cross"
    return "decoder" if causal or part == "decoder" else "encoder"


def layer_numbers(calls: Sequence[tuple[Role, str, int]], modules: Iterable[str] = ()) -> list[int]:
    """The layer of each call, given its role, the name of its module and its run of the model.

    The first number in the name, as in "encoder.layer.3.attention", is the layer where it tells all layers
    of a role apart. Where two numbers do, as in "layers.2.blocks.1.attention", it is the place of that block among
    all blocks of all stages. So layers without attention keep their number: `modules` are the names of all modules.
    Otherwise layers are counted as they run.
    """
    names = tuple(modules)
    stated = {role: _stated(role, calls, names) for role in {role for role, _, _ in calls}}
    seen: Counter[tuple[Role, int]] = Counter()
    numbers = []
    for role, name, run in calls:
        known = stated[role]
        numbers.append(seen[role, run] if known is None else known[name])
        seen[role, run] += 1
    return numbers


def _stated(role: Role, calls: Sequence[tuple[Role, str, int]], modules: tuple[str, ...]) -> dict[str, int] | None:
    """What the names say, where they tell the layers of a role apart and no two calls of a run share one."""
    runs = Counter((name, run) for called, name, run in calls if called == role)
    if any(count > 1 for count in runs.values()):
        return None
    names = {name for name, _ in runs}
    for found in (_by_one_number(names), _by_two_numbers(names, modules)):
        if found is not None and len(set(found.values())) == len(names):
            return found
    return None


def _by_one_number(names: set[str]) -> dict[str, int] | None:
    numbers = {name: re.search(r"(?:^|\.)(\d+)(?=\.|$)", name) for name in names}
    found = {name: int(number.group(1)) for name, number in numbers.items() if number is not None}
    return found if len(found) == len(names) else None


_STAGE_AND_BLOCK = re.compile(r"(?P<first>(?:.*?\.)??)(?P<stage>\d+)\.(?P<second>(?:.*?\.)??)(?P<block>\d+)(?=\.|$)")


def _by_two_numbers(names: set[str], modules: tuple[str, ...]) -> dict[str, int] | None:
    """The place of each block among those that are called as it is."""
    places = {name: place for name in {*names, *modules} if (place := _STAGE_AND_BLOCK.match(name)) is not None}
    kinds = {(places[name]["first"], places[name]["second"]) for name in names if name in places}
    if len(kinds) != 1 or not names <= places.keys():
        return None
    blocks = {
        name: (int(place["stage"]), int(place["block"]))
        for name, place in places.items()
        if (place["first"], place["second"]) in kinds
    }
    order = {block: number for number, block in enumerate(sorted(set(blocks.values())))}
    return {name: order[blocks[name]] for name in names}
