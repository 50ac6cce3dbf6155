"""State-space layers, which mix a sequence through a state and have no attention weights (Gu & Dao, arXiv 2312.00752)."""

import re

from torch import nn

from attnviz.base.language import _m
from attnviz.recording.modules import Modules
from attnviz.recording.recording import Recording

ONE = _m("“{name}” is a state-space layer: it has no attention weights.")
SEVERAL = _m("{count} state-space layers, “{name}” the first of them, have no attention weights.")

# Whole words of a class's name, as in MambaMixer, S4Block and S6.
_NAMES = re.compile(r"Mamba|StateSpace|(?<![A-Za-z])S[456](?![a-z0-9])|SSM")


def note_layers(recording: Recording) -> None:
    """Says once for a model that it has state-space layers."""
    found = state_space_layers(recording.modules)
    if not found:
        return
    name = recording.modules.shown_name(found[0])
    if len(found) == 1:
        recording.note(ONE, name=name)
    else:
        recording.note(SEVERAL, name=name, count=len(found))


def state_space_layers(modules: Modules) -> list[nn.Module]:
    """The modules that hold the parameters of a state space, or else those that say by their name that they are one."""
    holding = [module for module in modules.found if has_state_space(module)]
    return holding or [module for module in modules.found if _is_named_so(module)]


def has_state_space(module: nn.Module) -> bool:
    """Whether it has the matrix A, kept as a logarithm, and the direct path D, as Mamba and S4 call them."""
    own = module._parameters
    return "D" in own and ("A_log" in own or "log_A_real" in own)


def _is_named_so(module: nn.Module) -> bool:
    """A layer, not what holds several: nothing inside it says the same of itself."""
    if not _NAMES.search(type(module).__name__):
        return False
    return not any(_NAMES.search(type(inner).__name__) for inner in module.modules() if inner is not module)
