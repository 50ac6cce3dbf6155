"""What one `capture` block sees while the model runs: the calls, the modules that are running, and notes."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from attnviz.recording.call import Call, QueryKeyCall
from attnviz.recording.generated import Generated
from attnviz.recording.inputs import Inputs
from attnviz.recording.keeping import Keeping
from attnviz.recording.modules import Modules, modules_of
from attnviz.recording.options import Options
from attnviz.recording.tensors import Versions, versions_of
from attnviz.recording.windows.chains import Chains
from attnviz.trace import LookAlike, Note

T = TypeVar("T")


class Recording:
    """Collects calls. As little as possible happens here; `Reading` makes attentions of them afterwards."""

    def __init__(self, model: nn.Module, options: Options) -> None:
        self.model: nn.Module | None = model
        self.options = options
        self.calls: deque[tuple[Call, Versions]] = deque()
        self.notes: dict[tuple[str, str], Note] = {}
        self.lookalikes: dict[tuple[str, str], LookAlike] = {}
        # Names of modules whose softmax is a part of an attention that another family has recorded.
        self.explained: set[str] = set()
        self.inputs: dict[int, Inputs] = {}
        # Above 0 while a family records a call whose inside another family would record again.
        self.inside = 0
        self.ended = False
        # Number, height and width of what the model looks at, if it looks at pictures.
        self.picture: tuple[int, int, int] | None = None
        # Which positions of which run the model wrote itself.
        self.generated: dict[int, Generated] = {}
        # Takes calls instead of the queue, while it is set.
        self.taker: Callable[[Call], None] | None = None
        self._run = -1
        self._keeping = Keeping(options)
        self._states: dict[type, Any] = {}
        self._running: list[tuple[nn.Module, Any]] = []

    @cached_property
    def modules(self) -> Modules:
        """The modules of the model. Walked through when first asked for: after a short forward pass, if possible."""
        return Modules() if self.model is None else modules_of(self.model)

    @property
    def run(self) -> int:
        """Which forward pass of the model is under way, from 0; 0 also where only a part of it was called."""
        return max(self._run, 0)

    def begin_run(self) -> None:
        """The model has started a forward pass."""
        self._run += 1

    def keep(self, call: Call) -> None:
        """Keeps a call, unless it belongs to the backward pass, where checkpointing computes everything again."""
        if torch.is_grad_enabled() and torch._C._current_graph_task_id() != -1:
            return
        query, key = getattr(call, "query", None), getattr(call, "key", None)
        if (
            # A family that keeps its calls later has asked in time, while the tensors were those of the model.
            call.trail is None
            and Chains in self._states
            and isinstance(query, Tensor)
            and isinstance(key, Tensor)
            and (query.ndim == 4 or isinstance(call, QueryKeyCall))
        ):
            call.trail = self.state(Chains).of(query, key)
        call.picture = self.picture
        if self.taker is not None:
            self.taker(call)
            return
        self._keeping.take(call)
        self.calls.append((call, versions_of(call.tensors())))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Within the block nothing is recorded, and runs do not count."""
        run = self._run
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1
            self._run = run

    @contextmanager
    def handed_to(self, taker: Callable[[Call], None]) -> Iterator[None]:
        """Within the block calls go to the taker, and all of it is one run."""
        run, self.taker = self._run, taker
        try:
            yield
        finally:
            self.taker = None
            self._run = run + 1

    def state(self, kind: type[T]) -> T:
        """What a family remembers of this recording between two calls; forgotten when the block ends."""
        if kind not in self._states:
            self._states[kind] = kind()
        found: T = self._states[kind]
        return found

    def note(self, message: str, **fields: str | int | float) -> None:
        """Adds a note, once."""
        self.notes.setdefault((message, repr(sorted(fields.items()))), Note(message, fields))

    def lookalike(self, module: nn.Module, shape: tuple[int, ...], message: str, **fields: str | int | float) -> None:
        """Lists something apart, once for each module and reason."""
        name = self.modules.shown_name(module)
        self.lookalikes.setdefault((name, message), LookAlike(name, tuple(shape), Note(message, fields)))

    def begin(self, module: nn.Module, guard: Any = None) -> None:
        """A module has started to run; the guard is left when it ends."""
        if module is self.model:
            self.begin_run()
        self._running.append((module, guard))

    def end(self, module: nn.Module) -> None:
        """A module has ended, and with it all that started within it and were broken off."""
        while self._running:
            ended, guard = self._running.pop()
            if guard is not None:
                guard.__exit__(None, None, None)
            if ended is module:
                return

    def is_guarded(self) -> bool:
        """Whether a module runs, or one around it, that nothing may watch."""
        return any(guard is not None for _, guard in self._running)

    def running(self, past: tuple[type[nn.Module], ...] = ()) -> nn.Module | None:
        """The innermost module of this model that is running, whose attention is to be recorded.

        Where no module runs, it is the model, of which a method was called. None where another model runs,
        and where another family records already what happens inside. past: kinds that do a step for others.
        """
        if self.inside:
            return None
        ours = [module for module, _ in self._running if module in self.modules and not isinstance(module, past)]
        if ours:
            return ours[-1]
        return None if self._running else self.model

    def around(self, module: nn.Module) -> nn.Module:
        """The module of this model within which this one runs; itself where there is none."""
        ours = [running for running, _ in self._running if running in self.modules]
        place = ours.index(module) if module in ours else 0
        return ours[place - 1] if place else module

    def finish(self) -> None:
        """The block has ended."""
        while self._running:
            self.end(self._running[-1][0])
        for state in self._states.values():
            # A family may have something that it has not handed over yet.
            if hasattr(state, "finish"):
                state.finish(self)
        self._states.clear()
        self.ended = True

    def forget_model(self) -> None:
        """Lets go of the model, once everything is read: a trace need not keep it alive."""
        self.model = None
        self.__dict__.pop("modules", None)
