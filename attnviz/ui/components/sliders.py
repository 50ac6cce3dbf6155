"""Groups of numbers that are moved by slider or typed, heard of while the hand still moves."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, Message, echo, pack

_component = Component("sliders")


@dataclass(frozen=True)
class SliderNumber:
    """One number. `least` and `most` are the slider's ends; typed numbers may go from `floor` to `ceiling`.

    `label` stands beside it; `spoken` is what a screen reader says, complete without its group.
    """

    id: str
    label: str
    spoken: str
    value: float
    least: float
    most: float
    step: float = 0.05
    floor: float = -1000.0
    ceiling: float = 1000.0


@dataclass(frozen=True)
class SliderGroup:
    """Numbers that belong together, under a title and a sentence."""

    title: str
    numbers: Sequence[SliderNumber]
    note: str = ""


def sliders(
    key: str, groups: Sequence[SliderGroup], *, description: str, on_number: Callable[[str, float], None] | None = None
) -> None:
    """Show the groups; `on_number` is told the id and the new value, one message at a time, the last one always."""
    numbers = {number.id: number for group in groups for number in group.numbers}
    header = {
        "seq": echo(key),
        "description": description,
        "groups": [asdict(group) for group in groups],
        "labels": {"field": _("as a number")},
    }

    def receive(message: Message) -> None:
        known, value = numbers.get(str(message.get("id"))), message.get("value")
        if known is None or isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return
        if on_number is not None:
            on_number(known.id, float(min(max(value, known.floor), known.ceiling)))

    _component.show(key, pack(header), receive)
