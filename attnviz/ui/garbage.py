"""Keeps Python's garbage collection out of the way of a moved slider.

Streamlit collects garbage after every run of a script, and a collection looks at every object there is.
Those that torch and transformers make when they are imported are hundreds of thousands: 150 to 400 ms of
each rerun, during which nothing else in the process moves. They live as long as the process, so they are
taken out of what is looked at (https://docs.python.org/3/library/gc.html#gc.freeze).
"""

import gc
import sys

_modules_seen = 0


def spare_modules() -> None:
    """Exempt everything that exists now from garbage collection, if modules were imported since the last call.

    What exists now is still freed when nothing refers to it any more; only cycles among it would stay.
    """
    global _modules_seen
    if len(sys.modules) == _modules_seen:
        return
    _modules_seen = len(sys.modules)
    gc.collect()
    gc.freeze()
