"""`attnviz.capture`: record the attentions of a model while it runs, without changing it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn

from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording import huggingface
from attnviz.recording.compiled import COMPILED, Uncompiled
from attnviz.recording.needs import needs_of
from attnviz.recording.options import Generation, Options
from attnviz.recording.reading import Reading
from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings, routed_to
from attnviz.recording.watching import watching
from attnviz.trace import LookAlike, Note, Origin, Trace

SCRIPTED = _m("“{name}” is TorchScript: what happens inside it was not recorded.")


@contextmanager
def capture(
    model: object,
    *,
    values: bool = False,
    tokenizer: Any = None,
    offload: bool = False,
    implicit: bool = False,
    generation: Generation = "replay",
) -> Iterator[Trace]:
    """Records the attentions of a model that runs within the block.

        with attnviz.capture(model) as trace:
            model(**inputs)

    The trace fills as the model runs and stays after the block. It keeps references to queries, keys and masks
    (and to values, if asked for), never the n × n weights. The model, its masks and its output stay as they are;
    only where PyTorch would take a fast path for nn.MultiheadAttention does the output move, by about 1e-6, and
    `trace.notes` says so, as it says what could not be recorded. What runs in other threads is not recorded.
    Raises `InputError` where the model is not a torch module.
    """
    if not isinstance(model, nn.Module):
        raise InputError(_m("A torch.nn.Module was expected; {found} was given."), found=type(model).__name__)
    options = Options(values=values, tokenizer=tokenizer, offload=offload, implicit=implicit, generation=generation)
    recording, needs = Recording(model, options), needs_of(model)
    if needs.scripted:
        _note_scripted(recording)
    with ExitStack() as stack:
        stack.enter_context(routed_to(recording))
        compiled = recording.state(Uncompiled)
        stack.callback(compiled.release)
        if needs.compiled:
            recording.note(COMPILED)
            compiled.take()
        if "transformers.modeling_utils" in sys.modules:
            stack.enter_context(huggingface.interface)
        if needs.watching:
            compiled.look()
            stack.enter_context(watching())
        else:
            stack.callback(model.register_forward_pre_hook(_counting_runs(recording)).remove)
        try:
            yield _Recorded(recording)
        finally:
            recording.finish()


class _Recorded(Trace):
    """A trace that looks into its recording each time, so it grows with it and notices what was overwritten."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(origin=Origin(kind="recorded"))
        self._reading = Reading(recording)

    @property
    def origin(self) -> Origin:
        """The model, where it ran, and with which versions."""
        return self._reading.origin()

    @property
    def attentions(self) -> list[Attention]:
        """The attentions up to now, in order of execution."""
        return self._reading.attentions()

    @property
    def notes(self) -> list[Note]:
        """What could not be recorded, and what differs from a run without recording."""
        return self._reading.notes()

    @property
    def lookalikes(self) -> list[LookAlike]:
        """What ran beside the attentions and only looks like one."""
        return self._reading.lookalikes()


def _counting_runs(recording: Recording) -> Callable[[nn.Module, tuple[Any, ...]], None]:
    def begin(module: nn.Module, args: tuple[Any, ...]) -> None:  # noqa: ARG001  the hook's signature
        if recording in recordings():
            recording.begin_run()

    return begin


def _note_scripted(recording: Recording) -> None:
    noted: list[str] = []
    for name, module in recording.modules.by_name().items():
        inside = any(not outer or name.startswith(f"{outer}.") for outer in noted)
        if isinstance(module, torch.jit.ScriptModule) and not inside:
            recording.note(SCRIPTED, name=recording.modules.shown_name(module))
            noted.append(name)
