"""attnviz shows what attention looked at, with numbers that can be trusted.

    import attnviz

    with attnviz.capture(model) as trace:   # any torch module, unchanged
        model(**inputs)
    trace[0].weights(3)                     # head 3 of the first attention

Importing this package loads neither torch nor transformers; each name is loaded when first used.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

# Public name → the module that holds it; None stands for a room that is its own public name.
_PUBLIC: dict[str, str | None] = {
    "Attention": "attnviz.attention",
    "RowState": "attnviz.attention",
    "Tokens": "attnviz.tokens",
    "Trace": "attnviz.trace",
    "load": "attnviz.trace",
    "from_arrays": "attnviz.trace",
    "Selection": "attnviz.selection",
    "capture": "attnviz.recording",
    "check_labels": "attnviz.recording",
    "follow": "attnviz.recording.blocks",
    "InputError": "attnviz.base.errors",
    "figures": None,
    "models": None,
    "scenes": None,
}

__all__ = sorted([*_PUBLIC, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'attnviz' has no attribute '{name}'")
    home = _PUBLIC[name]
    return importlib.import_module(f"attnviz.{name}") if home is None else getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
