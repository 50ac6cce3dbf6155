"""All kinds of attention, in the order in which they are told."""

from attnviz.attention.kinds.additive import ADDITIVE
from attnviz.attention.kinds.alibi import ALIBI
from attnviz.attention.kinds.block import BLOCK
from attnviz.attention.kinds.causal import CAUSAL
from attnviz.attention.kinds.cross import CROSS
from attnviz.attention.kinds.deformable import DEFORMABLE
from attnviz.attention.kinds.differential import DIFFERENTIAL
from attnviz.attention.kinds.fixed import FIXED
from attnviz.attention.kinds.full import SELF
from attnviz.attention.kinds.global_window_random import GLOBAL_WINDOW_RANDOM
from attnviz.attention.kinds.grouped import GROUPED
from attnviz.attention.kinds.kind import Kind
from attnviz.attention.kinds.linear import LINEAR
from attnviz.attention.kinds.relative import RELATIVE
from attnviz.attention.kinds.rotary import ROTARY
from attnviz.attention.kinds.sinks import SINKS
from attnviz.attention.kinds.softcap import SOFTCAP
from attnviz.attention.kinds.squeeze import SQUEEZE
from attnviz.attention.kinds.strided import STRIDED
from attnviz.attention.kinds.window import WINDOW
from attnviz.base.errors import InputError
from attnviz.base.language import _m

KINDS: tuple[Kind, ...] = (
    SELF,
    CROSS,
    CAUSAL,
    GROUPED,
    ADDITIVE,
    WINDOW,
    BLOCK,
    STRIDED,
    FIXED,
    GLOBAL_WINDOW_RANDOM,
    LINEAR,
    DEFORMABLE,
    SQUEEZE,
    RELATIVE,
    ALIBI,
    ROTARY,
    SINKS,
    SOFTCAP,
    DIFFERENTIAL,
)

_BY_ID = {each.id: each for each in KINDS}


def kind(id: str) -> Kind:
    """The kind of this id. Raises `InputError` where there is none."""
    if id not in _BY_ID:
        raise InputError(_m("There is no kind of attention “{id}”."), id=id)
    return _BY_ID[id]
