"""How far the attention of a translation can be trusted as an alignment."""

from attnviz.ui.translation.trust.section import trust

__all__ = ["trust"]
