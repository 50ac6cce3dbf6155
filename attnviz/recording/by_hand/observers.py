"""Which of torch's functions are looked at, and what happens then."""

from collections.abc import Callable
from typing import Any

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.by_hand import entries, products, shapes, softmaxes, unknown
from attnviz.recording.by_hand.called import Args, Called, Kwargs, Step
from attnviz.recording.by_hand.hand import Hand
from attnviz.recording.routing import recordings

FAILED = _m("What “{name}” computes could not be followed; attention written by hand may be missing there.")


def observer(step: Step) -> Callable[[Any, Args, Kwargs, Any], None]:
    """The step for each recording that is not inside another family. Whatever happens, the model goes on."""

    def observe(func: Any, args: Args, kwargs: Kwargs, output: Any) -> None:
        for recording in recordings():
            if recording.inside:
                continue
            try:
                step(Called(recording.state(Hand), recording, func, args, kwargs, output))
            except InputError:
                raise
            except Exception:
                module = recording.running()
                if module is not None:
                    recording.note(FAILED, name=recording.modules.shown_name(module))

    return observe


ANY_OTHER = observer(unknown.any_other)

OBSERVERS = {
    function: observer(step)
    for steps in (products.STEPS, shapes.STEPS, entries.STEPS, softmaxes.STEPS)
    for group, step in steps
    for function in group
}
