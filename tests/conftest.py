"""Shapes in signatures are checked in every test; the hook must be there before attnviz is imported."""

from jaxtyping import install_import_hook

install_import_hook("attnviz", "beartype.beartype")
