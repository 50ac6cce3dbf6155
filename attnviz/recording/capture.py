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
from attnviz.recording import huggingface, state_space
from attnviz.recording.compiled import uncompiled
from attnviz.recording.inputs import Inputs
from attnviz.recording.needs import needs_of
from attnviz.recording.options import Generation, Options
from attnviz.recording.patches import picture_size
from attnviz.recording.reading import Reading
from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings, routed_to
from attnviz.recording.watching import watching
from attnviz.trace import LookAlike, Note, Origin, Trace

COMPILED = _m(
    "The model is compiled; while it was recorded it ran uncompiled, so its output may differ in the last digits."
)
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
    Every attention is compared with the model's own output (`attention.check`).

    values: keep the values too. tokenizer: for the texts of the tokens whose ids the model is given. offload: keep
    the recording in the computer's memory instead of the GPU's. implicit: for linear attention, which has no
    softmax, the weights that it amounts to. generation: what `generate` leaves in the trace, one pass over all
    that was written ("replay") or the cached steps put together ("stitch").
    Raises `InputError` where the model is not a torch module.
    """
    if not isinstance(model, nn.Module):
        raise InputError(_m("A torch.nn.Module was expected; {found} was given."), found=type(model).__name__)
    options = Options(values=values, tokenizer=tokenizer, offload=offload, implicit=implicit, generation=generation)
    recording, needs = Recording(model, options), needs_of(model)
    if needs.scripted:
        _note_scripted(recording)
    if needs.state_space:
        state_space.note_layers(recording)
    with ExitStack() as stack:
        stack.enter_context(routed_to(recording))
        if needs.compiled:
            recording.note(COMPILED)
            stack.enter_context(uncompiled)
        if "transformers.modeling_utils" in sys.modules:
            stack.enter_context(huggingface.interface)
        if needs.watching:
            stack.enter_context(watching())
        hook = model.register_forward_pre_hook(_see_inputs(recording, begins=not needs.watching), with_kwargs=True)
        stack.callback(hook.remove)
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


def _see_inputs(recording: Recording, *, begins: bool) -> Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], None]:
    """A hook that remembers what the model was called with; begins: nothing else counts its runs."""

    def see(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if recording in recordings():
            if begins:
                recording.begin_run()
            recording.inputs[recording.run] = Inputs.of(module, args, kwargs)
            recording.picture = picture_size(args, kwargs)

    return see


def _note_scripted(recording: Recording) -> None:
    noted: list[str] = []
    for name, module in recording.modules.by_name().items():
        inside = any(not outer or name.startswith(f"{outer}.") for outer in noted)
        if isinstance(module, torch.jit.ScriptModule) and not inside:
            recording.note(SCRIPTED, name=recording.modules.shown_name(module))
            noted.append(name)
