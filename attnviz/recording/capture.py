"""`attnviz.capture`: record the attentions of a model while it runs, without changing it."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording import generation as generation_
from attnviz.recording import huggingface, state_space
from attnviz.recording.compiled import COMPILED, Uncompiled, compiling
from attnviz.recording.inputs import Inputs
from attnviz.recording.needs import needs_of
from attnviz.recording.options import Generation, Options
from attnviz.recording.patches import picture_size
from attnviz.recording.reading import Reading
from attnviz.recording.recording import Recording
from attnviz.recording.routing import recordings, routed_to
from attnviz.recording.watching import watching
from attnviz.tokens import Tokens
from attnviz.trace import LookAlike, Note, Origin, Trace


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
    (and to values, if asked for), never the n × n weights. The model, its masks and its output stay as they are.
    `model.generate` of transformers is recorded by one more pass over the final tokens, in which the generated
    ones are marked; with generation="stitch" the cached steps are put together instead.
    Only where PyTorch would take a fast path for nn.MultiheadAttention does the output move, by about 1e-6, and
    `trace.notes` says so, as it says what could not be recorded. What runs in other threads is not recorded.
    Every attention is compared with the model's own output (`attention.check`).

    values: keep the values too. tokenizer: for the texts of the tokens whose ids the model is given. offload: keep
    the recording in the computer's memory instead of the GPU's. implicit: for linear attention, which has no
    softmax, the weights that it amounts to. generation: what `generate` leaves in the trace, one pass over all
    that was written ("replay") or the cached steps put together ("stitch").
    Raises `InputError` where the model is not a torch module or the tokenizer does not tell what ids stand for.
    """
    if not isinstance(model, nn.Module):
        raise InputError(_m("A torch.nn.Module was expected; {found} was given."), found=type(model).__name__)
    if tokenizer is not None:
        Tokens.from_ids(tokenizer, ())  # says now, and not after the model ran, what is no tokenizer
    options = Options(values=values, tokenizer=tokenizer, offload=offload, implicit=implicit, generation=generation)
    recording, needs = Recording(model, options), needs_of(model)
    if needs.state_space:
        state_space.note_layers(recording)
    with ExitStack() as stack:
        stack.enter_context(routed_to(recording))
        compiled = recording.state(Uncompiled)
        stack.callback(compiled.release)
        stack.enter_context(compiling)
        if needs.compiled:
            recording.note(COMPILED)
            compiled.take()
        if "transformers.modeling_utils" in sys.modules:
            stack.enter_context(huggingface.interface)
        if "transformers.generation.utils" in sys.modules:
            stack.enter_context(generation_.generating)
        if needs.watching:
            compiled.look()
            stack.enter_context(watching())
        if not isinstance(model, torch.jit.ScriptModule):  # which takes no hooks
            see = _SeeInputs(recording, begins=not needs.watching)
            stack.callback(model.register_forward_pre_hook(see, with_kwargs=True).remove)
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


@dataclass(eq=False)
class _SeeInputs:
    """A hook that remembers what the model was called with; begins: nothing else counts its runs.

    A copy of the model that is made or saved within the block takes along a hook that does nothing.
    """

    recording: Recording | None = None
    begins: bool = False

    def __call__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        recording = self.recording
        if recording is None or recording not in recordings():
            return
        if self.begins:
            recording.begin_run()
        recording.inputs[recording.run] = Inputs.of(module, args, kwargs)
        recording.picture = picture_size(args, kwargs)

    def __reduce__(self) -> tuple[type["_SeeInputs"], tuple[()]]:
        return _SeeInputs, ()
